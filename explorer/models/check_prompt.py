"""The one chat call of a connection's test: a real extraction prompt over a text unit of the usual length.

Three people are named in it, at the very beginning, in the middle and at the end. A server whose context window is too
short drops the beginning in silence: the model then never saw the first one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from explorer.base.paths import resource
from explorer.base.tokens import EncodingName, count_tokens

UNIT_TOKENS = 1200  # GraphRAG's size of a text unit
FIRST, MIDDLE, LAST = "Ottilie Brandvold", "Casimir Quayle", "Hollis Wrenfield"
_TYPES = "the kind of thing it is, in one or two words"

_OBJECT = {"type": "object", "additionalProperties": False}
_TEXT = {"type": "string"}
SCHEMA: Mapping[str, object] = {
    **_OBJECT,
    "required": ["entities", "relationships"],
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                **_OBJECT,
                "required": ["title", "type", "description"],
                "properties": {"title": _TEXT, "type": _TEXT, "description": _TEXT},
            },
        },
        "relationships": {
            "type": "array",
            "items": {
                **_OBJECT,
                "required": ["source", "target", "description", "strength"],
                "properties": {
                    "source": _TEXT, "target": _TEXT, "description": _TEXT, "strength": {"type": "integer"},
                },
            },
        },
    },
}  # fmt: skip
SCHEMA_NAME = "entity_extraction"

# Filling that names nothing, so that the reply stays short.
_FILLING = (
    "On day {n} the ledger notes {a} loads of hay, {b} sacks of barley and a light rain before noon.",
    "The water in the lower field stood {a} hands high, and {b} paces of the ditch were cleared.",
    "In week {n} the roof over the store was mended with {a} new boards and {b} nails.",
    "The weights were checked {a} times that day and found true but for {b} grains.",
)


@dataclass(frozen=True)
class CheckPrompt:
    """`text` is the whole message, `tokens` its length by our own count."""

    text: str
    tokens: int


def check_prompt(tokenizer: EncodingName = "o200k_base") -> CheckPrompt:
    """The message of the test, a little longer than the extraction prompt of a text unit of 1,200 tokens."""
    passage = _passage(tokenizer)
    rendered = Template(resource("prompts", f"{SCHEMA_NAME}.txt").read_text("utf-8").rstrip("\n")).safe_substitute(
        entity_types=_TYPES, input_text=passage
    )
    head = f"{FIRST} keeps the ledger from which the passage below was copied. Name her among the entities too."
    text = f"{head}\n\n{rendered}"
    return CheckPrompt(text, count_tokens(text, tokenizer))


def schema_in_words() -> str:
    """What is added to the prompt for a server that cannot be given a schema."""
    return f"\n\nReply with one JSON object and nothing else. It follows this JSON schema:\n{json.dumps(SCHEMA)}"


def read_reply(text: str) -> tuple[bool, bool, int]:
    """(whether it is JSON as it stands, whether it can be read at all, how many entities it has)."""
    try:
        value = json.loads(text)
        strict = True
    except ValueError:
        from json_repair import repair_json

        value, strict = repair_json(text, return_objects=True), False
    if isinstance(value, dict) and isinstance(value.get("entities"), list):
        return strict, True, len(value["entities"])
    return False, False, 0


def found_names(text: str) -> tuple[bool, bool, bool]:
    """Which of the three people a reply names: at the beginning of the prompt, in the middle, at the end."""
    low = text.casefold()
    first, middle, last = (name.split()[-1].casefold() in low for name in (FIRST, MIDDLE, LAST))
    return first, middle, last


def _passage(tokenizer: EncodingName) -> str:
    middle = f"{MIDDLE} bought the mill from the parish that spring."
    last = f"At the end of the season {LAST} paid the debt that {MIDDLE} owed to the parish."
    lines: list[str] = []
    used = count_tokens(f"{middle} {last}", tokenizer)
    number = 0
    while used < UNIT_TOKENS:
        line = _FILLING[number % len(_FILLING)].format(n=number + 1, a=3 + number * 7 % 19, b=2 + number * 5 % 23)
        used += count_tokens(f" {line}", tokenizer)
        lines.append(line)
        number += 1
    half = len(lines) // 2
    return " ".join([*lines[:half], middle, *lines[half:], last])
