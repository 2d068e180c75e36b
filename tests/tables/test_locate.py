"""Where INDEX points: the folder, its home, an output, a project root, and which of them wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.base.errors import OpenError
from explorer.base.paths import HOME_NAME, user_home_for
from explorer.tables.index import open_index
from explorer.tables.index_file import IndexInfo, load_info, save_info
from explorer.tables.locate import locate
from explorer.tables.write import write_table

ENTITY = {"id": "e", "human_readable_id": 0, "title": "ALPHA", "type": "", "description": ""}


def make_home(home: Path, **fields: object) -> Path:
    write_table(home / "output", "entities", [ENTITY])
    save_info(home, IndexInfo(created="2026-01-02", complete=True, **fields))  # type: ignore[arg-type]
    return home


def make_output(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"title": ["BETA"]}), folder / "entities.parquet")
    return folder


def test_folder_home_and_output_mean_the_same_index(tmp_path: Path) -> None:
    home = make_home(tmp_path / HOME_NAME)
    for path in (tmp_path, home, home / "output"):
        found = locate(path)
        assert (found.folder, found.home, found.output, found.foreign) == (tmp_path, home, home / "output", False)


def test_tables_in_the_folder_win_over_settings_and_those_over_documents(tmp_path: Path) -> None:
    home = make_home(tmp_path / HOME_NAME)
    assert locate(tmp_path).output == home / "output"
    make_output(tmp_path / "output")
    assert locate(tmp_path).output == home / "output"  # without settings it is only a folder named output
    (tmp_path / "settings.yaml").write_text("models: {}\n")
    assert locate(tmp_path).output == tmp_path / "output"
    make_output(tmp_path)
    assert locate(tmp_path).output == tmp_path


def test_a_home_with_settings_for_graphrag_in_it_is_still_ours(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    (home / "settings.yaml").write_text("completion_models: {}\n")
    (home / "logs").mkdir()
    for path in (home, home / "output"):
        found = locate(path)
        assert (found.home, found.output, found.foreign) == (home, home / "output", False)
    assert open_index(home).info == load_info(home)


def test_index_dir_takes_the_place_of_the_home(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "documents", tmp_path / "elsewhere"
    folder.mkdir()
    make_home(folder / HOME_NAME)
    make_home(elsewhere, folder=str(folder))
    found = locate(folder, elsewhere)
    assert (found.home, found.folder) == (elsewhere, folder)
    assert locate(elsewhere).folder == folder  # index.json remembers it
    with pytest.raises(OpenError):
        locate(folder, tmp_path / "nowhere")


def test_the_index_of_a_read_only_folder_is_with_the_user(tmp_path: Path) -> None:
    home = make_home(user_home_for(tmp_path))
    assert locate(tmp_path).home == home


def test_a_kill_between_the_two_renames_leaves_the_old_tables_to_be_read(tmp_path: Path) -> None:
    home = make_home(tmp_path / HOME_NAME)
    (home / "output").rename(home / "output.old")
    assert [row.title for row in open_index(tmp_path).entities] == ["ALPHA"]


def test_a_foreign_index_keeps_what_we_add_with_the_user(tmp_path: Path) -> None:
    output = make_output(tmp_path / "project" / "output")
    index = open_index(output)
    assert index.foreign and index.home == user_home_for(output)
    assert index.name == "project"


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda path: None, "no folder or index"),
        (lambda path: path.mkdir(), "holds no index"),
        (lambda path: save_info(path / HOME_NAME, IndexInfo(created="2026-01-02")), "not finished"),
    ],
)
def test_what_is_no_index_is_said_in_one_sentence(tmp_path: Path, prepare: object, words: str) -> None:
    path = tmp_path / "x"
    prepare(path)  # type: ignore[operator]
    with pytest.raises(OpenError, match=words) as error:
        open_index(path)
    assert "\n" not in error.value.sentence


def _copy_run(source: Path, target: Path, *, without: str = "") -> None:
    target.mkdir(parents=True)
    for path in source.glob("*.parquet"):
        if not without or without not in path.name:
            (target / path.name).write_bytes(path.read_bytes())


def test_of_several_runs_the_newest_complete_one_opens_and_the_others_are_named(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes/microsoft/dulce-v0.1.1"
    output = tmp_path / "output"
    _copy_run(source, output / "20240701-101010" / "artifacts")
    _copy_run(source, output / "20240801-101010" / "artifacts")
    _copy_run(source, output / "20240901-101010" / "artifacts", without="community_reports")
    for given in (tmp_path, output):
        index = open_index(given)
        assert index.output == output / "20240801-101010" / "artifacts"
        assert [path.parent.name for path in index.others] == ["20240701-101010", "20240901-101010"]
    one = open_index(output / "20240701-101010")
    assert one.output == output / "20240701-101010" / "artifacts" and one.others == ()
    opened = open_index(output / "20240701-101010" / "artifacts")  # as the window opens one of the others
    assert opened.name == tmp_path.name
    assert [path.parent.name for path in opened.others] == ["20240801-101010", "20240901-101010"]


def test_a_newer_schema_is_refused_in_one_sentence(tmp_path: Path) -> None:
    home = make_home(tmp_path / HOME_NAME)
    raw = json.loads((home / "index.json").read_text())
    (home / "index.json").write_text(json.dumps({**raw, "schema_version": 99, "shape": "unheard of"}))
    with pytest.raises(OpenError, match="newer version") as error:
        open_index(tmp_path)
    assert "99" in error.value.sentence and "\n" not in error.value.sentence


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema_version": "?"}', "\x00\x01"])
def test_a_damaged_index_file_leaves_the_tables_readable(tmp_path: Path, text: str) -> None:
    home = make_home(tmp_path / HOME_NAME)
    (home / "index.json").write_text(text)
    index = open_index(tmp_path)
    assert len(index.entities) == 1 and index.info is None
    assert index.state("index.json").state == "unreadable"


def test_index_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    info = IndexInfo(created="2026-01-02", seed=7, levels={0: 3, 1: 5}, counts={"entities": 9}, complete=True)
    save_info(tmp_path, info)
    assert load_info(tmp_path) == info
    assert load_info(tmp_path / "none") is None


def test_a_run_with_a_table_of_no_bytes_is_not_complete(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes/microsoft/dulce-v0.1.1"
    _copy_run(source, tmp_path / "output" / "20240701-101010" / "artifacts")
    _copy_run(source, tmp_path / "output" / "20240801-101010" / "artifacts")
    (tmp_path / "output/20240801-101010/artifacts/create_final_entities.parquet").write_bytes(b"")
    index = open_index(tmp_path)
    assert index.output == tmp_path / "output" / "20240701-101010" / "artifacts"
    assert [path.parent.name for path in index.others] == ["20240801-101010"]


def test_runs_beside_the_tables_of_an_output_are_named(shared: Path, tmp_path: Path) -> None:
    _copy_run(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "output")
    _copy_run(shared / "indexes/microsoft/dulce-v0.1.1", tmp_path / "output" / "20240701-101010" / "artifacts")
    for given in (tmp_path, tmp_path / "output"):
        index = open_index(given)
        assert index.output == tmp_path / "output"
        assert [path.parent.name for path in index.others] == ["20240701-101010"]


def test_the_settings_name_the_folder_of_the_runs(shared: Path, tmp_path: Path) -> None:
    _copy_run(shared / "indexes/microsoft/dulce-v0.1.1", tmp_path / "results" / "20240701-101010" / "artifacts")
    (tmp_path / "settings.yaml").write_text('storage:\n  base_dir: "results/${timestamp}/artifacts"\n')
    assert open_index(tmp_path).output == tmp_path / "results" / "20240701-101010" / "artifacts"


def test_an_output_outside_its_project_is_said_and_not_followed(shared: Path, tmp_path: Path) -> None:
    _copy_run(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "elsewhere")
    (tmp_path / "project" / "input").mkdir(parents=True)
    (tmp_path / "project" / "settings.yaml").write_text("output_storage:\n  base_dir: ../elsewhere\n")
    with pytest.raises(OpenError, match=r"\.\./elsewhere") as error:
        open_index(tmp_path / "project")
    assert "Open that folder" in error.value.sentence


def test_folders_and_links_named_like_tables_are_named(shared: Path, tmp_path: Path) -> None:
    _copy_run(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "output", without="entities")
    (tmp_path / "output/entities.parquet").mkdir()
    (tmp_path / "output/covariates.parquet").unlink()
    (tmp_path / "output/covariates.parquet").symlink_to(tmp_path / "output/covariates.parquet")
    index = open_index(tmp_path)
    assert index.state("entities").reason == "entities.parquet is a folder, not a file"
    assert index.state("covariates").reason == "covariates.parquet is a link that leads nowhere"
    assert len(index.relationships) == 107


@pytest.mark.parametrize("closed", ["project", "project/output"])
def test_a_folder_that_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str) -> None:
    """Refused here by hand: for the superuser no folder is closed."""
    (tmp_path / "project" / "output").mkdir(parents=True)
    (tmp_path / "project" / "settings.yaml").write_text("output: {base_dir: output}\n")
    listing = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        if path == tmp_path / closed:
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(OpenError, match="Permission denied"):
        open_index(tmp_path / "project")


def test_a_project_whose_output_is_a_loop_is_said(tmp_path: Path) -> None:
    (tmp_path / "output").symlink_to(tmp_path / "output")
    with pytest.raises(OpenError, match="cannot be read"):
        open_index(tmp_path)


def test_the_settings_name_the_folder_of_the_updates(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes/microsoft/dulce-v3.0.0"
    for place in ("output", "changes/20260102-000000/delta", "changes/20260102-000000/previous"):
        _copy_run(source, tmp_path / place)
    (tmp_path / "settings.yaml").write_text("update_output_storage:\n  base_dir: changes\n")
    expected = {tmp_path / "changes/20260102-000000" / part for part in ("delta", "previous")}
    assert set(locate(tmp_path).others) == expected
    assert set(locate(tmp_path / "output").others) == expected
    inside = locate(tmp_path / "changes/20260102-000000/delta")
    assert inside.root == tmp_path and inside.others == (tmp_path / "changes/20260102-000000/previous",)


def test_updates_outside_the_project_are_not_followed(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes/microsoft/dulce-v3.0.0"
    _copy_run(source, tmp_path / "project/output")
    _copy_run(source, tmp_path / "changes/20260102-000000/delta")
    (tmp_path / "project/settings.yaml").write_text("update_output_storage:\n  base_dir: ../changes\n")
    assert locate(tmp_path / "project").others == ()


def test_the_nodes_alone_open_and_what_is_missing_is_said(shared: Path, tmp_path: Path) -> None:
    name = "create_final_nodes.parquet"
    (tmp_path / name).write_bytes((shared / "indexes/microsoft/verbs-v0.5.0" / name).read_bytes())
    index = open_index(tmp_path)
    assert len(index.communities) == 33  # as the table of communities of that index has
    missing = {state.name for state in index.tables if state.state == "missing"}
    assert {"entities", "relationships", "community_reports", "text_units", "documents"} <= missing
