"""Where an index is: from what a person points at to the folder with its tables and the place for what we add."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from explorer.base.errors import OpenError
from explorer.base.paths import HOME_NAME, user_home_for
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index_file import FILE_NAME, DamagedIndexFile, load_info

OUTPUT_NAME = "output"
OLD_NAME = "output.old"  # the tables before the last run, for the moment in which a run exchanges them
_SETTINGS = ("settings.yaml", "settings.yml", "settings.json")


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


def locate(path: Path, index_dir: Path | None = None) -> Located:
    """Find the index that `path` means: a folder of documents, a home, an `output/`, or a project root.

    Tables in the folder itself win over a settings file beside them, that over documents. `index_dir` is the home
    of an index that is not in its folder. Raises OpenError in one sentence where there is no index or where the
    folder may not be read.
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
    if path.is_file() and path.suffix == ".parquet":
        path = path.parent
    if not path.is_dir():
        raise OpenError(f"There is no folder or index at {path}; check the path.")
    if table_files(path):
        return _of_output(path)
    if any((path / name).is_file() for name in _SETTINGS) and table_files(path / OUTPUT_NAME):
        return _foreign(path / OUTPUT_NAME, path)
    for home in (path, path / HOME_NAME, user_home_for(path)):
        found = _in_home(home, None if home == path else path)
        if found is not None:
            return found
    if table_files(path / OUTPUT_NAME):
        return _foreign(path / OUTPUT_NAME, path)
    raise _none_at(path / HOME_NAME, path)


def table_files(output: Path) -> dict[str, Path]:
    """The table files in a folder by table name; the case of file names does not matter. {} for no folder."""
    wanted = {f"{name}.parquet": name for name in GRAPHRAG_TABLES}
    try:
        entries = sorted(output.iterdir())
    except OSError:
        return {}
    return {wanted[entry.name.lower()]: entry for entry in entries if entry.name.lower() in wanted and entry.is_file()}


def _of_output(output: Path) -> Located:
    home = output.parent
    if output.name == OUTPUT_NAME and (home / FILE_NAME).is_file():
        found = _in_home(home, None)
        if found is not None:
            return found
    return _foreign(output, output.parent if output.name == OUTPUT_NAME else output)


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
    )


def _none_at(home: Path, path: Path) -> OpenError:
    if (home / FILE_NAME).is_file():
        return OpenError(
            f"The index of {path} was begun but not finished; start indexing again: it goes on where it stopped."
        )
    for output in (path, path / OUTPUT_NAME):
        if output.is_dir() and any(output.glob("create_final_*.parquet")):
            return OpenError(
                f"{output} holds tables of GraphRAG before 2.0, which this version cannot read yet; "
                "nothing was changed."
            )
    return OpenError(f"{path} holds no index; make one with: graphrag-explorer index {path}")
