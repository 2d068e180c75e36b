"""A folder that a scripted model finds something in, and the connection to its server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.models.connection import Connection
from explorer.models.prices import Price
from tests.indexing.folders import make_folder
from tests.servers.running import RunningServer

PEOPLE = ("Anna Kern", "Bruno Falk", "Clara Voss", "Dario Lenz", "Emil Stark", "Frieda Holm")
TOWNS = ("Norderbach", "Westerlund", "Altmark", "Seefeld")


def texts(files: int = 6, sentences: int = 120) -> dict[str, str]:
    """Files of two to three text units of 600 tokens, each about a few people in a town; nothing is random."""
    return {
        f"{number:02}.txt": " ".join(
            f"{PEOPLE[(number + at) % 6]} met {PEOPLE[(number * at + 1) % 6]} in {TOWNS[at % 4]} and spoke of "
            f"the harbour {number}."
            for at in range(sentences)
        )
        for number in range(files)
    }


def model_folder(folder: Path, files: int = 6, sentences: int = 120) -> Path:
    return make_folder(folder, texts(files, sentences))


def connect(server: RunningServer, **settings: Any) -> Connection:
    """A connection to the scripted server, with prices."""
    values: dict[str, Any] = {
        "name": "scripted",
        "base_url": server.url,
        "chat_model": "scripted-chat",
        "key": "none",
        "concurrency": 8,
        "timeout": 120.0,
        "retries": 0,
        "prices": {"scripted-chat": Price(prompt=1.0, output=4.0)},
    }
    return Connection(**{**values, **settings})
