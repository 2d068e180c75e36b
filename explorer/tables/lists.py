"""Lists that a table holds as lists, as arrays, or as text: Python's, JSON's, or as arrays print themselves."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

# How numpy 2 shows its numbers inside a list's Python text: np.int64(7).
_NUMPY = re.compile(r"np\.\w+\(([^()]*)\)")
# How arrays and frames wrap a list: array([...], dtype=object).
_ARRAY = re.compile(r"\barray\((\[.*?\])(?:, dtype=[\w.<>']+)?\)", re.DOTALL)
# The words of such a text: quoted texts, brackets, marks, and the rest (numbers, names).
_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[\](){},:]|[^\s\[\](){},:'"]+""", re.DOTALL)
_OPENING, _CLOSING = "[({", "])}"


def items(value: Any) -> list[Any]:
    """The items of a list, an array, a list's text, or null. Text that is no list gives []."""
    if value is None:
        return []
    if isinstance(value, str):
        return _from_text(value)
    try:
        return list(value)
    except TypeError:
        return []


def _from_text(value: str) -> list[Any]:
    value = value.strip()
    if not value.startswith(("[", "(", "{", "array", "set")):
        return []
    parsed = _parse(value)
    if isinstance(parsed, dict):
        return [parsed]
    return list(parsed) if isinstance(parsed, (list, tuple, set, frozenset)) else []


def _parse(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    plain = _ARRAY.sub(r"\1", _NUMPY.sub(r"\1", value))
    try:
        parsed = ast.literal_eval(_with_commas(plain))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return [item for item in parsed if item is not ...] if isinstance(parsed, list) else parsed


def _with_commas(value: str) -> str:
    """The text with commas between neighbours that have none: arrays print theirs with white space alone."""
    parts: list[str] = []
    after_value = False
    for match in _WORD.finditer(value):
        word = match.group()
        is_mark = word in (",", ":")
        if after_value and not is_mark and word not in _CLOSING:
            parts.append(",")
        parts.append(word)
        after_value = not is_mark and word not in _OPENING
    return " ".join(parts)
