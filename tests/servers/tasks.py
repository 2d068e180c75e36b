"""Which task a chat request sets: by its schema's name, else by the fields it asks for; for any program's prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KNOWN = (
    "entity_extraction",
    "claim_extraction",
    "community_report",
    "map_points",
    "community_rating",
    "drift_primer",
    "drift_step",
)
_HEAD = 6000  # characters in which instructions are looked for
_MARKS = (  # all words of a line must stand in the instructions, as names of fields
    ("entity_extraction", ("entities", "relationships")),
    ("community_report", ("findings", "rating")),
    ("map_points", ("points", "score")),
    ("claim_extraction", ("claims",)),
    ("drift_primer", ("intermediate_answer", "follow_up_queries")),
    ("drift_step", ("response", "follow_up_queries")),
    ("community_rating", ("rating", "reason")),
)
_SCHEMA_LINE = re.compile(r"\n(\{.*\"properties\".*\})\s*$")
_SCHEMA_NAME = re.compile(r"named (\w+)")
_TEXT_MARK = re.compile(
    r"(?:^|\n)[^\S\n]*(?:(?:Text|Data|Reports|Notes|Points|Input text|Context|Description List)[^\S\n]*:[^\S\n]*"
    r"|-+(?:Data tables|Information|Analyst Reports)-+[^\S\n]*)\n?"
)


@dataclass(frozen=True)
class Ask:
    """A chat request as the model reads it. `form` is json, text or tuples (GraphRAG's records)."""

    messages: tuple[tuple[str, str], ...]
    task: str
    form: str
    schema_name: str = ""
    schema: Mapping[str, Any] | None = None

    @property
    def prompt(self) -> str:
        return "\n".join(content for _role, content in self.messages)

    @property
    def question(self) -> str:
        """The last thing that the user said."""
        return next((content for role, content in reversed(self.messages) if role == "user"), "")

    @property
    def answered_before(self) -> bool:
        """Whether the conversation holds a reply already: a gleaning."""
        return any(role == "assistant" for role, _content in self.messages)

    @property
    def given(self) -> str:
        """The text that the task is about: what follows the heading of the data, or the longest message of the user."""
        asked = [(role, content) for role, content in self.messages if role != "assistant"]
        for _role, content in asked:
            if self.form == "tuples":
                marks = list(re.finditer(r"\n[^\S\n]*Text[^\S\n]*:[^\S\n]*", content))
                if marks:
                    return re.sub(r"\n#+\n\s*Output:\s*$|\nOutput:\s*$", "", content[marks[-1].end() :])
                continue
            # A document may hold the same words, and an example too: the first heading after the instructions counts.
            start = max(0, content.find("# Real Data"))
            if found := _TEXT_MARK.search(content, start):
                return content[found.end() :]
        return max((content for role, content in asked if role == "user"), key=len, default="")


def read_ask(body: Mapping[str, Any], honoured: bool = True) -> Ask:
    """What a chat request asks. `honoured` is whether its response_format is obeyed at all."""
    messages = tuple(_message(message) for message in body.get("messages") or ())
    format_ = body.get("response_format") or {}
    mode = format_.get("type", "text") if honoured else "text"
    described = format_.get("json_schema") or {} if mode == "json_schema" else {}
    schema = described.get("schema")
    name = str(described.get("name", ""))
    if schema is None and messages:
        messages, schema, name = _schema_in_words(messages)
    instructions = _instructions(messages)
    if schema is not None:
        task = name if name in KNOWN else _task_of(schema)
        return Ask(messages, task, "json", name, schema)
    if "<|>" in instructions:
        task = "entity_extraction" if '("entity"<|>' in instructions else "claim_extraction"
        return Ask(messages, task, "tuples", name)
    task = next((task for task, marks in _MARKS if _asks_for(instructions, marks)), "")
    if task or mode == "json_object":
        return Ask(messages, task or "text", "json", name)
    return Ask(messages, "text", "text", name)


def _schema_in_words(
    messages: tuple[tuple[str, str], ...],
) -> tuple[tuple[tuple[str, str], ...], Mapping[str, Any] | None, str]:
    """A schema that stands at the end of the last message, with its name; the messages are without it then."""
    role, content = messages[-1]
    line = _SCHEMA_LINE.search(content)
    if line is None:
        return messages, None, ""
    try:
        schema = json.loads(line.group(1))
    except ValueError:
        return messages, None, ""
    start = max(content.rfind("\n\n", 0, line.start()), 0)
    name = _SCHEMA_NAME.search(content, start)
    return (*messages[:-1], (role, content[:start])), schema, name.group(1) if name else ""


def _message(message: Any) -> tuple[str, str]:
    content = message.get("content") if isinstance(message, Mapping) else ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return str(message.get("role", "user")), content or ""


def _instructions(messages: Sequence[tuple[str, str]]) -> str:
    """The beginnings of the messages that are not replies, and the end of the last one (a schema may stand there)."""
    parts = [content[:_HEAD] for role, content in messages if role != "assistant"]
    last = messages[-1][1] if messages else ""
    return "\n".join([*parts, last[-2000:]])


def _asks_for(instructions: str, marks: Sequence[str]) -> bool:
    return all(re.search(rf"[\"'`]{mark}[\"'`]|(?:^|\n)\s*- {mark}:", instructions) for mark in marks)


def _task_of(schema: Mapping[str, Any]) -> str:
    properties = set(schema.get("properties", {}))
    return next((task for task, marks in _MARKS if set(marks) <= properties), "generic")
