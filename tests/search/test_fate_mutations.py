"""Every statement that gives a fate is needed: without any one of them the checker finds the trace wrong."""

from __future__ import annotations

import asyncio
import importlib
import json
from types import ModuleType
from typing import Any

import pytest
from checkers.ledger_checker import check_trace
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.cancel import CancelScope
from explorer.tables.index import Index
from explorer.tables.rows import ReportRow
from search.mutation import settling_statements, without_statement
from search.small_index import make_index

A_BATCH_A_REPORT = {"max_context_tokens": 60}
LONG = "a long point " * 20


class Scene:
    """One run of global search on an index of known shape, with what the analyst says."""

    def __init__(
        self,
        script: list[Said],
        *,
        answer: Said | None = None,
        index: Any = None,
        is_model: bool = False,
        **options: Any,
    ) -> None:
        self.is_model = is_model
        self.script = script
        self.answer = answer or Said("Yes.")
        self.index = index or {}
        self.options = {**A_BATCH_A_REPORT, **options}

    def play(self, search: ModuleType, index: Index) -> list[str]:
        scope = CancelScope()
        analyst = ScriptedAnalyst(self.script, answer=self.answer, scope=scope, is_model=self.is_model)
        options = search.GlobalOptions(**self.options)
        trace = asyncio.run(search.global_search(index, "Who?", analyst, options, scope=scope))
        return check_trace(json.loads(trace.model_dump_json()), index.output)


SCENES = {
    "points of every kind": Scene(
        [
            Said(points(("best", 90), (LONG, 80), ("short", 70), ("zero", 0), ("odd", None))),
            Said(points()),
            Said("?"),
            Said(how="failed"),
            Said("```\n" + points(("fenced", 60)) + "\n```", "cached"),
        ],
        data_max_tokens=40,
    ),
    "cached": Scene([Said(points(("a", 5)), "cached")], answer=Said("Yes.", "cached")),
    "cancelled": Scene([Said(points(("a", 5))), Said(how="cancel_run")], concurrency=1),
    "stopped": Scene([Said(points(("a", 5))), Said(how="stop")], is_model=True, concurrency=1),
    "stopped at the answer": Scene([Said(points(("a", 5)))], answer=Said(how="stop"), is_model=True),
    "cancelled answer": Scene([Said(points(("a", 5)))], answer=Said(how="cancel_run")),
    "failed answer": Scene([Said(points(("a", 5)))], answer=Said(how="failed")),
    "roll-up": Scene([], index={"without_report": [3], "duplicates": [1], "ranks": {0: None}}, level=1),
    "deeper community without a report": Scene([], index={"without_report": [4]}, level=1),
    "ancestor": Scene([], index={"without_report": [3, 4]}, nearest_ancestor=True),
    "at or below": Scene([], index={"without_report": [2, 4], "duplicates": [1]}, level=1, reports="at_or_below"),
    "a batch twice": Scene([], index={"duplicates": [0, 1, 2, 3, 4]}, level=None, reports="at_or_below"),
    "deeper at or below": Scene([], index={"without_report": [2]}, level=1, reports="at_or_below"),
}


class Walk:
    """One walk of dynamic selection down an index of known shape; `ratings` by community, 5 for those not named."""

    def __init__(self, ratings: dict[int, int], *, level: int = 2, **index: Any) -> None:
        self.ratings, self.level, self.index = ratings, level, index

    def play(self, index: Index) -> list[str]:
        reports = importlib.import_module("explorer.search.reports")
        selection = importlib.import_module("explorer.search.selection")

        async def rate(report: ReportRow) -> list[int]:
            return [self.ratings.get(report.community, 5)]

        walk = asyncio.run(selection.select_communities(index, rate, level=self.level, threshold=3))
        account = reports.open_account(index)
        selection.settle_walk(index, walk, self.level, account)
        chosen = {reports.report_key(position) for position in walk.positions}
        return [f"{item} is without a fate" for item in account.open_items if item not in chosen]


WALKS = {
    "all relevant": Walk({}),
    "one branch": Walk({0: 0}),
    "a report twice": Walk({}, duplicates=[1]),
    "not so deep": Walk({}, level=1),
    "without reports": Walk({}, without_report=[4, 2]),
    "without deep reports": Walk({}, without_report=[4], level=1),
}


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Index]:
    return {name: make_index(tmp_path_factory.mktemp("walk"), **walk.index) for name, walk in WALKS.items()}


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Index]:
    return {name: make_index(tmp_path_factory.mktemp("scene"), **scene.index) for name, scene in SCENES.items()}


@pytest.mark.parametrize("name", SCENES)
def test_the_sound_program_has_no_defect(indexes: dict[str, Index], name: str) -> None:
    with without_statement(None, 0) as search:
        assert SCENES[name].play(search, indexes[name]) == []


@pytest.mark.parametrize("name", WALKS)
def test_the_sound_walk_has_no_defect(walked: dict[str, Index], name: str) -> None:
    assert WALKS[name].play(walked[name]) == []


def test_there_are_settling_statements() -> None:
    assert len(settling_statements()) >= 25


@pytest.mark.parametrize(("module", "line", "text"), settling_statements())
def test_without_one_fate_the_trace_is_wrong(
    indexes: dict[str, Index], walked: dict[str, Index], module: str, line: int, text: str
) -> None:
    defects: list[str] = []
    with without_statement(module, line) as search:
        if module == "selection":  # the walk that no trace records yet is held against its account
            for name, walk in WALKS.items():
                defects = defects or walk.play(walked[name])
        for name, scene in SCENES.items():
            defects = defects or scene.play(search, indexes[name])
    assert defects, f"nobody misses `{text}` of {module}"
    assert any("without a fate" in defect or "balance" in defect for defect in defects)
