"""Where an index is: from what a person points at to the folder with its tables and the place for what we add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from explorer.base.errors import OpenError
from explorer.base.paths import HOME_NAME, user_home_for
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index_file import FILE_NAME, DamagedIndexFile, load_info
from explorer.tables.settings import SETTINGS_NAMES, GraphragSettings, read_settings
from explorer.tables.sources import NODES, TableFile, file_fault, find_tables, is_table_folder

OUTPUT_NAME = "output"
OLD_NAME = "output.old"  # the tables before the last run, for the moment in which a run exchanges them
_ARTIFACTS = "artifacts"  # where versions before 0.3.5 kept a run's tables
_UPDATES = "update_output"  # where an update keeps, by time, what it began with and the tables of the new documents
_PARTS = ("previous", "delta")
_WHOLE = ("entities", "relationships", "community_reports", "text_units")  # without these a run was not finished


@dataclass(frozen=True)
class Located:
    """An index on disk.

    `folder` is the folder of the documents where it is known; `output` holds the tables; `home` is the place for
    runs, positions and words: beside the tables for an index of ours, in the user data directory for a foreign one.
    """

    name: str
    folder: Path | None
    output: Path
    home: Path
    foreign: bool
    root: Path | None = None  # the project's, for a foreign index
    others: tuple[Path, ...] = ()  # other runs of the same project that could have been opened, newest first


def locate(path: Path, index_dir: Path | None = None) -> Located:
    """Find the index that `path` means: a folder of documents, a home, an `output/`, or a project root.

    Tables in the folder itself win over an index of ours in it, that over a settings file (which may lie in our home,
    for GraphRAG to query it), that over documents. `index_dir` is the home of an index that is not in its folder.
    Raises OpenError in one sentence where there is no index or where the folder may not be read.
    """
    try:
        return _locate(path, index_dir)
    except OSError as error:
        raise OpenError(
            f"{path} cannot be read ({error.strerror or type(error).__name__}); nothing was changed. "
            "Ask for the right to read it, or choose another."
        ) from error


def _locate(path: Path, index_dir: Path | None) -> Located:
    path = path.expanduser().absolute()
    if index_dir is not None:
        home = index_dir.expanduser().absolute()
        found = _in_home(home, path)
        if found is None:
            raise _none_at(home, path)
        return found
    if path.suffix.lower() in (".parquet", ".csv") and (path.is_file() or is_table_folder(path)):
        path = path.parent
    if not path.is_dir():
        raise OpenError(no_folder(path))
    if find_tables(path):
        return _of_output(path)
    if any((path / name).is_file() for name in SETTINGS_NAMES):
        found = _in_home(path, None) or _of_project(path)
        if found is not None:
            return found
    for home in (path, path / HOME_NAME, user_home_for(path)):
        found = _in_home(home, None if home == path else path)
        if found is not None:
            return found
    found = _of_project(path)
    if found is not None:
        return found
    settings = read_settings(path)
    if settings is not None and settings.output_outside:
        raise OpenError(
            f"{settings.path} says that the tables are in {settings.output_outside}, which is not in {path.name}; "
            "nothing was opened. Open that folder itself."
        )
    for place in (path, path / OUTPUT_NAME):  # looked into above without a word where that is not allowed
        if place.is_symlink() or place.is_dir():
            next(place.iterdir(), None)
    raise _none_at(path / HOME_NAME, path)


def no_folder(path: Path) -> str:
    """Why nothing can be opened at a path that is no folder, and what to give instead."""
    if path.is_file():
        return f"{path} is a file; give the folder that it lies in, or the folder of an index."
    return f"There is no folder or index at {path}; check the path."


def leads_elsewhere(root: Path) -> bool:
    """Whether a folder is a project whose settings put the tables outside it: documents to index it is not."""
    settings = read_settings(root)
    return settings is not None and bool(settings.output_outside)


def table_files(output: Path) -> dict[str, Path]:
    """The files of GraphRAG's tables in a folder by table name. {} for no folder."""
    return {name: file.path for name, file in find_tables(output).items() if name in GRAPHRAG_TABLES}


