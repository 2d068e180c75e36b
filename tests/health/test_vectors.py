"""doctor on vectors: whether they are there, whose they are, whether they fit the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.health.doctor import check_index, check_machine
from explorer.health.report import CheckUp, TableLine
from explorer.indexing.run import index_folder
from explorer.indexing.vectors import make_vectors
from tests.indexing.fake_embedder import FakeEmbedder
from tests.indexing.folders import TEXTS, make_folder
from tests.indexing.plain_analyst import PlainAnalyst


def line(found: CheckUp) -> TableLine:
    (vectors,) = (line for line in found.tables if line.name == "vectors")
    return vectors


def test_whose_vectors_are_there(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "folder")
    home = tmp_path / "home"
    index_folder(folder, home=home, analyst=PlainAnalyst())
    found = check_index(home)
    assert line(found).state == "missing"
    assert not [defect for defect in found.defects if "vectors" in defect.kind]  # they are optional
    summary = make_vectors(home, FakeEmbedder())
    found = check_index(home)
    assert (line(found).state, line(found).rows) == ("read", sum(summary.rows.values()))
    assert line(found).reason.startswith("letters (a connection, 4 numbers each): text_unit_text ")
    assert not [defect for defect in found.defects if "vectors" in defect.kind]
    make_folder(folder, {**TEXTS, "alone.txt": "here is nobody but Jan."})
    index_folder(folder, home=home, analyst=PlainAnalyst())
    (defect,) = (defect for defect in check_index(home).defects if "vectors" in defect.kind)
    # Two texts are new (the file's text unit, its one entity), and two that stood there went.
    assert (defect.kind, defect.count) == ("vectors_stale", 4)


def test_damaged_vectors(tmp_path: Path) -> None:
    home = tmp_path / "home"
    index_folder(make_folder(tmp_path / "folder"), home=home, analyst=PlainAnalyst())
    make_vectors(home, FakeEmbedder())
    for path in (home / "output" / "lancedb" / "entity_description.lance" / "_versions").iterdir():
        path.unlink()
    found = check_index(home)
    assert line(found).state == "unreadable"
    assert "vectors_unreadable" in [defect.kind for defect in found.defects]


def test_vectors_of_another_program(shared: Path) -> None:
    found = check_index(shared / "indexes" / "microsoft" / "dulce-v3.0.0")
    assert line(found).rows == 5 + 39 + 10
    assert line(found).reason.startswith("of another program (3072 numbers each)")


def test_a_machine_without_the_offline_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHRAG_EXPLORER_MINILM", "/nowhere/model.onnx")
    assert "offline_vectors_missing" in [defect.kind for defect in check_machine().defects]
