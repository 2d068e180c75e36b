"""prompts: what a project offers is listed, taken over by name, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import main

SECRET = "sk-canary-in-settings"
JOIN = "Join what is said of {entity_name}, {max_length} words: {description_list}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "input").mkdir(parents=True)
    (root / "prompts").mkdir()
    (root / "input" / "one.txt").write_text("Alma met Bruno.")
    (root / "prompts" / "join.txt").write_text(JOIN)
    (root / "prompts" / "find.txt").write_text("List {tuple_delimiter} of {input_text}")
    (root / "settings.yaml").write_text(
        f"models: {{a: {{model: m, api_key: {SECRET}}}}}\nsummarize_descriptions: {{prompt: prompts/join.txt}}\n"
        "extract_graph: {prompt: prompts/find.txt}\ncommunity_reports: {graph_prompt: ../../outside.txt}\n"
    )
    (tmp_path / "outside.txt").write_text("{input_text}")
    return root / "input"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    code = main(["prompts", *words, "--json"])
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    return code, json.loads(out) if out else None, err


def edited(listed: Any) -> list[str]:
    return [prompt["name"] for prompt in listed["prompts"] if prompt["edited"]]


def test_listing_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, listed, _ = run(capsys, str(folder))
    assert code == 0 and edited(listed) == []
    offers = {offer["name"]: offer for offer in listed["offers"]}
    assert set(offers) == {"describe", "entity_extraction"}
    assert not offers["describe"]["wrong"] and "JSON" in offers["entity_extraction"]["wrong"]
    assert [path.name for path in folder.iterdir()] == ["one.txt"]
    assert main(["prompts", str(folder)]) == 0
    assert "None is used until it is taken over" in capsys.readouterr().out


def test_taking_over_by_name_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, listed, _ = run(capsys, str(folder), "--take-over", "describe")
    assert code == 0 and edited(listed) == ["describe"]
    assert (folder / ".graphrag-explorer/prompts/describe.txt").read_text().startswith("Join what is said of ${title}")
    code, listed, err = run(capsys, str(folder), "--take-over", "entity_extraction")
    assert code == 1 and edited(listed) == ["describe"] and "find.txt was not taken over" in err
    code, listed, _ = run(capsys, str(folder), "--restore", "describe")
    assert code == 0 and edited(listed) == []


def test_taking_over_by_the_name_of_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, listed, _ = run(capsys, str(folder), "--take-over", "join.txt")
    assert code == 0 and edited(listed) == ["describe"]
    code, listed, err = run(capsys, str(folder), "--take-over", "find.txt")
    assert code == 1 and edited(listed) == ["describe"] and "find.txt was not taken over as entity_extraction" in err
    code, _, err = run(capsys, str(folder), "--restore", "join.txt")  # no file of ours has that name
    assert code == 2 and "There is no prompt 'join.txt'" in err
    assert run(capsys, str(folder), "--take-over", "other.txt")[0] == 2


def test_a_prompt_that_is_named_and_not_there_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "prompts" / "join.txt").unlink()
    assert main(["prompts", str(folder)]) == 0
    assert "join.txt: settings.yaml names this file, and it does not exist." in capsys.readouterr().out
    code, listed, err = run(capsys, str(folder), "--take-over", "describe")
    assert code == 1 and edited(listed) == [] and "does not exist" in err


def test_all_that_can_be_and_nothing_to_take(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, listed, _ = run(capsys, str(folder), "--take-over", "all")
    assert code == 0 and edited(listed) == ["describe"]
    (folder.parent / "settings.yaml").unlink()
    assert run(capsys, str(folder), "--take-over", "all")[0] == 2
    assert run(capsys, str(folder), "--take-over", "nothing")[0] == 2
    assert edited(run(capsys, str(folder), "--restore", "all")[1]) == []