def _of_project(root: Path) -> Located | None:
    """The tables of a project's output, or of the newest complete run in it (`output/<time>/artifacts` before 0.3.5).

    `root` may be the project, its output, or the folder of one run.
    """
    settings = read_settings(root)
    named = (settings.output,) if settings is not None and settings.output is not None else ()
    updates = _updates(root, settings)
    for output in (*named, root / OUTPUT_NAME, root / _ARTIFACTS):
        if find_tables(output):
            return replace(_foreign(output, root), others=(*_runs(output), *_runs(updates)))
    of_runs = (settings.runs,) if settings is not None and settings.runs is not None else ()
    for parent in (*of_runs, root / OUTPUT_NAME, root, updates):
        runs = _runs(parent)
        if runs:
            project = _project_of(root) if parent == root else root
            place = _updates(project, settings if project == root else read_settings(project))
            others = _runs(place) if place != parent else []
            return replace(_foreign(runs[0], project), others=(*runs[1:], *others))
    return None


def _updates(root: Path, settings: GraphragSettings | None) -> Path:
    """Where a project keeps its updates."""
    return settings.updates if settings is not None and settings.updates is not None else root / _UPDATES


def _project_of(runs: Path) -> Path:
    """The project of a folder of runs: the one above an output or the place of updates, else the folder itself."""
    if runs.name in (OUTPUT_NAME, _UPDATES):
        return runs.parent
    settings = read_settings(runs.parent)
    return runs.parent if settings is not None and settings.updates == runs else runs


def _runs(parent: Path) -> list[Path]:
    """The folders with tables of timestamped runs: complete ones first, of these the newest."""
    found = []
    try:
        entries = sorted(parent.iterdir(), reverse=True)
    except OSError:
        return []
    for entry in entries:
        if not entry.is_dir() or entry.is_symlink():
            continue
        for output in (entry, entry / _ARTIFACTS, *(entry / part for part in _PARTS)):
            tables = find_tables(output)
            if tables:
                found.append((not _is_whole(tables), output))
    return [output for _, output in sorted(found, key=lambda item: item[0])]


def _is_whole(tables: Mapping[str, TableFile]) -> bool:
    """Whether a run was finished. Its communities may stand with the nodes, as before 0.5."""
    sound = {name for name, file in tables.items() if not file_fault(file.path, file.kind)}
    return sound.issuperset(_WHOLE) and not sound.isdisjoint(("communities", NODES))


def _of_output(output: Path) -> Located:
    home = output.parent
    if output.name == OUTPUT_NAME and (home / FILE_NAME).is_file():
        found = _in_home(home, None)
        if found is not None:
            return found
    if output.name == _ARTIFACTS:  # of one run among others
        runs = output.parent.parent
        project = runs.parent if runs.name == OUTPUT_NAME else output.parent
        return replace(_foreign(output, project), others=tuple(run for run in _runs(runs) if run != output))
    if output.name in _PARTS and _project_of(runs := output.parent.parent) != runs:
        return replace(_foreign(output, runs.parent), others=tuple(run for run in _runs(runs) if run != output))
    others: tuple[Path, ...] = ()
    if output.name == OUTPUT_NAME:
        others = (*_runs(output), *_runs(_updates(output.parent, read_settings(output.parent))))
    return replace(_foreign(output, output.parent if output.name == OUTPUT_NAME else output), others=others)


def _in_home(home: Path, folder: Path | None) -> Located | None:
    if not (home / FILE_NAME).is_file():
        return None
    output = home / OUTPUT_NAME
    if not table_files(output) and table_files(home / OLD_NAME):
        output = home / OLD_NAME
    if not table_files(output):
        return None
    if folder is None:
        folder = _folder_of(home)
    return Located(name=(folder or home).name, folder=folder, output=output, home=home, foreign=False)


def _folder_of(home: Path) -> Path | None:
    if home.name == HOME_NAME:
        return home.parent
    try:
        info = load_info(home)
    except DamagedIndexFile:
        return None
    recorded = Path(info.folder) if info is not None and info.folder else None
    return recorded if recorded is not None and recorded.is_dir() else None


def _foreign(output: Path, root: Path) -> Located:
    documents = root / "input"
    return Located(
        name=root.name,
        folder=documents if documents.is_dir() else None,
        output=output,
        home=user_home_for(output),
        foreign=True,
        root=root,
    )


def _none_at(home: Path, path: Path) -> OpenError:
    if (home / FILE_NAME).is_file():
        return OpenError(
            f"The index of {path} was begun but not finished; start indexing again: it goes on where it stopped."
        )
    return OpenError(f"{path} holds no index; make one with: graphrag-explorer index {path}")
