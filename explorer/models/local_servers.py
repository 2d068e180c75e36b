"""Servers of language models that run on this machine, on the ports that they usually take.

Only this machine is asked, without a key and without a proxy; nothing is sent to it but the question for its models.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.models.connection import Connection

PORTS: Mapping[int, str] = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",
    8000: "vLLM",
    4000: "LiteLLM",
    1337: "Jan",
    5001: "KoboldCpp",
    4891: "GPT4All",
}
_HOST = "127.0.0.1"
_SECONDS = 1.5
_BYTES = 1_000_000
_MODELS = 500
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "library": "Ollama"}
_EMBEDDING = ("embed", "bge-", "minilm", "gte-", "e5-", "arctic")


@dataclass(frozen=True)
class LocalServer:
    """A server that answered. `models` are the names it lists; with `needs_key` it lists none without a key."""

    name: str
    base_url: str
    models: tuple[str, ...] = ()
    needs_key: bool = False

    def as_connection(self) -> Connection:
        """A connection to it, with the first chat and embedding model of its list; the user may change all of it.

        A local model works on one prompt after the other, so few calls are out at one time.
        """
        embedding = [model for model in self.models if any(mark in model.casefold() for mark in _EMBEDDING)]
        chat = [model for model in self.models if model not in embedding]
        return Connection(
            name=self.name,
            base_url=self.base_url,
            chat_model=chat[0] if chat else "",
            embedding_model=embedding[0] if embedding else "",
            concurrency=2,
            key="keyring" if self.needs_key else "none",
        )


def find_local_servers(ports: Mapping[int, str] | None = None) -> list[LocalServer]:
    """The servers that answer now, in the order of `PORTS`; all ports are asked at once, for at most 1.5 seconds.

    `ports` (number → what usually is there) takes the place of the usual ones.
    """
    asked = PORTS if ports is None else ports
    found: dict[int, LocalServer] = {}
    threads = [
        threading.Thread(target=_look, args=(port, name, found), name=f"port {port}", daemon=True)
        for port, name in asked.items()
    ]
    for thread in threads:
        thread.start()
    end = time.monotonic() + _SECONDS + 0.5
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return [found[port] for port in asked if port in found]


def _look(port: int, name: str, found: dict[int, LocalServer]) -> None:
    try:
        status, value = _models_at(port)
    except (OSError, http.client.HTTPException, ValueError):
        return
    url = f"http://{_HOST}:{port}/v1"
    if status == 200 and isinstance(value, dict) and isinstance(value.get("data"), list):
        entries = [entry for entry in value["data"] if isinstance(entry, dict)][:_MODELS]
        owners = {_OWNERS[owner] for entry in entries if (owner := str(entry.get("owned_by"))) in _OWNERS}
        if len(owners) == 1:
            (name,) = owners
        models = sorted({model for entry in entries if (model := _name(entry.get("id")))})
        found[port] = LocalServer(name, url, tuple(models))
    elif status in (401, 403) and isinstance(value, dict) and ("error" in value or "detail" in value):
        found[port] = LocalServer(name, url, needs_key=True)


def _models_at(port: int) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(_HOST, port, timeout=_SECONDS)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read(_BYTES))
    finally:
        connection.close()


def _name(value: object) -> str:
    """A model's name as a server gives it, or "" for what is none: it is shown, and sent back, as it is."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= 200 else ""
