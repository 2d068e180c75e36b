"""Random replies through whole runs: a checker that sees only the trace and the tables finds nothing wrong."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from checkers.ledger_checker import check_trace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.cancel import CancelScope
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.search.parse_points import parse_points
from explorer.tables.index import open_index
from search.small_index import make_index

_ODD_SCORES: list[Any] = [0, 0.4, 85.9, 140, -3, "70", "85.5", "high", "", " 3 %", None, True, [], {}, "1_0", "٣",
                          "1e1", "nan", float("nan"), float("inf")]  # fmt: skip
_ODD_REPLIES = ['{"points": [{"score": 5}, 7, {"description": "x"}, {"description": "y", "score": 9}]}', "{}", "",
                "No.", '{"points": "none"}', "[" * 50]  # fmt: skip


def _reply(random: Random, texts: list[str]) -> str:
    """A reply as models give them: mostly sound, now and then not."""
    scores = [random.randint(1, 100) if random.random() < 0.7 else random.choice(_ODD_SCORES) for _ in range(5)]
    scored = [(random.choice(texts) + " and so on" * random.randint(0, 8), score) for score in scores]
    text = random.choice([points(*scored[: random.randint(1, 5)])] * 6 + [points(), points(("", 0))] + _ODD_REPLIES)
    shape = random.choice(["as it is"] * 6 + ["fenced", "cut off", "single quotes", "words around"])
    if shape == "fenced":
        return f"```json\n{text}\n```"
    if shape == "cut off":
        return text[: random.randint(0, len(text))]
    if shape == "single quotes":
        return text.replace('"', "'")
    return f"Of course. {text} Anything else?" if shape == "words around" else text


def _script(random: Random, texts: list[str]) -> list[Said]:
    said = [
        Said(_reply(random, texts), random.choice(["reply"] * 9 + ["cached", "failed", "raise"]), random.randint(0, 3))
        for _ in range(5)
    ]
    if random.random() < 0.15:
        said[random.randrange(5)] = Said(how=random.choice(["cancel_run", "cancelled", "raise_cancelled"]))
    return said


def _options(random: Random) -> GlobalOptions:
    return GlobalOptions(
        level=random.choice([None, 0, 1, 2, 3]),
        reports=random.choice(["roll_up", "at_or_below"]),
        max_context_tokens=random.choice([1, 60, 60, 60, 130, 300, 12000]),
        data_max_tokens=random.choice([0, 20, 40, 90, 200, 400, 12000]),
        min_community_rank=random.choice([0, 0, 0, 2, 3.5, 11]),
        nearest_ancestor=random.random() < 0.5,
        keep_filling=random.random() < 0.3,
        use_community_summary=random.random() < 0.2,
        shuffle_seed=random.choice([86, 1]),
        concurrency=random.randint(1, 5),
        as_model=random.choice([None, "gpt-4o-mini"]),
        tokenizer=random.choice(["cl100k_base", "o200k_base"]),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random=st.randoms(use_true_random=True), texts=st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_whatever_replies_come_the_trace_is_right(random: Random, texts: list[str]) -> None:
    without = [number for number in range(5) if random.random() < 0.15]
    duplicates = [number for number in range(5) if random.random() < 0.15 and number not in without]
    ranks = {number: random.choice([None, 1.0, 5.0, 5.0, float("nan")]) for number in range(5) if random.random() < 0.2}
    answer = random.choice(
        [Said("Yes.")] * 4 + [Said("Yes.", "cached"), Said(""), Said(how="failed"), Said(how="cancel_run")]
    )
    options = _options(random)
    with tempfile.TemporaryDirectory() as folder:
        index = make_index(Path(folder), without_report=without, duplicates=duplicates, ranks=ranks)
        scope = CancelScope()
        analyst = ScriptedAnalyst(_script(random, texts), answer=answer, scope=scope, tokenizer=options.tokenizer)
        trace = asyncio.run(global_search(index, "Who?", analyst, options, scope=scope))
        assert check_trace(json.loads(trace.model_dump_json()), index.output) == []


@given(st.one_of(st.text(), st.text('{}[]":, \n\\`points0score1description'), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["points", "description", "score"]), inner, max_size=3),
).map(json.dumps)))  # fmt: skip
def test_no_reply_can_break_the_reading_of_points(reply: str) -> None:
    parsed = parse_points(reply)
    for point in parsed.points:
        assert point.score is None or 0 <= point.score <= 100
        assert json.loads(json.dumps(point.given)) == point.given
    assert not (parsed.outcome == "malformed" and parsed.relevant)
    assert (parsed.outcome == "malformed") == bool(parsed.reason)


@pytest.mark.parametrize("reports", ["roll_up", "at_or_below"])
@pytest.mark.parametrize(
    "name",
    ["microsoft/verbs-v3.1.2", "microsoft/dulce-v3.0.0", "mit/joelandres-christmas", "broken/community_without_report"],
)
def test_indexes_made_elsewhere(shared: Path, name: str, reports: str) -> None:
    index = open_index(shared / "indexes" / name)
    script = [
        Said(points(*((f"Point {at} of {batch} " + "and so on " * (at * batch % 29), (37 * at + 11 * batch) % 101)
                      for at in range(5)))) if batch % 4 else Said("?")
        for batch in range(60)
    ]  # fmt: skip
    options = GlobalOptions(level=1, reports=reports, max_context_tokens=4000, data_max_tokens=700)  # type: ignore[arg-type]
    trace = asyncio.run(global_search(index, "What is it about?", ScriptedAnalyst(script), options))
    assert check_trace(json.loads(trace.model_dump_json()), index.output) == []
