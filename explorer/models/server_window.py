"""How long a prompt a server takes: from its list of models, or from the ways in which local servers tell it."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from explorer.models.connection import Connection
from explorer.models.open_client import NO_KEY, is_local, server_address

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_SECONDS = 3.0
# vLLM, OpenRouter, LM Studio, llama.cpp and Mistral say it in their lists, each under a name of its own.
_NAMES = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")


def listed_window(entry: Any) -> int | None:
    """The context window in tokens that a list of models says of one of them, or None."""
    value = entry if isinstance(entry, dict) else getattr(entry, "model_extra", None) or {}
    meta = value.get("meta")
    candidates = [value.get(name) for name in _NAMES]
    if isinstance(meta, dict):
        candidates.append(meta.get("n_ctx"))
    return next((number for number in candidates if _is_size(number)), None)


async def loaded_window(client: AsyncOpenAI, connection: Connection) -> int | None:
    """The context window with which a server of the user's own network runs the chat model now, or None.

    Asked after a call, when the model is loaded: Ollama (/api/ps), llama.cpp (/props), LM Studio (/api/v0/models).
    No key is sent with these questions.
    """
    address = server_address(connection)
    if connection.kind != "compatible" or not _is_near(address):
        return None
    parts = urlsplit(address)
    root = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    import openai

    asking = client.with_options(base_url=root, api_key=NO_KEY, timeout=_SECONDS)
    for path, read in (("/api/ps", _ollama), ("/props", _llama_cpp), ("/api/v0/models", _lm_studio)):
        try:
            value = await asking.get(path, cast_to=object)
        except (openai.OpenAIError, ValueError):
            continue
        size = read(value, connection.chat_model) if isinstance(value, dict) else None
        if size is not None:
            return size
    return None


def _ollama(value: dict[str, Any], model: str) -> int | None:
    for entry in value.get("models") or []:
        if isinstance(entry, dict) and model in (entry.get("name"), str(entry.get("name")).removesuffix(":latest")):
            size = entry.get("context_length")
            return size if _is_size(size) else None
    return None


def _llama_cpp(value: dict[str, Any], _model: str) -> int | None:
    settings = value.get("default_generation_settings")
    size = settings.get("n_ctx") if isinstance(settings, dict) else None
    return size if _is_size(size) else None


def _lm_studio(value: dict[str, Any], model: str) -> int | None:
    for entry in value.get("data") or []:
        if isinstance(entry, dict) and entry.get("id") == model:
            size = entry.get("loaded_context_length")
            return size if _is_size(size) else None
    return None


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_near(address: str) -> bool:
    if is_local(address):
        return True
    try:
        return ipaddress.ip_address(urlsplit(address).hostname or "").is_private
    except ValueError:
        return False
