"""index through a connection as a person or a script runs it: caps, pilot, two steps to stop, failures in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explorer import cli
from explorer.base.paths import HOME_NAME
from explorer.models.connections import save_connection
from tests.indexing.model_folders import connect, model_folder
from tests.servers.running import RunningServer

ROOT = Path(__file__).resolve().parents[2]
KNOBS = ["--chunk-size", "600", "--chunk-overlap", "50", "--no-vectors"]


@pytest.fixture
def folder(tmp_path: Path, model_server: RunningServer) -> Path:
    """A folder, and a connection named scripted in the user's own file."""
    save_connection(connect(model_server))
    return model_folder(tmp_path / "documents", files=4)


def arguments(folder: Path, *more: str) -> list[str]:
    return ["index", str(folder), "--connection", "scripted", *KNOBS, *more]


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "explorer", *arguments(folder, *more)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip


def test_a_run_says_its_calls_and_what_they_cost(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments(folder)) == 0
    out = capsys.readouterr().out
    assert "Files: 4 indexed" in out and "Calls to scripted:" in out
    assert "  together: " in out and "$0.0" in out
    assert cli.main(arguments(folder)) == 0
    assert "no call was needed" in capsys.readouterr().out


def test_failed_calls_are_said_with_their_files_and_what_to_do(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    model_server.set(faults=[{"fault": "refusal", "match": "harbour 1", "task": "entity_extraction"}])
    assert cli.main(arguments(folder)) == 0
    out = capsys.readouterr().out
    assert "  failed: 01.txt — " in out and "could not be read" in out
    assert "gave nothing; the next run makes" in out


def test_a_cap_in_a_pipe_ends_the_run_with_a_sentence_and_exit_code_1(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments(folder, "--max-calls", "7", "--json")) == 1
    out, errors = capsys.readouterr()
    found = json.loads(out)
    assert found["stopped"] == {"name": "max_calls", "spent": 7.0, "cap": 7.0}
    assert sum(sums["count"] - sums["cached"] for sums in found["calls"].values()) == 7
    assert model_server.state()["arrived"] == 7
    assert errors.count("\n") == 1 and "Stopped at --max-calls 7" in errors and "kept" in errors
    assert cli.main(arguments(folder, "--json")) == 0
    done = json.loads(capsys.readouterr().out)
    assert sum(sums["cached"] for sums in done["calls"].values()) == 7 and "stopped" not in done


def test_a_pilot_in_a_pipe_ends_with_what_the_whole_will_cost(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments(folder, "--pilot", "6")) == 0
    out = capsys.readouterr().out
    assert "Pilot: 6 of " in out and "entities" in out and "The whole run: about " in out and "between $" in out
    assert not (folder / HOME_NAME / "output").exists()
    assert cli.main(arguments(folder, "--pilot", "6", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["pilot"]["units"]) == 6 and found["estimate"]["basis"] == "pilot"
    assert not (folder / HOME_NAME / "output").exists()


def test_a_pilot_with_yes_goes_on_and_prints_one_object(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments(folder, "--pilot", "6", "--yes", "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reports"] > 0 and found["calls"]["extract"]["cached"] == 6
    assert found["estimate"]["basis"] == "pilot"
    assert json.loads((folder / HOME_NAME / "index.json").read_text("utf-8"))["estimate"]["basis"] == "pilot"


def test_a_cap_holds_for_the_pilot_and_the_run_together(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments(folder, "--pilot", "2", "--yes", "--json", "--max-calls", "12")) == 1
    out, errors = capsys.readouterr()
    assert model_server.state()["arrived"] == 12
    if out:  # what the pilot left was used by the run
        assert json.loads(out)["stopped"]["name"] == "max_calls"
    assert "--max-calls" in errors and "kept" in errors


def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*more: str) -> str:
        assert cli.main(arguments(folder, *more)) == 2
        out, errors = capsys.readouterr()
        assert out == "" and errors.count("\n") == 1 and "Traceback" not in errors
        return errors

    assert "--pilot" in refused("--pilot", "0")
    assert "--max-cost" in refused("--max-cost", "-1")
    assert "--max-gleanings" in refused("--max-gleanings", "-3")
    assert "connection" in refused("--connection", "offline", "--pilot", "3")
    model_server.set(models=["another"])
    assert "scripted-chat" in refused()
    assert not (folder / HOME_NAME / "output").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_finishes_calls_in_flight_and_says_how_many(folder: Path, model_server: RunningServer) -> None:
    model_server.set(hold=1)
    process = start(folder)
    model_server.wait_for("out", 4)
    process.send_signal(signal.SIGINT)
    said = _said_until(process, "in flight")
    model_server.set(hold=None)
    out, errors = process.communicate(timeout=240)
    errors = said + errors
    assert process.returncode == 1 and out == "", errors
    assert "in flight" in errors and "kept" in errors and "Traceback" not in errors
    log = model_server.log("chat")
    assert log and all(entry.answered and entry.outcome == "ok" for entry in log)
    again, errors = start(folder, "--json").communicate(timeout=240)
    assert sum(sums["cached"] for sums in json.loads(again)["calls"].values()) == len(log), errors


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_a_second_ctrl_c_abandons_them(folder: Path, model_server: RunningServer) -> None:
    model_server.set(hold=0)
    process = start(folder)
    model_server.wait_for("out", 1)
    process.send_signal(signal.SIGINT)
    _said_until(process, "in flight")
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=240)  # no reply ever comes: this is only for a test that fails
    assert process.returncode == 1 and "Abandoned" in errors and "Traceback" not in errors


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
def test_on_a_terminal_a_cap_is_asked_about(folder: Path, model_server: RunningServer) -> None:
    out = _on_a_terminal(arguments(folder, "--max-calls", "5", "--json"), b"how many calls", b"500\n")
    assert json.loads(out)["reports"] > 0 and model_server.state()["arrived"] > 5


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
@pytest.mark.parametrize("answer", ["y", ""])
def test_on_a_terminal_a_pilot_asks_whether_to_go_on(folder: Path, model_server: RunningServer, answer: str) -> None:
    out = _on_a_terminal(arguments(folder, "--pilot", "5"), b"whole folder now?", f"{answer}\n".encode())
    assert "The whole run: about" in out
    assert (folder / HOME_NAME / "output").exists() == ("Files: 4 indexed" in out) == (answer == "y")


def _on_a_terminal(command: list[str], question: bytes, answer: bytes) -> str:
    """What a command prints where stdin and stderr are a terminal, with one question answered."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", *command],
        cwd=ROOT, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while question not in shown:
            shown += os.read(ours, 65536)
        os.write(ours, answer)
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end of a terminal is closed
        pass
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(240) == 0, shown
    os.close(ours)
    return out


def _said_until(process: subprocess.Popen[str], words: str) -> str:
    """What a process says on stderr until those words have come."""
    assert process.stderr is not None
    said = b""
    while words.encode() not in said:
        piece = os.read(process.stderr.fileno(), 65536)
        assert piece, said
        said += piece
    return said.decode()
