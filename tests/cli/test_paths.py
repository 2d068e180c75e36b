"""Paths as they are typed: what can never be a path is one sentence, and nothing is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from explorer import cli
from explorer.base.errors import OpenError
from explorer.tables.locate import locate

COMMANDS = (
    ("index", "{}"),
    ("ask", "{}", "Who?"),
    ("plan", "{}"),
    ("doctor", "{}"),
    ("export", "{}", "--graph", "--out", "graph.graphml"),
    ("export", ".", "--graph", "--out", "{}"),
    ("index", ".", "--index", "{}"),
    ("tour", "{}"),
)


@pytest.mark.parametrize("typed", ["", " ", "~nobody-of-that-name/x", "x" * 5000])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_can_never_be_a_path_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    typed: str,
) -> None:
    """An empty argument most of all: the unset variable of a script must not index the folder it happens to run in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.txt").write_text("Ada Lovelace wrote to Charles Babbage.", encoding="utf-8")
    assert cli.main([part.replace("{}", typed) for part in command]) == 2
    out, errors = capsys.readouterr()
    assert out == "" and errors.count("\n") == 1 and "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_folder_that_may_not_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the system's refusal is acted here."""

    def refuse(path: Path) -> bool:
        raise PermissionError(13, os.strerror(13), str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(OpenError, match="cannot be read"):
        locate(tmp_path)


def test_looking_for_an_index_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a writable home can still open an index that lies beside its documents."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pytest.raises(OpenError):
        locate(tmp_path)
    assert list(tmp_path.iterdir()) == []
