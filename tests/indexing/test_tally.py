"""Calls counted by stage, and the text units that a pilot chooses."""

from __future__ import annotations

import pytest

from explorer.base.events import CallSettled
from explorer.base.fates import FileFate
from explorer.corpus.material import TextUnit
from explorer.indexing.failures import settle_failures
from explorer.indexing.files import SettledFile
from explorer.indexing.pilot import choose_pilot_units
from explorer.indexing.tally import CallTally


def settled(stage: str, fate: str = "ok", cost: float | None = 0.5, **more: object) -> CallSettled:
    return CallSettled(stage, fate, 10, 5, cost=cost, **more)  # type: ignore[arg-type]


def test_calls_are_counted_by_their_stage_and_fate() -> None:
    tally = CallTally()
    for event in (
        settled("extract", retries=2),
        CallSettled("extract", "cached", cost=0.0),
        settled("glean", "repaired"),
        settled("extract", "malformed", key="k1", note="no list of entities"),
        settled("reports", "failed", key="k2", error="HTTP 500", files=("a.txt",)),
    ):
        tally.add(event)
    extract = tally.stages["extract"]
    assert (extract.count, extract.cached, extract.malformed, extract.failed, extract.retries) == (3, 1, 1, 0, 2)
    assert (extract.prompt_tokens, extract.output_tokens, extract.cost) == (20, 10, 1.0)
    assert tally.stages["glean"].repaired == 1
    assert tally.failed_calls() == {"extract": 1, "reports": 1}
    assert [(call.key, call.error, call.files) for call in tally.failures] == [
        ("k1", "no list of entities", []), ("k2", "HTTP 500", ["a.txt"]),
    ]  # fmt: skip


@pytest.mark.parametrize("order", [(None, 0.5, 0.5), (0.5, None, 0.5), (0.5, 0.5, None)])
def test_one_call_without_a_price_makes_the_stage_unknown(order: tuple[float | None, ...]) -> None:
    tally = CallTally()
    for cost in order:
        tally.add(settled("extract", cost=cost))
    assert tally.stages["extract"].cost is None


def units(*counts: int) -> list[TextUnit]:
    """Files with so many text units each."""
    return [
        TextUnit(f"u{file}.{at}", f"d{file}", "", 1, f"{file:02}.txt", at, at + 1)
        for file, count in enumerate(counts)
        for at in range(count)
    ]


def test_a_pilot_is_spread_over_the_files_and_the_same_each_time() -> None:
    folder = units(5, 5, 5, 5)
    chosen = choose_pilot_units(folder, 4)
    assert [unit.path for unit in chosen] == ["00.txt", "01.txt", "02.txt", "03.txt"]
    assert choose_pilot_units(folder, 4) == chosen
    assert choose_pilot_units(folder, 50) == folder
    assert len({unit.id for unit in choose_pilot_units(units(40, 1, 1, 58), 20)}) == 20


def test_a_long_file_gives_more_of_a_pilot_than_a_short_one() -> None:
    paths = [unit.path for unit in choose_pilot_units(units(60, 20, 20), 10)]
    assert (paths.count("00.txt"), paths.count("01.txt"), paths.count("02.txt")) == (6, 2, 2)


def test_files_say_how_many_of_their_units_were_not_read_and_the_commonest_reasons() -> None:
    files = [SettledFile(f"{n:02}.txt", 1, "h", FileFate.UNCHANGED, text_units=n) for n in (1, 2, 5)]
    folder = [unit for unit in units(0, 1, 2, 0, 0, 5) if unit.path in {"01.txt", "02.txt", "05.txt"}]
    failed = {"u1.0": "refused.", "u5.0": "HTTP 500", "u5.3": "HTTP 500", "u5.4": "refused"}
    settled_files, changed = settle_failures(files, folder, failed)
    assert [file.path for file in changed] == ["01.txt", "05.txt"]
    assert [(file.fate, file.reason) for file in settled_files] == [
        (FileFate.FAILED, "its only text unit could not be read: refused"),
        (FileFate.UNCHANGED, ""),
        (FileFate.INDEXED, "3 of 5 text units could not be read: HTTP 500; refused"),
    ]
