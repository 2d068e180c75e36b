"""What each level sends in both meanings, as `doctor` prints it: against figures known from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.tables.write import write_table

CAROL = "indexes/microsoft/verbs-v3.1.2"


def levels(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> list[dict[str, object]]:
    assert main(["doctor", str(path), "--json", *flags]) in (0, 1)
    return json.loads(capsys.readouterr().out)["levels"]  # type: ignore[no-any-return]


def test_the_christmas_carol(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At level 2 the paper's roll-up sends 97 reports and GraphRAG since 2.0 120; its own context builder makes 3, 8
    and 11 batches at levels 0, 1 and 2."""
    found = levels(shared / CAROL, capsys)
    assert [line["level"] for line in found] == [0, 1, 2, 3]
    second = found[2]
    assert second["roll_up"]["reports"] == 97 and second["at_or_below"]["reports"] == 120  # type: ignore[index]
    assert [line["at_or_below"]["calls"] for line in found[:3]] == [[3, 4], [8, 9], [11, 12]]  # type: ignore[index]
    assert second["difference"]["reports"] == 23  # type: ignore[index]
    assert second["at_or_below"]["cost"] is None and second["difference"]["cost"] is None  # type: ignore[index]


def test_money_is_there_where_a_model_is_named(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = levels(shared / "indexes/microsoft/dulce-v3.0.0", capsys, "--as-model", "gpt-4.1")[-1]
    low, high = line["difference"]["cost"]  # type: ignore[index]
    assert 0 <= low <= high


def test_the_words_have_a_line_a_level(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", str(shared / CAROL)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("level ")]
    assert len(lines) == 4
    assert "97 reports" in lines[2] and "120 reports" in lines[2] and "+23 reports" in lines[2]


def test_what_cannot_be_rolled_up_says_why(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": "k", "human_readable_id": 0, "community": 0, "level": 0, "parent": -1, "children": [], "title": "K",
         "entity_ids": [], "size": 0},
    ]  # fmt: skip
    write_table(tmp_path, "communities", rows)
    report = {"id": "r", "human_readable_id": 0, "community": 0, "level": 0, "parent": -1, "children": [],
              "title": "K", "summary": "s", "full_content": "text", "rank": 5.0, "findings": []}  # fmt: skip
    write_table(tmp_path, "community_reports", [report])
    line = levels(tmp_path, capsys)[0]
    assert line["roll_up"] is None and line["difference"] is None
    assert "rolled up" in str(line["reason"])
    assert line["at_or_below"]["reports"] == 1  # type: ignore[index]


def test_a_check_of_the_machine_has_no_levels(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    assert json.loads(capsys.readouterr().out)["levels"] == []
