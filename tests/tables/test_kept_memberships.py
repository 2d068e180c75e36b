"""The memberships that are kept of a large index are those of its tables, or are read again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.tables import kept_memberships
from explorer.tables.index import Index, open_index
from explorer.tables.memberships import Memberships


@pytest.fixture
def output(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_memberships, "_WORTH", 1)
    return Path(shutil.copytree(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "output"))


def by_hand(output: Path) -> dict[int, int]:
    """In how many text units the entities of each community stand, from the tables alone."""
    units = dict(
        zip(*(pq.read_table(output / "entities.parquet")[name].to_pylist() for name in ("id", "text_unit_ids")))
    )
    table = pq.read_table(output / "communities.parquet")
    found = {
        number: len({unit for entity in members for unit in units[entity]})
        for number, members in zip(table["community"].to_pylist(), table["entity_ids"].to_pylist(), strict=True)
    }
    return {number: count for number, count in found.items() if count}


def counts(index: Index) -> dict[int, int] | None:
    assert index.memberships is not None
    return index.memberships.units_of([row.community for row in index.communities], None)


def never(index: Index) -> Memberships | None:
    raise AssertionError("the tables are read although nothing of them changed")


def test_what_is_kept_is_what_was_read(output: Path) -> None:
    first = open_index(output)
    assert counts(first) == by_hand(output)
    assert (first.home / kept_memberships.KEPT).is_file()
    again = kept_memberships.kept_memberships(open_index(output), never)
    assert again is not None and first.memberships is not None
    assert again.known == first.memberships.known
    for name in ("number", "level", "place", "entity", "unit_start", "unit", "unit_counts"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first.memberships, name))


def test_a_changed_table_is_read_again(output: Path) -> None:
    counts(open_index(output))
    table = pq.read_table(output / "entities.parquet")
    at = table.column_names.index("text_unit_ids")
    none = pa.array([[] for _ in range(table.num_rows)], type=table.schema.field(at).type)
    pq.write_table(table.set_column(at, table.schema.field(at), none), output / "entities.parquet")
    os.utime(output / "entities.parquet", (1, 1))
    assert counts(open_index(output)) == {}


@pytest.mark.parametrize("damage", [b"", b"no numbers", b"PK\x03\x04 cut off"])
def test_what_is_damaged_is_read_again(damage: bytes, output: Path) -> None:
    first = open_index(output)
    counts(first)
    (first.home / kept_memberships.KEPT).write_bytes(damage)
    assert counts(open_index(output)) == by_hand(output)
    assert kept_memberships.kept_memberships(open_index(output), never) is not None


def test_a_small_index_keeps_nothing(shared: Path, tmp_path: Path) -> None:
    output = Path(shutil.copytree(shared / "indexes/microsoft/dulce-v3.0.0", tmp_path / "output"))
    index = open_index(output)
    assert counts(index) == by_hand(output)
    assert not (index.home / kept_memberships.KEPT).exists()
