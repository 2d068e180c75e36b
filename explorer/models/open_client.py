"""The client of the `openai` library for a connection: where it sends, with which key, and what it must not do.

It never retries (retries are ours to count and bill), never follows a redirect (the key would go where nobody meant
it to), and takes no address and no key from environment variables of its own. A server on this machine is reached
directly, whatever proxy the environment names.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from explorer.base.errors import InputError
from explorer.models.connection import Connection
from explorer.models.hide_key import clean_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = "https://api.openai.com/v1"
_AZURE_VERSION = "2024-10-21"  # the first stable version of its API with json_schema
NO_KEY = "none"  # the library sends none without one; servers that ask for none ignore it


def open_client(connection: Connection, key: str | None, *, timeout: float | None = None) -> AsyncOpenAI:
    """A client of a connection; close it with `await client.close()`.

    `timeout` in seconds takes the place of the connection's. Raises InputError where the address is none.
    """
    import openai

    for name in ("httpcore", "httpcore2"):  # at DEBUG these write every header of a reply down, and so what is in it
        logging.getLogger(name).setLevel(logging.INFO)
    address = server_address(connection)
    seconds = connection.timeout if timeout is None else timeout
    local = is_local(address)
    http = _quiet_client(
        key, trust_env=not local, follow_redirects=False, timeout=openai.Timeout(seconds, connect=min(seconds, 15.0))
    )
    shared: dict[str, Any] = {"api_key": key or NO_KEY, "max_retries": 0, "timeout": seconds, "http_client": http}
    if connection.kind == "azure":
        return openai.AsyncAzureOpenAI(
            azure_endpoint=address, api_version=connection.api_version or _AZURE_VERSION, **shared
        )
    return openai.AsyncOpenAI(base_url=address, **shared)


def _quiet_client(key: str | None, **settings: Any) -> Any:
    """An HTTP client whose faults never say the key."""
    import openai

    class Quiet(openai.DefaultAsyncHttpxClient):
        async def send(self, *request: Any, **how: Any) -> Any:
            try:
                return await super().send(*request, **how)
            except Exception as error:
                clean_error(error, key)
                raise

    return Quiet(**settings)


def server_address(connection: Connection) -> str:
    """The address that calls go to. Raises InputError where it is no address of a web server."""
    address = connection.base_url.strip().rstrip("/") or OPENAI
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if not fits:
        raise InputError(
            f"The address of the connection {connection.name} is no address of a server: it begins with http:// or "
            "https:// and names a host, like http://localhost:11434/v1."
        )
    return address


def is_local(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
