"""Tables that say too little: communities that name nobody, tables without a row, rows that csv loses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.health.doctor import check_index
from explorer.health.report import Defect

ENTITIES = {"id": ["a", "b"], "human_readable_id": [0, 1], "title": ["ALMA", "BRUNO"], "description": ["x", "y"]}
LINKS = {"id": ["r"], "human_readable_id": [0], "source": ["ALMA"], "target": ["BRUNO"], "weight": [1.0]}


def defects(folder: Path, **tables: dict[str, Any]) -> dict[str, Defect]:
    for name, columns in {"entities": ENTITIES, "relationships": LINKS, **tables}.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return {defect.kind: defect for defect in check_index(folder).defects}


def test_entities_are_in_no_community_because_none_names_any(tmp_path: Path) -> None:
    found = defects(tmp_path, communities={"community": [0], "level": [0], "parent": [-1], "title": ["K"]})
    assert found["entity_without_community"].count == 2
    assert "no community names any entity" in found["entity_without_community"].example


def test_a_table_without_a_row_beside_entities_is_told(tmp_path: Path) -> None:
    nothing = {"community": pa.array([], pa.int64()), "entity_ids": pa.array([], pa.list_(pa.string()))}
    found = defects(tmp_path, communities=nothing)
    assert (found["table_empty"].count, found["table_empty"].example) == (
        1, "communities has no row, and there are entities",
    )  # fmt: skip


def test_rows_of_csv_that_fit_no_header_are_counted(tmp_path: Path) -> None:
    defects(tmp_path)
    (tmp_path / "documents.csv").write_text("id,title,text\nd,a.txt,x\ne,b.txt,y,z\nf,c.txt,y,z\n", "utf-8")
    found = {defect.kind: defect for defect in check_index(tmp_path).defects}
    assert found["rows_left_out"].count == 2
    assert "line 3: 4 in place of 3" in found["rows_left_out"].example
