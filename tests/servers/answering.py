"""A model request → what is sent back, as a plan: status, body or pieces, after which time, and what the log says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.servers import wire
from tests.servers.counting import first_tokens, last_tokens, tokens
from tests.servers.replies import spoil, write
from tests.servers.settings import FaultRule, ServerSettings, share
from tests.servers.tasks import read_ask
from tests.servers.vectors import embed_all, encoded, texts_of

CONTENT_FAULTS = ("truncated", "prose", "fenced", "wrong_types", "nonsense", "empty_content", "length")
CLOSING_FAULTS = ("drop", "drop_body", "hang")


@dataclass
class Plan:
    """What is to be sent. `pieces` stand in for `body` where the reply is a stream."""

    status: int = 200
    body: bytes = b""
    pieces: list[bytes] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    outcome: str = "ok"
    prompt_tokens: int = 0
    output_tokens: int = 0
    closing: str = ""  # drop, drop_body or hang
    delay: float = 0.0  # seconds after the arrival
    text: str = ""


def refusal(status: int, outcome: str, message: str, code: str | None, parameter: str | None = None) -> Plan:
    """A request that is refused in OpenAI's form."""
    kind = "requests" if status == 429 else "invalid_request_error" if status < 500 else "server_error"
    return Plan(status, wire.error(message, kind, code, parameter), outcome=outcome)


def identity(model: str, body: Mapping[str, Any]) -> str:
    """A hash of what is asked: the same for every repeat of a call, whatever else is sent with it."""
    asked = {"model": model, **{name: body.get(name) for name in ("messages", "input", "response_format")}}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]


def latency(settings: ServerSettings, key: str) -> float:
    """Seconds that a request takes: fixed, or chosen by what it asks."""
    if isinstance(settings.latency, tuple):
        low, high = settings.latency
        return low + (high - low) * share("latency", key)
    return settings.latency


def fault_plan(rule: FaultRule) -> Plan | None:
    """The plan of a fault that needs no reply of the model; None for the others."""
    if rule.fault == "rate_limit":
        plan = refusal(429, "rate_limit", "Rate limit reached for this model. Please slow down.", "rate_limit_exceeded")
        if rule.retry_after is not None:
            plan.headers["retry-after"] = f"{rule.retry_after:g}"
        if rule.retry_after_ms is not None:
            plan.headers["retry-after-ms"] = f"{rule.retry_after_ms:g}"
        return plan
    if rule.fault == "quota":
        message = "You exceeded your current quota, please check your plan and billing details."
        return Plan(429, wire.error(message, "insufficient_quota", "insufficient_quota"), outcome="quota")
    if rule.fault.isdigit():
        status = int(rule.fault)
        said = {400: "The request is not understood.", 401: "Incorrect API key provided."}
        return refusal(status, rule.fault, said.get(status, "The server had an error while it worked on this."), None)
    if rule.fault in ("drop", "hang"):
        return Plan(closing=rule.fault, outcome=rule.fault)
    if rule.fault == "empty_body":
        return Plan(outcome="empty_body")
    if rule.fault == "bad_body":
        return Plan(body=b"<html><body>The gateway is warm.</body></html>", kind="text/html", outcome="bad_body")
    return None


def plan_chat(body: Mapping[str, Any], model: str, settings: ServerSettings, rule: FaultRule | None, key: str) -> Plan:
    """The plan of a chat request that is well formed, allowed and within the limits."""
    fault = rule.fault if rule else ""
    messages, prompt_tokens, refused = _within_window(body, settings)
    if refused:
        return refused
    mode = (body.get("response_format") or {}).get("type", "text")
    ask = read_ask({**body, "messages": messages}, honoured=mode in settings.modes)
    content = spoil(write(ask), fault)
    finish = "stop"
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    if limit and tokens(content, settings.tokens) > int(limit):
        content, finish = first_tokens(content, int(limit), settings.tokens), "length"
    if fault == "length":
        finish = "length"
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    if fault == "refusal":
        content = "I'm sorry, I cannot assist with that request."
        message = {"role": "assistant", "content": None, "refusal": content}
    elif fault in ("null_content", "filtered"):
        content, message["content"] = "", None
        finish = "content_filter" if fault == "filtered" else finish
    output_tokens = tokens(content, settings.tokens) if content else 0
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": prompt_tokens + output_tokens,
    }
    plan = Plan(prompt_tokens=prompt_tokens, output_tokens=output_tokens, outcome=fault or "ok", text=content)
    head = {"id": f"chatcmpl-{key}", "created": 1_700_000_000, "model": model}
    if body.get("stream"):
        plan.pieces = _pieces(head, message, finish, usage if settings.usage else None, body)
        plan.kind = "text/event-stream"
        plan.closing = fault if fault in CLOSING_FAULTS else ""
        return plan
    choices = (
        [] if fault == "no_choices" else [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}]
    )
    reply: dict[str, Any] = {**head, "object": "chat.completion", "choices": choices}
    if settings.usage:
        reply["usage"] = usage
    return _with_body(plan, wire.json_bytes(reply), fault)


