"""doctor as a script runs it: exit code 0 sound, 1 defects, 2 cannot be opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer import cli


def doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["doctor", *arguments])
    out, errors = capsys.readouterr()
    return code, out, errors


def test_a_sound_index_a_defect_one_and_none(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = doctor(capsys, str(shared / "indexes/broken/community_without_report"), "--json")
    assert code == 1
    found = json.loads(out)
    assert list(found)[:3] == ["version", "tables", "defects"]
    assert all(list(table) == ["name", "state", "rows", "reason"] for table in found["tables"])
    assert all(list(defect) == ["kind", "count", "example", "remedy"] for defect in found["defects"])
    code, out, errors = doctor(capsys, str(tmp_path))
    assert code == 2 and out == "" and errors.count("\n") == 1


def test_words_name_the_defect_and_its_remedy(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = doctor(capsys, str(shared / "indexes/broken/community_without_report"))
    assert code == 1
    assert "5 communities without a report, for example" in out
    assert "community_reports  read" in out
