"""One defect made by hand in a sound index: its name, its count, an example and a remedy; and nothing of it changed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorer.cli import main
from explorer.tables.columns import GRAPHRAG_TABLES
from tests.health.test_index_checks import USUAL

Frames = dict[str, pd.DataFrame]


def _twice(name: str, rows: int) -> Callable[[Frames], None]:
    def change(frames: Frames) -> None:
        frames[name] = pd.concat([frames[name], frames[name].iloc[:rows]], ignore_index=True)

    return change


def _put(name: str, column: str, value: Any, row: int = 0) -> Callable[[Frames], None]:
    def change(frames: Frames) -> None:
        frames[name] = frames[name].astype({column: object})
        frames[name].at[row, column] = value

    return change


def _circle(frames: Frames) -> None:
    numbers = list(frames["communities"]["community"])
    frames["communities"]["parent"] = numbers[1:] + numbers[:1]
    frames["communities"]["children"] = [numbers[-1:], *([number] for number in numbers[:-1])]


def _gap(frames: Frames) -> None:
    for name in ("communities", "community_reports"):
        frames[name]["level"] *= 3


def _ratings(frames: Frames) -> None:
    values = [math.nan, math.inf, -1.0, 11.0]
    frames["community_reports"]["rank"] = (values + [5.0] * 10)[: len(frames["community_reports"])]


def _weights(frames: Frames) -> None:
    values = [math.nan, math.inf, -math.inf, -3.0, 0.0, 1e308, 5e-324]
    frames["relationships"]["weight"] = values + [1.0] * (len(frames["relationships"]) - len(values))


def _no_numbers(frames: Frames) -> None:
    frames["entities"] = frames["entities"].drop(columns="human_readable_id")


CHANGES: dict[str, tuple[Callable[[Frames], None], int, str]] = {
    "duplicate_community": (_twice("communities", 3), 3, "2 times"),
    "duplicate_entity_id": (_twice("entities", 2), 2, "2 times"),
    "duplicate_entity_title": (_twice("entities", 2), 2, "ALEX MERCER"),
    "duplicate_relationship_id": (_twice("relationships", 2), 2, "2 times"),
    "repeated_relationship": (_twice("relationships", 2), 2, "ALEX MERCER"),
    "duplicate_report": (_twice("community_reports", 10), 10, "community"),
    "duplicate_text_unit_id": (_twice("text_units", 2), 2, "2 times"),
    "circular_hierarchy": (_circle, 10, "own ancestor"),
    "level_gap": (_gap, 1, "between level 0 and level 3"),
    "level_not_below_parent": (_put("communities", "level", 7), 3, "parent"),
    "child_of_another": (_put("communities", "children", [1, 2]), 2, "lists"),
    "rows_left_out": (_put("community_reports", "community", None), 1, "1 of 10 rows"),
    "report_without_community": (_put("community_reports", "community", 777), 1, "777"),
    "rating_out_of_range": (_ratings, 3, "inf"),
    "report_without_rating": (_ratings, 1, "community"),
    "weight_not_positive": (_weights, 5, "nan"),
    "entity_without_title": (_put("entities", "title", None), 1, "entity 0"),
    "relationship_without_end": (_put("relationships", "target", None), 1, "relationship 0"),
    "text_unit_without_text": (_put("text_units", "text", None), 1, "text unit 0"),
    "report_without_text": (_put("community_reports", "full_content", None), 1, "community"),
    "report_without_title": (_put("community_reports", "title", None), 1, "community"),
    "no_citation_numbers": (_no_numbers, 1, "entities"),
    "dangling_entity_id": (_put("communities", "entity_ids", ["nobody", "3.0"]), 2, "nobody"),
    "dangling_relationship_id": (_put("communities", "relationship_ids", ["none"]), 1, "none"),
    "dangling_claim_id": (_put("text_units", "covariate_ids", ["none"]), 1, "none"),
    "dangling_document_id": (_put("text_units", "document_id", "none"), 1, "none"),
    "dangling_child": (_put("communities", "children", [99]), 1, "99"),
    "dangling_parent": (_put("communities", "parent", 99), 1, "99"),
    "unresolved_citation": (
        _put("community_reports", "full_content", "x [Data: Entities (999); Claims (888); Sources (0)]"), 2, "999",
    ),
}  # fmt: skip


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() + str(path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("kind", CHANGES)
def test_one_defect_made_by_hand(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    change, count, words = CHANGES[kind]
    sound = shared / "indexes/microsoft/dulce-v3.0.0"
    frames = {name: pd.read_parquet(sound / f"{name}.parquet") for name in GRAPHRAG_TABLES}
    change(frames)
    for name, frame in frames.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    before = content(tmp_path)
    assert main(["doctor", str(tmp_path), "--json"]) == 1
    found = {defect["kind"]: defect for defect in json.loads(capsys.readouterr().out)["defects"]}
    assert found[kind]["count"] == count
    assert words in found[kind]["example"] and found[kind]["remedy"]
    assert kind not in USUAL
    assert content(tmp_path) == before


def test_an_example_is_never_as_long_as_a_title_may_be(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = shared / "indexes/microsoft/dulce-v3.0.0"
    reports = pd.read_parquet(sound / "community_reports.parquet")
    reports["title"] = "X" * 1_000_000
    reports["rank"] = 11.0
    reports.to_parquet(tmp_path / "community_reports.parquet")
    assert main(["doctor", str(tmp_path), "--json"]) == 1
    defects = json.loads(capsys.readouterr().out)["defects"]
    assert "rating_out_of_range" in {defect["kind"] for defect in defects}
    assert max(len(defect["example"]) for defect in defects) <= 320


def test_tables_of_two_runs_side_by_side(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for version in ("dulce-v1.2.0", "dulce-v3.0.0"):
        for path in (shared / "indexes/microsoft" / version).glob("*.parquet"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "community_reports.parquet").unlink()
    main(["doctor", str(tmp_path), "--json"])
    found = {defect["kind"]: defect for defect in json.loads(capsys.readouterr().out)["defects"]}
    assert found["tables_of_two_runs"]["example"].startswith("create_final_community_reports.parquet")


def test_lists_that_were_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "entities.csv").write_text("id,title\n1,A\n2,B\n")
    (tmp_path / "communities.csv").write_text("community,entity_ids\n0,\"['1' ... '2']\"\n1,\"['1', '2\"\n2,['1']\n")
    main(["doctor", str(tmp_path), "--json"])
    found = {defect["kind"]: defect for defect in json.loads(capsys.readouterr().out)["defects"]}
    assert found["list_cut_off"]["count"] == 2


def test_exit_codes(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "entities.csv").write_text("id,title\n")
    assert main(["doctor", str(shared / "indexes/broken/zero_rows")]) == 1
    assert main(["doctor", str(tmp_path)]) == 1  # all other tables are missing
    (tmp_path / "entities.csv").write_text("")
    assert main(["doctor", str(tmp_path)]) == 2
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0 and "0 bytes" in said