def plan_embedding(
    body: Mapping[str, Any], model: str, settings: ServerSettings, rule: FaultRule | None, key: str
) -> Plan:
    """The plan of an embedding request."""
    texts = texts_of(body.get("input"))
    if texts is None or not all(texts):
        return refusal(400, "bad_request", "'$.input' is invalid.", None, "input")
    prompt_tokens = sum(tokens(text, settings.tokens) for text in texts)
    if settings.context_window is not None:
        longest = max(tokens(text, settings.tokens) for text in texts)
        if longest > settings.context_window:
            if settings.over_window == "refuse":
                return _too_long(settings.context_window, longest, "input")
            texts = [first_tokens(text, settings.context_window, settings.tokens) for text in texts]
    dimension = int(body.get("dimensions") or settings.dimension)
    form = body.get("encoding_format", "float")
    fault = rule.fault if rule else ""
    data = [
        {"object": "embedding", "index": index, "embedding": encoded(vector, form)}
        for index, vector in enumerate(embed_all(texts, dimension, settings.embedder))
    ]
    reply: dict[str, Any] = {"object": "list", "data": [] if fault == "no_choices" else data, "model": model}
    if settings.usage:
        reply["usage"] = {"prompt_tokens": prompt_tokens, "total_tokens": prompt_tokens}
    plan = Plan(prompt_tokens=prompt_tokens, outcome=fault or "ok")
    return _with_body(plan, wire.json_bytes(reply), fault)


def _with_body(plan: Plan, body: bytes, fault: str) -> Plan:
    plan.body = body[: len(body) * 2 // 3] if fault == "truncated_body" else body
    plan.closing = fault if fault in CLOSING_FAULTS else ""
    return plan


def _within_window(body: Mapping[str, Any], settings: ServerSettings) -> tuple[list[Any], int, Plan | None]:
    """The messages that the model reads, their tokens, and a refusal where they are too long for it."""
    messages = list(body.get("messages") or ())
    counts = [tokens(_content(message), settings.tokens) + settings.message_tokens for message in messages]
    total = sum(counts)
    window = settings.context_window
    if window is None or total <= window:
        return messages, total, None
    if settings.over_window == "refuse":
        return messages, total, _too_long(window, total, "messages")
    longest = counts.index(max(counts))
    kept = max(1, counts[longest] - (total - window))
    messages[longest] = {
        **messages[longest],
        "content": last_tokens(_content(messages[longest]), kept, settings.tokens),
    }
    return messages, window, None


def _content(message: Any) -> str:
    content = message.get("content") if isinstance(message, Mapping) else ""
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content)
    return content or ""


def _too_long(window: int, asked: int, parameter: str) -> Plan:
    message = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in {asked} tokens. "
        "Please reduce the length of the messages."
    )
    return refusal(400, "too_long", message, "context_length_exceeded", parameter)


def _pieces(
    head: Mapping[str, Any],
    message: Mapping[str, Any],
    finish: str,
    usage: Mapping[str, int] | None,
    body: Mapping[str, Any],
) -> list[bytes]:
    """The events of a stream: role, text in pieces of some words, the end, and the usage where it was asked for."""

    def event(value: Mapping[str, Any]) -> bytes:
        return b"data: " + wire.json_bytes({**head, "object": "chat.completion.chunk", **value}) + b"\n\n"

    def delta(part: Mapping[str, Any], reason: str | None = None) -> bytes:
        return event({"choices": [{"index": 0, "delta": part, "finish_reason": reason}]})

    content = message["content"] or ""
    pieces = [delta({"role": "assistant", "content": ""})]
    pieces += [delta({"content": content[start : start + 24]}) for start in range(0, len(content), 24)]
    if message.get("refusal"):
        pieces.append(delta({"refusal": message["refusal"]}))
    pieces.append(delta({}, finish))
    if usage and (body.get("stream_options") or {}).get("include_usage"):
        pieces.append(event({"choices": [], "usage": usage}))
    pieces.append(b"data: [DONE]\n\n")
    return pieces
