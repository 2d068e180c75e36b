"""The Health place: tables, defects and losses of real indexes as the user reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, Qt, QUrl

from explorer.gui.dropping import dropped_path
from tests.gui.conftest import MakeWindow

PATIENCE = 120_000


def texts(model: Any) -> list[list[str]]:
    cells = [[model.index(row, column) for column in range(model.columnCount())] for row in range(model.rowCount())]
    return [[model.data(cell, Qt.ItemDataRole.DisplayRole) for cell in row] for row in cells]


def test_an_index_of_another_maker(make_window: MakeWindow, qtbot: Any, shared: Path) -> None:
    window = make_window()
    place = window.place("health")
    window.show_place("health")
    assert "Open a folder" in place.defects.empty.label.text()
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(shared / "indexes/microsoft/verbs-v3.1.2")
    window.show_place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    tables = {row[0]: row for row in texts(place.tables.model)}
    assert tables["entities"][1:3] == ["✓ read", "529"]
    assert "GraphRAG 3" in place.tables.figure.text()
    losses = {row[0]: row for row in texts(place.losses.model)}
    assert losses["Claims that no report was written from"][1:3] == ["406", "406"]
    defects = {row[0]: row for row in texts(place.defects.model)}
    assert defects["Related entities in no community"][1] == "24"
    assert defects["Entity without a relationship"][1] == "1"
    assert all(row[2] and row[3] for row in defects.values())  # each has an example and a remedy


def test_an_index_of_empty_tables_is_as_unsound_as_doctor_says(
    make_window: MakeWindow, qtbot: Any, shared: Path
) -> None:
    window = make_window()
    place = window.place("health")
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(shared / "indexes/broken/zero_rows")
    window.show_place("health")
    qtbot.waitUntil(lambda: place.defects.model.rowCount() > 0, timeout=PATIENCE)
    ((kind, number, *_),) = texts(place.defects.model)
    assert (kind, number) == ("Tables without a row", "6")


def test_a_file_in_place_of_an_index_is_said_to_be_a_file(make_window: MakeWindow, qtbot: Any, tmp_path: Path) -> None:
    file = tmp_path / "stave-1.txt"
    file.write_text("Marley was dead.")
    window = make_window()
    with qtbot.waitSignal(window.session.failed, timeout=PATIENCE) as signal:
        window.session.open_path(file)
    assert "stave-1.txt is a file; give the folder" in signal.args[0]


def test_a_broken_table_is_named_and_checked_again(
    make_window: MakeWindow, qtbot: Any, shared: Path, tmp_path: Path
) -> None:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(b"" if path.name == "entities.parquet" else path.read_bytes())
    window = make_window()
    place = window.place("health")
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(tmp_path)
    window.show_place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    state = {row[0]: row for row in texts(place.tables.model)}["entities"]
    assert "unreadable" in state[1] and "0 bytes" in state[3]
    (tmp_path / "entities.parquet").write_bytes(
        (shared / "indexes/microsoft/dulce-v3.0.0/entities.parquet").read_bytes()
    )
    window.registry.get("health.check").trigger()
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0 and _read(place)(), timeout=PATIENCE)


def _read(place: Any) -> Callable[[], bool]:
    return lambda: {row[0]: row for row in texts(place.tables.model)}["entities"][1] == "✓ read"


def test_another_run_is_listed_and_opens(make_window: MakeWindow, qtbot: Any, shared: Path, tmp_path: Path) -> None:
    runs = [tmp_path / "output" / name / "artifacts" for name in ("20240701-101010", "20240801-101010")]
    for run in runs:
        run.mkdir(parents=True)
        for path in (shared / "indexes/microsoft/dulce-v0.1.1").glob("*.parquet"):
            (run / path.name).write_bytes(path.read_bytes())
    window = make_window()
    place = window.place("health")
    action = window.registry.get("health.other_run")
    assert not action.isEnabled()
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(tmp_path)
    window.show_place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    assert window.session.index.output == runs[1]
    assert "GraphRAG 0.1 to 0.4" in place.tables.figure.text()
    assert str(runs[0]) in place.remarks.text()
    action.trigger()
    assert [entry.text() for entry in place.runs.actions()] == ["20240701-101010"]
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        place.runs.actions()[0].trigger()
    place.runs.hide()
    assert window.session.index.output == runs[0]
    assert [entry.text() for entry in place.runs.actions()] == ["20240801-101010"]
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)


def test_communities_are_found_where_there_are_none(
    make_window: MakeWindow, qtbot: Any, shared: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in (shared / "indexes/broken/only_entities_relationships").glob("*.parquet"):
        (bare / path.name).write_bytes(path.read_bytes())
    before = {path: path.read_bytes() for path in bare.iterdir()}
    window = make_window()
    communities = window.place("communities")
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(bare)
    window.show_place("communities")
    assert "no communities" in communities.nothing.headline.text()
    assert communities.nothing.find.isVisible() and communities.nothing.find.isEnabled()
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        communities.nothing.find.click()
    assert window.session.index.levels[0] == 0 and len(window.session.index.communities) > 1
    assert not window.registry.get("index.cluster").isEnabled()
    window.show_place("health")
    place = window.place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    row = {row[0]: row for row in texts(place.tables.model)}["communities"]
    assert row[1] == "✓ read" and "found by this program" in row[3]
    assert {path: path.read_bytes() for path in bare.iterdir()} == before
    qtbot.waitUntil(lambda: not window.session.laying, timeout=PATIENCE)


def test_a_table_that_is_dropped_opens_its_index(
    make_window: MakeWindow, qtbot: Any, shared: Path, tmp_path: Path
) -> None:
    data = QMimeData()
    output = shared / "indexes/microsoft/dulce-v3.0.0"
    data.setUrls([QUrl.fromLocalFile(str(output / "entities.parquet"))])
    assert dropped_path(data) == output
    data.setUrls([QUrl.fromLocalFile(str(output))])
    assert dropped_path(data) == output
    (tmp_path / "settings.yaml").write_text("output_storage:\n  base_dir: ../elsewhere\n")
    window = make_window()
    with qtbot.waitSignal(window.session.failed, timeout=PATIENCE) as said:
        window.open_path(tmp_path)
    assert "../elsewhere" in said.args[0]
