"""One request to a server and what it brought, read with leniency: other makes leave fields out or fill them oddly."""

from __future__ import annotations

import json
import re
import sys
from array import array
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.models.faults import BadBody, error_in_body

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_THINKING = re.compile(r"\s*<think(?:ing)?>(?:.*?</think(?:ing)?>\s*|[^{\[]*\Z)", re.S)
# Where the server's template begins the thoughts, a reply holds their end only: on a line that it ends.
_THOUGHT = re.compile(r"(?!\s*[\[{`])(?:(?!<think).)*?</think(?:ing)?>[ \t]*(?:\n\s*|\Z)", re.S)


@dataclass(frozen=True)
class ChatAnswer:
    """A reply: its text, why it ended, and the tokens that the server counted (None where it does not say)."""

    text: str
    finish: str = ""
    prompt_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True)
class VectorAnswer:
    """Vectors in the order of the texts, as 32-bit floats."""

    vectors: tuple[array[float], ...]
    prompt_tokens: int | None = None


async def send_chat(client: AsyncOpenAI, body: Mapping[str, Any]) -> ChatAnswer:
    """Send a chat request and wait for its whole reply. Raises BadBody, and what the `openai` library raises."""
    return read_chat(await _post(client, "/chat/completions", body))


async def send_vectors(client: AsyncOpenAI, body: Mapping[str, Any], count: int) -> VectorAnswer:
    """Send an embedding request for `count` texts."""
    return read_vectors(await _post(client, "/embeddings", body), count)


async def stream_chat(client: AsyncOpenAI, body: Mapping[str, Any], on_piece: Callable[[str], None]) -> ChatAnswer:
    """Send a chat request and hand on the pieces of its text as they come."""
    pieces: list[str] = []
    finish = refusal = ""
    tokens: tuple[int | None, int | None] = (None, None)
    rest = {name: value for name, value in body.items() if name not in ("model", "messages", "stream")}
    stream = await client.chat.completions.create(
        model=body["model"], messages=body["messages"], stream=True, extra_body=rest
    )
    async with stream:
        if "json" in stream.response.headers.get("content-type", ""):  # some servers take the wish and stream nothing
            answer = read_chat(await stream.response.aread())
            on_piece(answer.text)
            return answer
        async for chunk in stream:
            if chunk.usage is not None:
                tokens = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
            for choice in chunk.choices or ():
                finish = choice.finish_reason or finish
                refusal += (choice.delta and choice.delta.refusal) or ""
                piece = (choice.delta and choice.delta.content) or ""
                if piece:
                    pieces.append(piece)
                    on_piece(piece)
    text = "".join(pieces)
    if not finish and text:
        raise BadBody("dropped", "The stream of the reply ended before it was finished.", text, tokens)
    return _judged(text, finish, refusal, tokens)


def read_chat(content: bytes) -> ChatAnswer:
    """The reply in the body of a chat response. Raises BadBody where there is none."""
    value = _json(content)
    tokens = _usage(value)
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadBody("empty", "The server's reply holds no choice.", tokens=tokens)
    message = choices[0].get("message")
    message = message if isinstance(message, dict) else {}
    text = _text(message.get("content")) or _text(choices[0].get("text"))
    return _judged(text, str(choices[0].get("finish_reason") or ""), _text(message.get("refusal")), tokens)


def read_vectors(content: bytes, count: int) -> VectorAnswer:
    """The vectors in the body of an embedding response. Raises BadBody where one is missing or is none."""
    value = _json(content)
    tokens = _usage(value)
    rows = value.get("data")
    if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, dict) for row in rows):
        given = len(rows) if isinstance(rows, list) else 0
        raise BadBody("malformed", f"The server gave {given} vectors for {count} texts.", tokens=tokens)
    found: dict[int, array[float]] = {}
    for place, row in enumerate(rows):
        index = row.get("index", place)
        vector = _vector(row.get("embedding"))
        if vector is not None and isinstance(index, int):
            found[index] = vector
    lengths = {len(vector) for vector in found.values()}
    if sorted(found) != list(range(count)) or len(lengths) != 1 or 0 in lengths:
        raise BadBody("malformed", "The server's vectors are empty, not numbers, or of several lengths.", tokens=tokens)
    return VectorAnswer(tuple(found[index] for index in range(count)), tokens[0])


def without_thinking(text: str) -> str:
    """The reply without the thoughts that some models put before it; nothing is left of one that is only thoughts."""
    found = _THINKING.match(text) or ("</think" in text and _THOUGHT.match(text))
    return text[found.end() :] if found else text


async def _post(client: AsyncOpenAI, path: str, body: Mapping[str, Any]) -> bytes:
    import httpx2

    # The library's own address, key, time-outs and errors; its models of a reply would only cost time, and refuse
    # what servers of other makes send.
    response = await client.post(path, cast_to=httpx2.Response, body=dict(body))
    return response.content


def _json(content: bytes) -> dict[str, Any]:
    if not content.strip():
        raise BadBody("empty", "The server's reply is empty.")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        text = content[:2000].decode("utf-8", "replace")
        if text.lstrip()[:1] == "<":
            said = "The server answers with a web page: the address is not that of the API."
            raise BadBody("web_page", said) from None
        raise BadBody("malformed", "The server's reply is cut off or is no JSON.", text) from None
    if not isinstance(value, dict):
        raise BadBody("malformed", "The server's reply is JSON, but not that of a model server.")
    error = error_in_body(value)
    if error is not None:
        raise error
    return value


def _judged(text: str, finish: str, refusal: str, tokens: tuple[int | None, int | None]) -> ChatAnswer:
    if refusal and not text.strip():
        raise BadBody("refused", "The model refuses to answer.", refusal, tokens)
    if finish == "content_filter":
        raise BadBody("refused", "The server's content filter held the reply back.", text, tokens)
    if not without_thinking(text).strip():
        cut = " It was cut before it began: the model may need more tokens for its reply." if finish == "length" else ""
        raise BadBody("empty", f"The reply is empty.{cut}", text, tokens)
    return ChatAnswer(text, finish, *tokens)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):  # parts, as some servers give
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    return ""


def _usage(value: Mapping[str, Any]) -> tuple[int | None, int | None]:
    usage = value.get("usage")
    if not isinstance(usage, Mapping):
        return None, None
    prompt, output = (usage.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return (
        prompt if isinstance(prompt, int) and prompt > 0 else None,
        output if isinstance(output, int) and output >= 0 else None,
    )


def _vector(value: object) -> array[float] | None:
    vector: array[float] = array("f")
    try:
        if isinstance(value, str):
            vector.frombytes(b64decode(value, validate=True))
            if sys.byteorder == "big":
                vector.byteswap()
        elif isinstance(value, list):
            vector.extend(value)
        else:
            return None
    except (ValueError, TypeError, OverflowError):
        return None
    return vector if all(-3.5e38 < number < 3.5e38 for number in vector) else None
