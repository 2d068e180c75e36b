"""Reports that are too long, stale or ambiguous, each made by hand from a sound index."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.health.doctor import check_index
from explorer.health.report import Defect


@pytest.fixture
def copied(shared: Path, tmp_path: Path) -> Path:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def defects(folder: Path) -> dict[str, Defect]:
    return {defect.kind: defect for defect in check_index(folder).defects}


def change(folder: Path, table: str, column: str, row: int, value: object) -> None:
    frame = pd.read_parquet(folder / f"{table}.parquet")
    frame.loc[frame.index[row], column] = value
    frame.to_parquet(folder / f"{table}.parquet")


def test_the_sound_index_has_none_of_these(copied: Path) -> None:
    assert not {"report_longer_than_batch", "stale_report", "ambiguous_citation"} & set(defects(copied))


def test_a_report_longer_than_a_batch(copied: Path) -> None:
    change(copied, "community_reports", "full_content", 0, "# Long\n\n" + "word " * 12_001)
    found = defects(copied)["report_longer_than_batch"]
    assert found.count == 1 and "tokens" in found.example


def test_a_report_of_another_state_of_its_community(copied: Path) -> None:
    change(copied, "community_reports", "size", 3, 99)
    change(copied, "community_reports", "level", 4, 7)
    found = defects(copied)["stale_report"]
    assert found.count == 2 and "99" in found.example


def test_a_number_that_two_entities_bear(copied: Path) -> None:
    frame = pd.read_parquet(copied / "entities.parquet")
    change(copied, "entities", "human_readable_id", 1, int(frame["human_readable_id"].iloc[0]))
    number = int(frame["human_readable_id"].iloc[0])
    reports = pd.read_parquet(copied / "community_reports.parquet")["full_content"]
    citing = sum(f"Entities ({number})" in text or f"Entities ({number}," in text for text in reports)
    found = defects(copied).get("ambiguous_citation")
    assert found is not None and found.count >= citing > 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("龘" * 6_000, 1),  # two tokens a letter: 12,000 tokens in 6,000 letters
        (" word" * 11_990, 1),  # what its columns and the header add is over the limit
        (" word" * 11_900, 0),
    ],
)
def test_a_batch_is_as_long_as_its_tokens_and_its_columns(copied: Path, text: str, count: int) -> None:
    change(copied, "community_reports", "full_content", 0, text)
    found = defects(copied).get("report_longer_than_batch")
    assert (found.count if found else 0) == count


def test_a_batch_is_as_long_as_the_settings_of_the_project_say(copied: Path) -> None:
    (copied / "settings.yaml").write_text("global_search:\n  max_context_tokens: 60000\n")
    change(copied, "community_reports", "full_content", 0, " word" * 13_000)
    assert "report_longer_than_batch" not in defects(copied)


def test_a_report_with_another_parent_or_other_children_is_stale(copied: Path) -> None:
    path = copied / "community_reports.parquet"
    table = pq.read_table(path)
    parents, children = table["parent"].to_pylist(), table["children"].to_pylist()
    below = next(place for place, parent in enumerate(parents) if parent != -1)
    above = next(place for place, found in enumerate(children) if found)
    was = parents[below]
    parents[below] = -1
    children[above] = children[above][:-1]
    for name, values in (("parent", parents), ("children", children)):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), pa.array(values, table.schema.field(name).type))
    pq.write_table(table, path)
    found = defects(copied)["stale_report"]
    assert found.count == len({above, below})
    assert (f"parent -1 instead of {was}" if below <= above else "children") in found.example


def test_reports_without_parents_and_children_are_not_stale(copied: Path) -> None:
    """As versions before 1.0 wrote them: what a table does not tell contradicts nothing."""
    path = copied / "community_reports.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["parent", "children"]), path)
    assert "stale_report" not in defects(copied)


def test_children_in_another_order_are_the_same(copied: Path) -> None:
    path = copied / "community_reports.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("children")
    turned = [found[::-1] for found in table["children"].to_pylist()]
    pq.write_table(table.set_column(place, "children", pa.array(turned, table.schema.field("children").type)), path)
    assert "stale_report" not in defects(copied)
