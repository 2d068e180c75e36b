"""ask and plan as a script calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkers.ledger_checker import check_trace
from search.small_index import make_index

from explorer.cli import main
from explorer.search.runs import list_runs, load_run
from explorer.tables.index import open_index

QUESTION = "Who is Scrooge's partner?"


@pytest.fixture
def carol(shared: Path) -> Path:
    return shared / "indexes/microsoft/verbs-v3.1.2"


def test_an_answer_its_ledger_and_where_the_trace_is(carol: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(carol), QUESTION]) == 0
    captured = capsys.readouterr()
    assert "Marley" in captured.out
    assert "122 reports = 25 not at this level + 97 read" in captured.out
    assert "cost unknown" in captured.out
    assert captured.err == ""
    path = captured.out.strip().splitlines()[-1].removeprefix("trace: ")
    trace = load_run(Path(path))
    assert trace.question == QUESTION
    assert [run.path for run in list_runs(open_index(carol))] == [Path(path)]


def test_one_batch_is_in_the_singular(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(shared / "indexes/microsoft/dulce-v3.0.0"), "Who leads the team?"]) == 0
    assert "; 1 batch = " in capsys.readouterr().out


def test_the_trace_in_json_is_right_by_a_checker_that_sees_only_the_tables(
    carol: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trace.json"
    arguments = ["--reports", "at_or_below", "--level", "1", "--data-max-tokens", "300", "--trace", str(file), "--json"]
    assert main(["ask", str(carol), QUESTION, *arguments]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert trace == json.loads(file.read_text("utf-8"))
    assert check_trace(trace, carol) == []
    assert trace["parameters"]["tokenizer"] == "cl100k_base"
    assert trace["connection"]["name"] == "offline"
    assert trace["answer"]["status"] == "answered"
    assert any(point["fate"] == "cut_by_budget" for point in trace["points"])


def test_every_knob_is_a_flag_by_graphrag_s_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_index(tmp_path)
    flags = {
        "--max-context-tokens": 130,
        "--data-max-tokens": 500,
        "--map-max-length": 77,
        "--reduce-max-length": 99,
        "--concurrency": 2,
        "--min-community-rank": 2.0,
        "--response-type": "One line",
        "--tokenizer": "o200k_base",
        "--as-model": "gpt-4.1-mini",
        "--level": 1,
        "--reports": "at_or_below",
    }
    arguments = [str(part) for pair in flags.items() for part in pair]
    switches = ["--keep-filling", "--nearest-ancestor", "--use-community-summary"]
    assert main(["ask", str(tmp_path / "output"), "word2?", *arguments, *switches, "--json"]) == 0
    trace = json.loads(capsys.readouterr().out)
    for flag, value in flags.items():
        assert trace["parameters"][flag.removeprefix("--").replace("-", "_")] == value
    for switch in switches:
        assert trace["parameters"][switch.removeprefix("--").replace("-", "_")] is True
    assert check_trace(trace, tmp_path / "output") == []


def test_a_plan_and_the_run_agree(carol: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(carol), "--question", QUESTION, "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert main(["ask", str(carol), QUESTION, "--json"]) == 0
    trace = json.loads(capsys.readouterr().out)
    assert [batch["prompt_tokens"] for batch in plan["batches"]] == [b["prompt_tokens"] for b in trace["batches"]]
    assert plan["calls"]["map"] == len(trace["batches"]) == 8
    assert plan["prompt_tokens"] == trace["totals"]["map"]["prompt_tokens"]
    assert plan["cost"] is None
    wanted = {"reports", "report_tokens", "batches", "sha256", "calls", "prompt_tokens", "output_tokens", "cost"}
    assert wanted <= set(plan)


def test_a_plan_for_people(carol: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(carol), "--as-model", "gpt-4.1", "--level", "all"]) == 0
    out = capsys.readouterr().out
    assert "all levels" in out
    assert "$" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ask", "{index}", "  "], "The question is empty"),
        (["ask", "{index}", "Who?", "--connection", "nobody"], "no connection named 'nobody'"),
        (["plan", "{index}", "--connection", "nobody"], "no connection named 'nobody'"),
        (["ask", "{index}", "Who?", "--max-cost", "0"], "--max-cost 0.0 is not allowed"),
        (["ask", "{index}", "Who?", "--max-calls", "-3"], "--max-calls -3 is not allowed"),
        (["ask", "{index}", "Who?", "--level", "-1"], "--level"),
        (["ask", "{index}", "Who?", "--level", "two"], "--level"),
        (["plan", "{index}", "--max-context-tokens", "0"], "--max-context-tokens"),
        (["plan", "{index}/nowhere"], "nowhere"),
    ],
)
def test_bad_input_gets_one_sentence_and_2(
    carol: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main([part.replace("{index}", str(carol)) for part in arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert captured.out == ""


def test_what_cannot_be_answered_is_an_honest_nothing(carol: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(carol), "What is the boiling point of tungsten?", "--json"]) == 0
    trace: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert trace["answer"]["status"] == "nothing_relevant"
    assert trace["totals"]["reduce"]["calls"] == 0


def test_two_processes_with_other_hash_seeds_give_the_same_trace(carol: Path, tmp_path: Path) -> None:
    traces = []
    for seed in ("1", "2"):
        out = subprocess.run(
            [sys.executable, "-m", "explorer", "ask", str(carol), QUESTION, "--json"],
            capture_output=True,
            check=True,
            env={**_environment(tmp_path / seed), "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            timeout=240,
        ).stdout
        trace = json.loads(out)
        for key in ("started", "seconds"):
            trace.pop(key)
        for row in (*trace["calls"], *trace["totals"].values()):
            row.pop("seconds")
        traces.append(trace)
    assert traces[0] == traces[1]


def _environment(home: Path) -> dict[str, str]:
    import os

    return {**os.environ, "XDG_DATA_HOME": str(home), "PYTHONIOENCODING": "utf-8"}


def test_an_answer_is_printed_even_where_its_trace_cannot_be_written(
    carol: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a_file").write_text("x", "utf-8")
    assert main(["ask", str(carol), QUESTION, "--trace", str(tmp_path / "a_file" / "trace.json")]) == 1
    captured = capsys.readouterr()
    assert "Marley" in captured.out
    assert len(captured.err.strip().splitlines()) == 1
    assert "could not be written" in captured.err
