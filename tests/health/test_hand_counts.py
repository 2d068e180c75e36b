"""The defects of three real indexes, counted with pandas alone in other ways, against what `doctor --json` prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import pytest

from explorer.cli import main

# Copied from what the counts below gave when they were made by hand, so that neither side can drift unseen.
KNOWN = {
    "mit/kexuan-backup3": {
        "entity_without_community": 4064, "entity_without_relationship": 402, "duplicate_report_title": 7,
        "self_loop": 2, "unresolved_citation": 1,
    },
    "microsoft/verbs-v1.1.0": {
        "entity_without_community": 41, "entity_without_relationship": 20, "duplicate_report_title": 3,
    },
    "microsoft/dulce-v1.2.0": {
        "entity_without_community": 18, "entity_without_relationship": 2, "duplicate_report_title": 5,
    },
    "microsoft/dulce-v3.0.0": {
        "dangling_relationship_end": 2, "dangling_text_unit_id": 5, "duplicate_report_title": 1,
    },
}  # fmt: skip
LOSSES = {
    "mit/kexuan-backup3": {"entity_outside": 4466, "weight_of_reversed_pair": 33},
    "microsoft/verbs-v1.1.0": {"entity_outside": 61, "weight_of_reversed_pair": 18},
    "microsoft/dulce-v1.2.0": {"entity_outside": 20, "weight_of_reversed_pair": 47},
    "microsoft/dulce-v3.0.0": {"weight_of_reversed_pair": 5},
}
KINDS = {"Entities": "entities", "Relationships": "relationships", "Sources": "text_units", "Reports": "communities"}


class Tables:
    """The parquet files of an index, read by pandas, under either naming."""

    def __init__(self, folder: Path) -> None:
        def read(name: str) -> pd.DataFrame | None:
            path = next((p for p in (folder / f"{name}.parquet", folder / f"create_final_{name}.parquet")
                         if p.is_file()), None)  # fmt: skip
            return None if path is None else pd.read_parquet(path)

        self.entities, self.relationships = self._need(read("entities")), self._need(read("relationships"))
        self.communities, self.reports = self._need(read("communities")), self._need(read("community_reports"))
        self.units, self.documents = self._need(read("text_units")), self._need(read("documents"))
        self.claims = read("covariates")

    @staticmethod
    def _need(frame: pd.DataFrame | None) -> pd.DataFrame:
        assert frame is not None
        return frame

    def by_name(self, name: str) -> pd.DataFrame:
        return {"entities": self.entities, "relationships": self.relationships, "text_units": self.units,
                "communities": self.communities}[name]  # fmt: skip


def outside(tables: Tables) -> pd.DataFrame:
    members = set(tables.communities.explode("entity_ids")["entity_ids"].dropna())
    return tables.entities[~tables.entities["id"].isin(members)]


def without_relationship(tables: Tables) -> int:
    links = tables.relationships
    return int((~outside(tables)["title"].isin(set(links["source"]) | set(links["target"]))).sum())


def without_community(tables: Tables) -> int:
    return len(outside(tables)) - without_relationship(tables)


def repeated_titles(tables: Tables) -> int:
    times = tables.reports["title"].value_counts()
    return int((times > 1).sum())


def self_loops(tables: Tables) -> int:
    return int((tables.relationships["source"] == tables.relationships["target"]).sum())


def dangling_ends(tables: Tables) -> int:
    ends = pd.concat([tables.relationships["source"], tables.relationships["target"]])
    return int((~ends.isin(tables.entities["title"])).sum())


def dangling_units(tables: Tables) -> int:
    known = set(tables.units["id"])
    frames = [tables.entities, tables.relationships, tables.communities, tables.documents]
    lists = [frame["text_unit_ids"].explode().dropna() for frame in frames]
    singles = [] if tables.claims is None else [tables.claims["text_unit_id"]]
    return int(sum((~column.isin(known)).sum() for column in [*lists, *singles]))


def unresolved_citations(tables: Tables) -> int:
    """Plain citations only, "[Data: Entities (1, 2); Reports (3)]", read by an expression of its own: each number of a
    report once."""
    missing = 0
    for row in tables.reports.to_dict("records"):
        texts = [row["full_content"], row["summary"], *(finding["explanation"] for finding in row["findings"])]
        cited: set[tuple[str, int]] = set()
        for mark in re.findall(r"\[Data:([^\]]*)\]", "\n".join(texts)):
            for kind, numbers in re.findall(r"(Entities|Relationships|Sources|Reports)\s*\(([^)]*)\)", mark):
                cited |= {(kind, int(number)) for number in re.findall(r"\d+", numbers)}
        for kind, number in cited:
            frame = tables.by_name(KINDS[kind])
            column = "community" if kind == "Reports" else "human_readable_id"
            missing += number not in set(frame[column].astype(int))
    return missing


COUNTS: dict[str, Callable[[Tables], int]] = {
    "entity_without_community": without_community,
    "entity_without_relationship": without_relationship,
    "duplicate_report_title": repeated_titles,
    "self_loop": self_loops,
    "dangling_relationship_end": dangling_ends,
    "dangling_text_unit_id": dangling_units,
    "unresolved_citation": unresolved_citations,
    "duplicate_entity_title": lambda tables: int((tables.entities["title"].value_counts() > 1).sum()),
    "duplicate_entity_id": lambda tables: int((tables.entities["id"].value_counts() > 1).sum()),
    "duplicate_report": lambda tables: int(tables.reports["community"].duplicated().sum()),
    "community_without_report": lambda tables: len(set(tables.communities["community"])
                                                   - set(tables.reports["community"])),
    "report_without_community": lambda tables: len(set(tables.reports["community"])
                                                   - set(tables.communities["community"])),
    "weight_not_positive": lambda tables: int((~(tables.relationships["weight"] > 0)).sum()),
    "dangling_entity_id": lambda tables: int(
        (~tables.communities["entity_ids"].explode().dropna().isin(tables.entities["id"])).sum()
        + (~tables.units["entity_ids"].explode().dropna().isin(tables.entities["id"])).sum()
    ),
    "dangling_relationship_id": lambda tables: int(
        (~tables.communities["relationship_ids"].explode().dropna().isin(tables.relationships["id"])).sum()
        + (~tables.units["relationship_ids"].explode().dropna().isin(tables.relationships["id"])).sum()
    ),
}  # fmt: skip


def doctor(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(["doctor", str(path), "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", KNOWN)
def test_the_defects_of_real_indexes(shared: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    folder = shared / "indexes" / name
    tables = Tables(folder)
    code, found = doctor(folder, capsys)
    by_hand = {kind: number for kind, count in COUNTS.items() if (number := count(tables))}
    assert {defect["kind"]: defect["count"] for defect in found["defects"]} == by_hand == KNOWN[name]
    assert code == 1 and all(defect["example"] and defect["remedy"] for defect in found["defects"])


@pytest.mark.parametrize("name", KNOWN)
def test_why_entities_are_in_no_community(shared: Path, name: str) -> None:
    """With networkx: whoever has a relationship and no community is outside the largest connected component; one with
    itself alone makes an entity a component of its own."""
    tables = Tables(shared / "indexes" / name)
    graph = nx.from_pandas_edgelist(tables.relationships, "source", "target")
    largest = max(nx.connected_components(graph), key=len)
    lost = outside(tables)
    assert without_community(tables) == sum(title in graph and title not in largest for title in lost["title"])


@pytest.mark.parametrize("name", LOSSES)
def test_the_losses_of_real_indexes(shared: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    folder = shared / "indexes" / name
    links = Tables(folder).relationships
    ordered = set(zip(links["source"], links["target"], strict=True))
    both = sum((target, source) in ordered for source, target in ordered if source < target)
    _, found = doctor(folder, capsys)
    losses = {loss["kind"]: loss["count"] for loss in found["losses"]}
    assert losses.get("weight_of_reversed_pair", 0) == both == LOSSES[name]["weight_of_reversed_pair"]
    assert losses.get("entity_outside", 0) == len(outside(Tables(folder))) == LOSSES[name].get("entity_outside", 0)


def test_reversed_pairs_that_others_counted(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """43 of them in this index: removing them made clustering independent of the order of rows."""
    _, found = doctor(shared / "indexes/microsoft/verbs-v3.1.2", capsys)
    losses = {loss["kind"]: loss["count"] for loss in found["losses"]}
    assert losses["weight_of_reversed_pair"] == 43


def test_what_the_prompts_of_reports_held(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counted by graphrag 3.3.0's own context builder in its own environment, with its limit of 8,000 tokens: relation-
    ships inside communities, rows of the contexts, rows among them of another community."""
    counted = {
        "microsoft/verbs-v3.1.2": (1429, 1037, 228),
        "mit/kexuan-backup3": (2947, 2583, 237),
        "microsoft/verbs-v2.0.0": (502, 431, 83),
        "mit/joelandres-christmas": (288, 260, 31),
        "microsoft/dulce-v3.0.0": (63, 48, 16),
        "microsoft/dulce-v2.2.0": (41, 15, 1),
    }
    for name, (inside, rows, foreign) in counted.items():
        _, found = doctor(shared / "indexes" / name, capsys)
        loss = next(loss for loss in found["losses"] if loss["kind"] == "relationship_not_in_report")
        assert (loss["of"], loss["count"]) == (inside, inside - (rows - foreign)), name


def test_claims_that_no_method_reads(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = Tables(shared / "indexes/microsoft/verbs-v3.1.2")
    assert tables.claims is not None
    inside = tables.entities[~tables.entities["id"].isin(outside(tables)["id"])]
    nobody = int((~tables.claims["subject_id"].isin(inside["title"])).sum())
    _, found = doctor(shared / "indexes/microsoft/verbs-v3.1.2", capsys)
    loss = next(loss for loss in found["losses"] if loss["kind"] == "claim_never_used")
    assert loss["count"] == len(tables.claims) == 406
    assert nobody == 77 and "77 are about nothing that has a community" in loss["sentence"]
