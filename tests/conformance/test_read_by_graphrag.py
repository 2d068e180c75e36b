"""What this program writes is read and queried by graphrag itself.

`query_with_graphrag.py` lets graphrag 3.3 do it, where GRAPHRAG_PYTHON names an interpreter that has it. Everywhere our
contexts of the indexes that it recorded are compared with what graphrag sent of the same indexes to its model.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from explorer.analysts.offline.vectors import why_not
from explorer.base.token_cache import TokenCounter
from explorer.tables.columns import GRAPHRAG_TABLES, schema
from explorer.tables.index import Index, open_index
from tests.conformance import own_side
from tests.conformance.schema_3 import wrong_arrow, wrong_frame, wrong_types

RECORDED = Path(__file__).parent / "recorded" / "own"
CASES = ("offline", "claims", "awkward")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("case", CASES)
def test_graphrag_reads_and_queries_what_we_write(case: str) -> None:
    python = os.environ.get("GRAPHRAG_PYTHON", "")
    if not python:
        pytest.skip("GRAPHRAG_PYTHON names no interpreter that has graphrag 3.3")
    if why_not():
        pytest.skip("the offline model that makes the vectors is not installed")
    command = [sys.executable, "-m", "tests.conformance.query_with_graphrag", "--python", python, "--case", case]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_700)
    wrong = [line for line in done.stdout.splitlines() if line.startswith("WRONG")]
    assert done.returncode == 0, "\n".join(wrong) or done.stderr[-3_000:]


@cache
def recorded(case: str) -> dict[str, Any]:
    return dict(json.loads((RECORDED / case / "graphrag.json").read_text("utf-8")))


@cache
def index_of(case: str) -> Index:
    return open_index(RECORDED / case)


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter("cl100k_base")  # with which graphrag's command line counts for the model that it was given


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@pytest.mark.parametrize("case", CASES)
def test_local_context_is_what_graphrag_sent(case: str, counter: TokenCounter) -> None:
    wanted = recorded(case)["local"]
    text, rows = own_side.local(index_of(case), wanted["ids"], counter)
    assert (len(text), sha(text)) == (wanted["length"], wanted["sha256"])
    assert rows == wanted["rows"]


@pytest.mark.parametrize("case", CASES)
def test_basic_context_is_what_graphrag_sent(case: str, counter: TokenCounter) -> None:
    wanted = recorded(case)["basic"]
    text, rows = own_side.basic(index_of(case), wanted["ids"], counter)
    assert (len(text), sha(text)) == (wanted["length"], wanted["sha256"])
    assert rows == wanted["rows"]


@pytest.mark.parametrize("case", CASES)
def test_batches_and_points_are_what_graphrag_sent(case: str, counter: TokenCounter) -> None:
    wanted = recorded(case)["global"]
    texts = own_side.batches(index_of(case), counter)
    assert [{"length": len(text), "sha256": sha(text)} for text in texts] == wanted["batches"]
    data = own_side.reduce_data(wanted["replies"], counter)
    assert {"length": len(data), "sha256": sha(data)} == wanted["reduce"]


@pytest.mark.parametrize("case", CASES)
def test_rows_are_those_that_graphrag_works_with(case: str) -> None:
    ours = {name: sha(json.dumps(rows, sort_keys=True)) for name, rows in own_side.adapted(index_of(case)).items()}
    assert ours == recorded(case)["adapted"]


def test_claims_were_read_and_sent() -> None:
    assert recorded("claims")["local"]["rows"]["claims"] > 0


@pytest.mark.parametrize("case", CASES)
def test_frames_had_the_types_of_the_schema(case: str) -> None:
    for name, dtypes in recorded(case)["dtypes"].items():
        assert wrong_frame(name, dtypes) == []


@pytest.mark.parametrize("name", GRAPHRAG_TABLES)
def test_tables_are_written_with_the_types_of_the_schema(name: str) -> None:
    ours = schema(name)
    assert wrong_arrow(name, {field.name: str(field.type) for field in ours}) == []


@pytest.mark.parametrize("case", CASES)
def test_recorded_tables_have_the_types_of_the_schema(case: str) -> None:
    for path in sorted((RECORDED / case / "output").glob("*.parquet")):
        assert wrong_arrow(path.stem, {field.name: str(field.type) for field in pq.read_schema(path)}) == []


def test_a_wrong_type_is_seen() -> None:
    """What the check says of a frame that is not as it should be: it must not be blind."""
    columns = ["id", "human_readable_id", "title", "type", "description", "text_unit_ids", "frequency", "degree"]
    text, numbers = "str", {"human_readable_id", "frequency", "degree"}
    table = {
        "columns": columns,
        "arrow": {name: "int64" if name in numbers else "string" for name in columns},
        "dtypes": {name: "float64" if name in numbers else text for name in columns},
        "kinds": {name: ["float", "null"] if name in numbers else [text] for name in columns},
    }
    wrong = wrong_types("entities", table)
    assert "text_unit_ids is string in the file" in wrong
    assert "degree is float64 in the frame" in wrong
    assert "degree holds float, null" in wrong
    assert len(wrong) == 9
    assert wrong_types("entities", {**table, "columns": columns[::-1]}) == [f"columns {columns[::-1]}"]
