"""How a model is asked: for JSON under a schema, for any JSON, or in plain text with the schema in the prompt; and what
else of a request a server does not understand. What works is found out once and kept for the run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.models.calls import ReplySchema
from explorer.models.connection import ReplyMode

MODES: tuple[ReplyMode, ...] = ("json_schema", "json_object", "text")
_MODE = re.compile(r"response_format|json_?_?schema|json_object|structured.?output|grammar|guided|json mode", re.I)
_IN_VAIN = 4  # replies that did not follow a way, with none that did, after which a lower one that works takes over
# What a model may do without: these only steer how it chooses its words.
_OPTIONAL = ("temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "user")


def sent_messages(
    messages: Sequence[tuple[str, str]], schema: ReplySchema | None, mode: ReplyMode
) -> tuple[tuple[str, str], ...]:
    """The messages as they go out: below json_schema the schema stands at the end of the last one."""
    if schema is None or mode == "json_schema":
        return tuple(messages)
    role, text = messages[-1]
    return (*messages[:-1], (role, f"{text}\n\n{schema_words(schema)}"))


def schema_words(schema: ReplySchema) -> str:
    """The schema in words, for a model whose server cannot hold it to one."""
    text = json.dumps(schema.schema, ensure_ascii=False, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It must follow this JSON schema, named {schema.name}:\n{text}"


@dataclass
class Manner:
    """How the requests of one model are made; changes when the server refuses a way."""

    mode: ReplyMode = "json_schema"
    usage_in_stream: bool = True
    streams: bool = True
    base64: bool = True
    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    followed: Counter[ReplyMode] = field(default_factory=Counter)  # replies that followed the schema, by way
    missed: Counter[ReplyMode] = field(default_factory=Counter)

    def mode_for(self, malformed: int) -> ReplyMode:
        """The way to ask after so many malformed replies to one call: a lower one is tried where this never worked."""
        if malformed >= 2 and not self.followed[self.mode]:
            return MODES[min(MODES.index(self.mode) + 1, len(MODES) - 1)]
        return self.mode

    def chat_body(
        self, model: str, messages: Sequence[tuple[str, str]], schema: ReplySchema | None, mode: ReplyMode,
        parameters: Mapping[str, object], *, stream: bool,
    ) -> dict[str, Any]:  # fmt: skip
        """The body of a chat request."""
        body: dict[str, Any] = {
            self.renamed.get(name, name): value for name, value in parameters.items() if name not in self.dropped
        }
        body["model"] = model
        body["messages"] = [{"role": r, "content": t} for r, t in sent_messages(messages, schema, mode)]
        if schema is not None and mode == "json_schema":
            shape = {"name": schema.name, "schema": dict(schema.schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif schema is not None and mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        if stream and self.streams:
            body["stream"] = True
            if self.usage_in_stream:
                body["stream_options"] = {"include_usage": True}
        return body

    def note(self, mode: ReplyMode, followed: bool) -> str:
        """A reply that was asked for in a way did or did not follow the schema. One sentence where the way changes."""
        (self.followed if followed else self.missed)[mode] += 1
        if (
            followed
            and MODES.index(mode) > MODES.index(self.mode)
            and not self.followed[self.mode]
            and self.missed[self.mode] >= _IN_VAIN
        ):
            was, self.mode = self.mode, mode
            return f"The model does not follow {was}; it is asked by {mode} from here on."
        return ""

    def refused(self, said: str, body: Mapping[str, Any], mode: ReplyMode, model: str) -> str | None:
        """Change what the server did not understand in a request, by what it said.

        Returns a sentence to tell ("" where nothing that changes a result was changed), or None where nothing could be
        changed: then the request itself is wrong.
        """
        if "stream_options" in body and re.search("stream_options|include_usage", said):
            self.usage_in_stream = False
            return ""
        if "encoding_format" in body and re.search("encoding_format|base64", said):
            if body["encoding_format"] == "float":
                self.dropped.add("encoding_format")
            self.base64 = False
            return ""
        changed = self._parameter(said, body, model)
        if changed is not None:
            return changed
        if "response_format" in body and (_MODE.search(said) or not self.followed[mode]):
            if self.mode == mode:  # else another call has found it out already
                self.mode = MODES[MODES.index(mode) + 1]
                return f"The server does not take {mode}; {model} is asked by {self.mode} instead."
            return ""
        return None

    def _parameter(self, said: str, body: Mapping[str, Any], model: str) -> str | None:
        for old, new in (("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")):
            if old in body and re.search(rf"\b{old}\b", said) and old not in self.renamed.values():
                self.renamed[old] = new
                return ""
        for name in _OPTIONAL:
            if name in body and re.search(rf"\b{name}\b", said):
                self.dropped.add(name)
                return f"The model {model} refuses the parameter {name}; it was left out: the model's own value holds."
        return None
