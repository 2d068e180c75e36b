"""Token counts are made in the background, once, and not for an index that was closed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from explorer.gui.counts_job import BackgroundCounts
from explorer.planning.prime_counts import counts_missing, prime_counts
from explorer.tables.index import open_index
from tests.gui.conftest import MakeWindow, small_index, small_layout


def test_counts_are_made_once_and_again_when_the_tables_change(shared: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    shutil.copytree(shared / "indexes" / "microsoft" / "verbs-v3.1.2", output)
    index = open_index(output)
    assert counts_missing(index, "cl100k_base")
    assert prime_counts(index.output, "cl100k_base") > 0
    assert not counts_missing(index, "cl100k_base")
    assert counts_missing(index, "o200k_base")
    (file,) = index.output.rglob("community_reports.parquet")
    file.touch()
    assert counts_missing(open_index(output), "cl100k_base")


def test_the_window_counts_when_nothing_else_runs(make_window: MakeWindow, qtbot: Any) -> None:
    asked: list[Any] = []

    def runner(index: Any, tokenizer: str, scope: Any) -> bool:
        asked.append((index.name, tokenizer))
        return True

    window = make_window(opener=lambda path: small_index(name=path.name), layouter=small_layout)
    counts = BackgroundCounts(window, runner=runner)
    with qtbot.waitSignal(counts.ended, timeout=120_000) as signal:
        window.open_path(Path("/somewhere/letters"))
    assert signal.args == ["made"]
    assert asked == [("letters", "cl100k_base")]
    assert not counts.waiting


def test_closing_the_index_stops_it(make_window: MakeWindow, qtbot: Any) -> None:
    def runner(index: Any, tokenizer: str, scope: Any) -> bool:
        while True:
            scope.checkpoint()

    window = make_window(opener=lambda path: small_index(name=path.name), layouter=small_layout)
    counts = BackgroundCounts(window, runner=runner)
    window.open_path(Path("/somewhere/letters"))
    qtbot.waitUntil(
        lambda: any(job.name == "Counting the tokens of reports" for job in window.engine.jobs), timeout=120_000
    )
    window.session.close_index()
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=120_000)
    assert not counts.waiting
