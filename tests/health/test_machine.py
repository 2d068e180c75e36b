"""The check-up of the machine."""

from __future__ import annotations

import importlib.util
import subprocess
from typing import Any

import pytest

from explorer import __version__
from explorer.health import machine
from explorer.health.doctor import check_machine


def kinds() -> set[str]:
    return {defect.kind for defect in check_machine().defects}


def test_this_machine_runs_the_tests_so_it_has_what_they_need() -> None:
    found = check_machine()
    assert found.version == __version__ and found.tables == []
    assert kinds() <= {"spacy_grade_missing", "no_fonts"}
    assert ("spacy_grade_missing" in kinds()) == (importlib.util.find_spec("spacy") is None)


def test_a_missing_system_library_of_qt_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "ImportError: libGL.so.1: cannot open shared object file: No such file or directory"

    def failing(*arguments: Any, **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, 1, "", f"Traceback …\n{line}\n")

    monkeypatch.setattr(machine.subprocess, "run", failing)
    defect = next(defect for defect in check_machine().defects if defect.kind == "qt_not_loaded")
    assert defect.example == line and "launch.py" in defect.remedy


def test_what_is_not_installed_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def tokens(text: str, name: str) -> int:
        raise FileNotFoundError(name)

    monkeypatch.setattr(machine, "model_name", lambda: None)
    monkeypatch.setattr(machine, "_font_files", lambda: iter(()))
    monkeypatch.setattr(machine, "count_tokens", tokens)
    monkeypatch.setattr(machine, "_LIBRARIES", ("no_such_library",))
    monkeypatch.setattr(machine, "OLDEST", (99, 0))
    assert kinds() == {
        "spacy_grade_missing", "no_fonts", "vocabulary_missing", "library_missing", "python_too_old",
    }  # fmt: skip
    assert all(defect.remedy for defect in check_machine().defects)
