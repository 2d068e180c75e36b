"""estimate FOLDER, and the bill that index prints after a pilot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer import cli
from explorer.base.paths import HOME_NAME
from explorer.models.connections import save_connection
from tests.planning.test_estimate_paid import connection_to
from tests.servers.running import RunningServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(8):
        text = f"Clara Weiss wrote to Bruno Adler about mill {number}. Bruno Adler left Prague for Vienna in May. "
        (folder / f"{number}.txt").write_text(text * 12, encoding="utf-8")
    return folder


def test_an_estimate_as_one_object(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    save_connection(connection_to(model_server))
    assert cli.main(["estimate", str(folder), "--connection", "scripted", "--claims", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["documents"], made["text_units"], made["files"]) == (8, 8, {"indexed": 8})
    assert list(made["stages"]) == ["extract", "glean", "claims", "describe", "reports", "embed"]
    assert made["stages"]["extract"]["calls"] == 8 and isinstance(made["stages"]["extract"]["prompt_tokens"], int)
    low, high = made["cost"]
    assert 0 < low < made["middle"]["cost"] < high
    assert made["seconds"][0] < made["seconds"][1]
    assert model_server.log() == [] and not (folder / HOME_NAME).exists()


def test_an_estimate_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["estimate", str(folder), "--as-model", "gpt-4o-mini"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "files      8 indexed: 8 documents, 8 text units"
    assert any(line.startswith("cost       ") and "about $" in line for line in lines)
    assert (
        lines[-1]
        == "note       The offline analyst makes no calls and costs nothing: these are the calls of a language model."
    )
    assert cli.main(["estimate", str(folder)]) == 0
    assert "cost       unknown" in capsys.readouterr().out.splitlines()


def test_what_cannot_be_estimated_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["estimate", str(tmp_path)]) == 2
    assert cli.main(["estimate", str(tmp_path), "--connection", "none such"]) == 2
    assert cli.main(["estimate", str(tmp_path), "--chunk-size", "10", "--chunk-overlap", "10"]) == 2
    out, errors = capsys.readouterr()
    assert out == "" and errors.count("\n") == 3 and "Traceback" not in errors


def test_after_a_pilot_the_bill_is_held_against_its_estimate(
    folder: Path, model_server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    save_connection(connection_to(model_server))
    assert cli.main(["index", str(folder), "--connection", "scripted", "--pilot", "6", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "The estimate was $" in out and "; it cost $" in out
    bill = json.loads((folder / HOME_NAME / "bill.json").read_text("utf-8"))
    assert bill["basis"] == "pilot" and bill["stages"]["extract"]["prompt_tokens"]["error"] == 0
