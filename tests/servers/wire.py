"""HTTP/1.1 as the model server needs it: requests from a stream, and replies as bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class Request:
    """A request whose body has come in. Header names are in lower case; `target` has no query."""

    method: str
    target: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def key(self) -> str:
        """The key that came with it, "" for none."""
        bearer = self.headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return bearer[7:].strip()
        return self.headers.get("api-key", "")

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request of a connection; None at its end. Raises ValueError for what is no HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, _version = first.split(" ")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    try:
        body = await _read_body(reader, headers)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    path, _, query = target.partition("?")
    return Request(method, path, query, headers, body)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        parts = []
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            parts.append(await reader.readexactly(size))
            await reader.readexactly(2)
        await reader.readuntil(b"\r\n")
        return b"".join(parts)
    return await reader.readexactly(int(headers.get("content-length", "0")))


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """The head of a reply, with the empty line."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Unknown')}"]
    lines.extend(f"{name}: {value}" for name, value in headers.items())
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reply(status: int, body: bytes, headers: Mapping[str, str] | None = None, kind: str = "application/json") -> bytes:
    """A whole reply with its length."""
    return head(status, {"content-type": kind, "content-length": str(len(body)), **(headers or {})}) + body


def json_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def error(message: str, kind: str, code: str | None = None, parameter: str | None = None) -> bytes:
    """The body of an error in OpenAI's form."""
    return json_bytes({"error": {"message": message, "type": kind, "param": parameter, "code": code}})


def chunk(data: bytes) -> bytes:
    """A piece of a body whose length is not known before."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
