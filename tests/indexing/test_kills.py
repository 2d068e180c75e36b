"""kill -9 while a model reads: nothing is paid twice but what was out, and the tables are those of a quiet run."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.benchmarks.thousand import make_documents
from tests.indexing.killing import Program, judge, run_and_kill, table_sums
from tests.servers.running import RunningServer

CONCURRENCY = 8


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_four_times_a_run_pays_only_what_was_in_flight_again(
    model_server: RunningServer, tmp_path: Path, own_processes: None
) -> None:
    model_server.set(latency=[0.05, 0.2])
    program = Program(make_documents(tmp_path / "documents", 40), tmp_path / "user", ("--no-vectors",))
    program.connect(model_server, concurrency=CONCURRENCY)
    code, summary, said = program.run(tmp_path / "undisturbed")
    assert code == 0 and summary["reports"] > 3, said
    total = model_server.state()["arrived"]
    model_server.reset(latency=[0.05, 0.2])
    chance = random.Random(5)
    home = tmp_path / "killed"
    # Three kills while calls are out, all over the run, and one where the last are in and the tables are made.
    kills = [
        run_and_kill(program, home, model_server, chance.randint(1, total // 3), chance.uniform(0.0, 0.3))
        for _ in range(3)
    ]
    left = total - len({entry.messages for entry in model_server.log() if entry.answered})
    kills.append(run_and_kill(program, home, model_server, max(0, left - 2), chance.uniform(0.2, 1.0)))
    assert any(not kill.finished for kill in kills)
    last = time.time()
    code, again, said = program.run(home)
    assert code == 0, said
    verdict = judge(model_server.log(), kills, last)
    assert verdict.sound and all(made <= CONCURRENCY for made in verdict.repeated), str(verdict)
    assert verdict.pieces == total
    assert not sum(kill.orphans for kill in kills)
    assert table_sums(home) == table_sums(tmp_path / "undisturbed")
    assert {name: again[name] for name in ("entities", "relationships", "reports", "communities")} == {
        name: summary[name] for name in ("entities", "relationships", "reports", "communities")
    }
    # With nothing changed one more run asks for nothing.
    asked = model_server.state()["arrived"]
    assert program.run(home)[0] == 0
    assert model_server.state()["arrived"] == asked
