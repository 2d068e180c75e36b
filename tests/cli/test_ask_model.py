"""ask and plan through a connection, as a script and as a person at a terminal call them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkers.ledger_checker import check_trace
from search.small_index import make_index

from explorer.base.paths import user_data_dir
from explorer.cli import main
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from explorer.models.prices import Price
from tests.servers.running import RunningServer
from tests.servers.settings import FaultRule

CANARY = "sk-canary-51b7f0aa93"
SMALL = ["--max-context-tokens", "60"]
QUESTION = "What do word2 and word3 have in common?"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return make_index(tmp_path).output


@pytest.fixture
def mine(model_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Connection:
    """A saved connection whose key is in an environment variable."""
    monkeypatch.setenv("ASK_TEST_KEY", CANARY)
    connection = Connection(
        name="mine", base_url=model_server.url, chat_model="m", key="env:ASK_TEST_KEY", concurrency=3,
        prices={"m": Price(prompt=2.0, output=8.0)}, retries=1,
    )  # fmt: skip
    save_connection(connection)
    return connection


def ask(index: Path, *arguments: str) -> int:
    return main(["ask", str(index), QUESTION, "--connection", "mine", *SMALL, *arguments])


def trace_of(capsys: pytest.CaptureFixture[str], index: Path) -> dict[str, Any]:
    captured = capsys.readouterr()
    assert CANARY not in captured.out + captured.err
    trace = json.loads(captured.out)
    assert check_trace(trace, index) == []
    trace["stderr"] = captured.err
    return trace


def test_the_connection_answers_with_its_own_knobs_and_the_second_time_for_nothing(
    index: Path, mine: Connection, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.set(keys=[CANARY])
    assert ask(index, "--json") == 0
    trace = trace_of(capsys, index)
    assert trace["parameters"]["concurrency"] == 3
    assert trace["parameters"]["tokenizer"] == "cl100k_base"
    assert trace["connection"] == {"name": "mine", "model": "m", "models": {"map": "m", "reduce": "m"}}
    assert trace["answer"]["status"] == "answered"
    assert ask(index) == 0
    out = capsys.readouterr().out
    assert "6 calls (6 from the store)" in out and "$0.0000" in out
    assert len(model_server.log("chat")) == 6


def test_a_flag_stands_before_the_connection_s_knob(
    index: Path, mine: Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(index, "--concurrency", "2", "--tokenizer", "o200k_base", "--json") == 0
    parameters = trace_of(capsys, index)["parameters"]
    assert (parameters["concurrency"], parameters["tokenizer"]) == (2, "o200k_base")


def test_a_wrong_key_fails_with_its_reason_and_one_request(
    index: Path, mine: Connection, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.set(keys=["another"], echo_key=True)
    assert ask(index, "--json") == 2
    trace = trace_of(capsys, index)
    assert trace["answer"]["status"] == "failed"
    assert trace["answer"]["reason"] == trace["stderr"].strip()
    assert "key" in trace["stderr"]
    assert len(model_server.log()) == 1
    for folder in (index.parent, user_data_dir()):
        for path in folder.rglob("*"):
            assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path


def test_a_key_that_is_not_there_is_one_sentence(
    index: Path, mine: Connection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ASK_TEST_KEY")
    assert ask(index) == 2
    captured = capsys.readouterr()
    assert "ASK_TEST_KEY" in captured.err and len(captured.err.strip().splitlines()) == 1


def test_what_was_repaired_and_lost_is_said(
    index: Path, mine: Connection, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.set(
        faults=[
            FaultRule("fenced", task="map_points", match="word3 word3"),
            FaultRule("refusal", task="map_points", match="word2 word2"),
        ]
    )
    assert ask(index) == 0
    out = capsys.readouterr().out
    assert "map-0000 failed: " in out and "refuses" in out
    assert "map-0003 repaired: The points were taken out of the words around them." in out
    assert "1 repaired" in out and "1 failed" in out


def test_at_a_cap_a_script_ends_with_what_it_has(
    index: Path, mine: Connection, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(index, "--max-calls", "2", "--json") == 1
    trace = trace_of(capsys, index)
    assert trace["answer"]["status"] == "cancelled"
    assert "2 of at most 2 calls" in trace["answer"]["reason"]
    assert "3 of 5 batches unread" in trace["stderr"]
    assert len(model_server.log("chat")) == 2


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_cap_a_person_is_asked_and_may_raise_it(
    index: Path, mine: Connection, model_server: RunningServer, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    said = _Terminal()
    monkeypatch.setattr(sys, "stdin", _Terminal("lots\n2\n50\n"))
    monkeypatch.setattr(sys, "stderr", said)
    assert ask(index, "--max-calls", "2") == 0
    words = said.getvalue()
    assert "2 of at most 2 calls are made" in words
    assert "lots is no number" in words
    assert "That much is used already (2)" in words
    assert len(model_server.log("chat")) == 6


def test_at_a_cap_enter_alone_ends_the_run(
    index: Path, mine: Connection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal("\n"))
    monkeypatch.setattr(sys, "stderr", _Terminal())
    assert ask(index, "--max-cost", "0.0009", "--json") == 1
    assert trace_of(capsys, index)["answer"]["status"] == "cancelled"


def test_a_plan_has_the_cost_of_the_connection_s_models(
    index: Path, mine: Connection, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ["plan", str(index), "--connection", "mine", "--question", QUESTION, *SMALL]
    assert main([*plan, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["cost"][0] == pytest.approx((made["prompt_tokens"] * 2.0 + made["output_tokens"][0] * 8.0) / 1e6)
    assert made["models"] == {"map": "m", "reduce": "m"}
    assert not model_server.log()
    save_connection(mine.model_copy(update={"prices": {}}))
    assert main([*plan, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] is None
    assert main(plan) == 0
    out = capsys.readouterr().out
    assert "cost     unknown" in out
    assert "No price is known for the model 'm'" in out


def _ask_and_interrupt(index: Path, model_server: RunningServer, *, give_up: bool) -> tuple[int, dict[str, Any], bytes]:
    """Ask in a process of its own, and press Ctrl+C while calls are out, which end only then; or press it again."""
    import os
    import signal

    model_server.set(hold=1)
    arguments = ["ask", str(index), QUESTION, "--connection", "mine", *SMALL, "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "explorer", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ), cwd=Path(__file__).parents[2],
    ) as process:  # fmt: skip
        assert process.stderr is not None
        model_server.wait_for("arrived", 2)
        process.send_signal(signal.SIGINT)
        said = b""
        while b" in flight" not in said:
            piece = os.read(process.stderr.fileno(), 65536)
            assert piece, said
            said += piece
        if give_up:
            process.send_signal(signal.SIGINT)
        else:
            model_server.set(hold=None)
        out, errors = process.communicate(timeout=240)
    trace = json.loads(out)
    assert check_trace(trace, index) == []
    return process.returncode, trace, said + errors


def test_ctrl_c_finishes_what_is_out_and_says_so(index: Path, mine: Connection, model_server: RunningServer) -> None:
    code, trace, errors = _ask_and_interrupt(index, model_server, give_up=False)
    assert code == 1
    assert trace["answer"]["status"] == "cancelled"
    assert {call["fate"] for call in trace["calls"]} == {"ok"}
    assert len(trace["calls"]) == len([entry for entry in model_server.log("chat") if entry.outcome == "ok"])
    assert b"Finishing " in errors and b" in flight, at most $" in errors


def test_a_second_ctrl_c_waits_for_nothing(index: Path, mine: Connection, model_server: RunningServer) -> None:
    code, trace, errors = _ask_and_interrupt(index, model_server, give_up=True)
    assert code == 1
    assert trace["ledger"]["calls"]["fates"]["cancelled"] >= 1
    assert b"Abandoned" in errors
