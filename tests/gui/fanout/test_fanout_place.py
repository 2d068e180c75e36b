"""The Fan-out place: for each level what both meanings of it send, and the difference, in calls, tokens and money."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from PySide6.QtCore import Qt

from explorer.gui.places.fanout.levels import LevelPlan, difference, with_differences
from explorer.gui.places.fanout.words import COLUMNS, difference_words
from tests.gui.conftest import MakeWindow

PATIENCE = 60_000


def texts(model: Any) -> list[list[str]]:
    cells = [[model.index(row, column) for column in range(model.columnCount())] for row in range(model.rowCount())]
    return [[model.data(cell, Qt.ItemDataRole.DisplayRole) for cell in row] for row in cells]


def by_hand(folder: Path, level: int) -> tuple[int, int]:
    """Reports that each meaning of a level sends, with pandas: the deepest community of each entity, and all."""
    communities = pd.read_parquet(folder / "communities.parquet")
    reports = pd.read_parquet(folder / "community_reports.parquet")
    here = communities[communities["level"] <= level]
    rows = here[["community", "level", "entity_ids"]].explode("entity_ids")
    deepest = set(rows.sort_values(["level", "community"]).groupby("entity_ids")["community"].last())
    return int(reports["community"].isin(deepest).sum()), int(reports["community"].isin(here["community"]).sum())


def test_the_difference_at_each_level(make_window: MakeWindow, qtbot: Any, shared: Path) -> None:
    folder = shared / "indexes/microsoft/verbs-v3.1.2"
    window = make_window()
    place = window.place("fan-out")
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(folder)
    window.show_place("fan-out")
    qtbot.waitUntil(lambda: place.model.rowCount() == 12, timeout=PATIENCE)
    rows = texts(place.model)
    for level in range(4):
        deepest, every = by_hand(folder, level)
        less, more, between = rows[3 * level : 3 * level + 3]
        assert (less[2], more[2]) == (str(deepest), str(every))
        assert between[2] == (f"+{every - deepest}" if every > deepest else "0")
        assert {less[8], more[8], between[8]} == {"price unknown"}  # nobody is asked for money
    # 97 and 120 reports, and 11 batches of GraphRAG's own, at level 2
    assert (rows[6][2], rows[7][2], rows[8][2]) == ("97", "120", "+23")
    assert rows[7][4] == "11"
    assert "24 more reports" in place.difference.text()
    place.prices.setCurrentIndex(place.prices.findData("gpt-4.1"))
    qtbot.waitUntil(lambda: place.model.rowCount() == 12, timeout=PATIENCE)
    priced = texts(place.model)
    assert all(row[8].startswith(("$", "+$")) for row in priced)
    # gpt-4.1 takes 2 dollars for a million tokens of prompts: the low end is those and empty replies at 8
    low = (int(priced[7][6].replace(",", "")) * 2 + 55 * 8) / 1_000_000
    assert priced[7][8].split("–")[0] == f"${low:.2f}"
    qtbot.waitUntil(lambda: place.settled, timeout=PATIENCE)


def plan(mode: str, reports: int, calls: tuple[int, int], cost: tuple[float, float] | None) -> LevelPlan:
    return LevelPlan(1, mode, reports, 100 * reports, calls[0], calls, 200 * reports, (5, 50 * reports), cost)


def test_the_figures_of_a_difference() -> None:
    deepest, every = plan("roll_up", 3, (1, 2), (0.1, 0.2)), plan("at_or_below", 4, (2, 3), (0.15, 0.35))
    row = with_differences([deepest, every])[2]
    assert row == difference(deepest, every)
    said = [column.text(row) for column in COLUMNS]
    assert said == ["1", "difference", "+1", "+100", "+1", "+1", "+200", "0 to +50", "+$0.0500 to +$0.15"]
    sentence = difference_words([deepest, every])
    assert "reads 1 more report and 200 more prompt tokens, in 1 more call;" in sentence
    assert "both send the same reports" in difference_words([deepest, deepest])


def test_a_difference_of_prices_that_nobody_knows() -> None:
    row = difference(plan("roll_up", 3, (1, 2), None), plan("at_or_below", 4, (2, 3), (0.1, 0.2)))
    assert COLUMNS[-1].text(row) == "price unknown"
