"""Values as a person types them, and back: parameters as `name = value, name = value`, prices as numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from explorer.base.errors import InputError


def parameters_text(parameters: Mapping[str, object]) -> str:
    """Parameters on one line; values as JSON has them, words as they are where that is clear."""
    return ", ".join(f"{name} = {_value_text(value)}" for name, value in parameters.items())


def read_parameters(text: str) -> dict[str, object]:
    """Parameters from one line. Raises InputError where a part has no name or no value."""
    found: dict[str, object] = {}
    for part in _parts(text):
        name, sign, value = part.partition("=")
        name, value = name.strip(), value.strip()
        if not sign or not name or not value:
            raise InputError(f"“{part.strip()}” is no parameter: write name = value, and commas between them.")
        found[name] = _value(value)
    return found


def read_price(text: str) -> float | None:
    """US dollars for a million tokens, None for an empty field (unknown). Raises InputError for what is no price."""
    text = text.strip().removeprefix("$").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InputError(
            "A price is a number of US dollars for a million tokens, like 2.50; leave it empty if unknown."
        )
    return value


def price_text(value: float | None) -> str:
    """A price as it is shown: at least two digits after the point, and as many as it has."""
    if value is None:
        return ""
    short = f"{value:.2f}"
    return short if float(short) == value else f"{value:g}"


def _value_text(value: object) -> str:
    if isinstance(value, str) and _value(value) == value and not set(value) & set(',=[]{}"'):
        return value
    return json.dumps(value, ensure_ascii=False)


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _parts(text: str) -> list[str]:
    """The text cut at commas and line breaks that stand in no brackets and no quotes; empty parts are left out."""
    parts, start, depth, quoted, escaped = [], 0, 0, False, False
    for place, letter in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped = letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter in ",\n" and depth <= 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]
