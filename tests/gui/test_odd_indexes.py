"""What the window says of an index made elsewhere: its version, counts of one as one, names of a million letters."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.gui.places.communities.markup import highlighted, name_pattern
from explorer.gui.places.documents.made import facts_of
from explorer.gui.places.health.place import _run_words
from explorer.gui.widgets.status_bar import made_by
from explorer.gui.words import counts
from explorer.tables.index import open_index


def test_the_version_of_the_tables_is_shown(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"id": ["d"], "title": ["a.txt"], "text": ["x"], "raw_data": ["y"]}), tmp_path / "documents.parquet"
    )
    index = open_index(tmp_path)
    assert made_by(index) == "made by GraphRAG 3 · opened read-only"
    facts = dict(facts_of(index))
    assert facts["Made by"] == "GraphRAG 3 · opened read-only"
    assert facts["Contents"] == "1 document"


def test_tables_without_a_known_version_are_said_to_be_so() -> None:
    words = made_by(SimpleNamespace(info=None, foreign=True, version_words="an unknown version"))
    assert words == "made by an unknown version · opened read-only"


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("documents", "1 document"), ("text_units", "1 text unit"), ("entities", "1 entity"),
        ("claims_of_no_entity", "1 claim of no entity"), ("communities_without_text", "1 community without text"),
        ("text_units_failed", "1 text unit failed"),
    ],
)  # fmt: skip
def test_one_of_a_kind_is_in_the_singular(name: str, one: str) -> None:
    assert counts({name: 1}) == one
    assert counts({name: 2}) == f"2 {name.replace('_', ' ')}"
    assert counts({name: 0}) == ""


def test_a_name_of_millions_of_letters_is_not_looked_for() -> None:
    assert name_pattern(["Wort " * 600_000]) is None
    assert highlighted("ALMA lives.", ["Wort " * 600_000, "ALMA"]) == '<span class="hit"><b>ALMA</b></span> lives.'


def test_runs_are_named_by_their_time() -> None:
    update = Path("project/update_output/20240201-000000")
    assert [_run_words(update / part) for part in ("previous", "delta")] == [
        "20240201-000000, previous", "20240201-000000, delta",
    ]  # fmt: skip
    assert _run_words(Path("output/20240201-000000/artifacts")) == "20240201-000000"
