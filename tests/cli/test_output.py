"""What commands print: text from documents steers no terminal, and JSON stays JSON."""

from __future__ import annotations

import json

import pytest

from explorer.commands.output import write_json, write_line, write_message


def test_control_characters_are_shown_and_not_sent(capsys: pytest.CaptureFixture[str]) -> None:
    write_line("name\t\x1b]0;title\x07 back\x08 \x9b2J 王\nnext")
    write_message("no folder \x1b[31m")
    out, errors = capsys.readouterr()
    assert out == "name\t\\x1b]0;title\\x07 back\\x08 \\x9b2J 王\nnext\n"
    assert errors == "no folder \\x1b[31m\n"


def test_json_keeps_every_character(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "\x1b \x9b \x08 王 \\x1b"}
    write_json(value)
    assert json.loads(capsys.readouterr().out) == value
