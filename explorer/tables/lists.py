"""Lists that a table holds as lists, as arrays, or as text: Python's, JSON's, or as arrays print themselves."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from explorer.base.words import agree

_OPENING, _CLOSING = "[({", "])}"
# The words of such a text: quoted texts, brackets, marks, and the rest (numbers, names).
# A quoted text that is never closed goes to the end: there the text was cut off.
_WORD = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<!\w)(?:'(?:[^'\\]|\\.)*\Z|"(?:[^"\\]|\\.)*\Z)"""
    r"""|[\[\](){},:]|[^\s\[\](){},:'"]+""",
    re.DOTALL,
)
# What Python prints for a list of plain texts: the common case, taken apart at once.
_PLAIN = re.compile(r"\['[^'\"\\]*'(?:, '[^'\"\\]*')*\]")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U000[0-9a-fA-F]{5}|U0010[0-9a-fA-F]{4}|\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "",
            "\\": "\\", "'": "'", '"': '"'}  # fmt: skip
_NULLS = frozenset(("None", "null", "nan", "NaN", "NaT", "<NA>"))
_WORDS: dict[str, Any] = {"True": True, "true": True, "False": False, "false": False}
_PREFIXES = frozenset("bBuUrR")
_CUT = "..."  # how an array of more than a thousand items prints what it leaves out


def items(value: Any) -> list[Any]:
    """The items of a list, an array, a list's text, or null; a structure alone is one item. Text that is no list
    gives []."""
    if value is None:
        return []
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, Mapping):
        return [value]
    try:
        return list(value)
    except TypeError:
        return []


def cut_off(value: Any) -> bool:
    """Whether the text of a list says, or shows by its end, that items are missing from it."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "(", "{", "array", "set")):
        return False
    if _CUT not in value and value.rstrip().endswith(tuple(_CLOSING)):
        return False
    return not _is_json(value) and _Reader().read(value)[1]


def cut_notes(columns: Mapping[str, list[Any]]) -> list[str]:
    """What is said of the columns of lists as text that were cut off where they were written."""
    found = []
    for name, values in columns.items():
        listed = name.endswith("_ids") or name in ("children", "findings")
        cut = sum(map(cut_off, values)) if listed and any(isinstance(value, str) for value in values[:50]) else 0
        if cut:
            found.append(f"the text of {cut} {agree(cut, 'list')} in {name} is cut off, so that items are missing")
    return found


def _from_text(value: str) -> list[Any]:
    value = value.strip()
    if not value.startswith(("[", "(", "{", "array", "set")):
        return []
    if _PLAIN.fullmatch(value):
        return value[2:-2].split("', '")
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = _Reader().read(value)[0]
    if isinstance(parsed, dict):
        return [parsed]
    return parsed if isinstance(parsed, list) else []


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


class _Frame:
    """A bracket that is open: its items, or its pairs where colons stand between them."""

    def __init__(self, closing: str, call: bool = False) -> None:
        self.closing, self.call = closing, call
        self.items: list[Any] = []
        self.pairs: dict[Any, Any] = {}
        self.key: Any = None
        self.keyed = False

    def add(self, value: Any) -> None:
        if self.keyed:
            self.pairs[self.key] = value
            self.keyed = False
        else:
            self.items.append(value)

    def colon(self) -> None:
        if self.items:
            self.key = str(self.items.pop())
            self.keyed = True

    def value(self) -> Any:
        if self.call:  # array([...], dtype=object), np.int64(7), set()
            return self.items[0] if self.items else []
        return self.pairs or self.items if self.closing == "}" else self.items


class _Reader:
    """Reads such a text without running it. White space parts items as commas do: so arrays print theirs."""

    def read(self, text: str) -> tuple[Any, bool]:
        """The value, a list or dict (None where there is none), and whether items are missing from the text."""
        frames = [_Frame("")]
        cut = False
        name_end = -1  # where a bare word ended, if the last word was one
        for match in _WORD.finditer(text):
            word = match.group()
            top = frames[-1]
            touches = match.start() == name_end
            name_end = -1
            if word in _OPENING:
                call = word == "(" and touches and bool(top.items)
                if call:
                    top.items.pop()
                frames.append(_Frame(_CLOSING[_OPENING.index(word)], call))
            elif word in _CLOSING:
                if word == top.closing:
                    frames.pop()
                    frames[-1].add(top.value())
            elif word == ":":
                top.colon()
            elif word[0] in "'\"":
                if touches and top.items and top.items[-1] in _PREFIXES:
                    top.items.pop()
                top.add(_unquoted(word))
            elif word == _CUT:
                cut = True
            elif word != ",":
                top.add(_bare(word))
                name_end = match.end()
        cut = cut or len(frames) > 1
        while len(frames) > 1:
            top = frames.pop()
            frames[-1].add(top.value())
        return (frames[0].items[0] if frames[0].items else None), cut


def _unquoted(word: str) -> str:
    body = word[1:-1] if word[-1] == word[0] and len(word) > 1 else word[1:]
    return _ESCAPE.sub(_letter, body) if "\\" in body else body


def _letter(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, match.group())


def _bare(word: str) -> Any:
    if word in _NULLS:
        return None
    if word in _WORDS:
        return _WORDS[word]
    for kind in (int, float):
        try:
            number = kind(word)
        except ValueError:
            continue
        return number if kind is int or math.isfinite(number) else None
    return word
