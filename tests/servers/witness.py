"""The server's log: one entry for every request, which tests take as the witness of what was really asked and paid."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO


@dataclass
class Entry:
    """A request. Times are seconds since the epoch; `answered` is when the last byte of the reply was handed to the
    kernel, None where none was. `messages` is a hash of model, messages and schema (of model and input for
    embeddings): the same for every repeat of a call. `key` is a fingerprint, never the key."""

    number: int
    arrived: float
    path: str
    key: str = ""
    model: str = ""
    task: str = ""  # entity_extraction … embeddings, or text
    schema: str = ""
    messages: str = ""
    status: int = 0
    outcome: str = ""  # ok, or what happened instead
    answered: float | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    stream: bool = False
    in_flight: int = 0  # model requests that were out when it arrived, itself among them
    texts: list[str] = field(default_factory=list)  # of embeddings: a hash of each text
    request: Any = None  # both only where the settings say so
    reply: str = ""


class Witness:
    """Holds the entries, and writes each as a line of JSON once it is complete."""

    def __init__(self, path: Path | None) -> None:
        self.entries: list[Entry] = []
        self._file: TextIO | None = path.open("a", encoding="utf-8", buffering=1) if path else None

    def settle(self, entry: Entry, current: bool = True) -> None:
        """Write an entry; one that arrived before the last reset (not `current`) stands in the file alone."""
        if current:
            self.entries.append(entry)
        if self._file:
            self._file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")

    def clear(self) -> None:
        """Forget what the control endpoint would give; the file keeps all."""
        self.entries.clear()

    def close(self) -> None:
        if self._file:
            self._file.close()


def fingerprint(key: str) -> str:
    """Tells two keys apart without saying what they are."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12] if key else ""


def read_log(path: Path) -> list[Entry]:
    """The entries of a log file, in the order in which they were settled."""
    return [Entry(**json.loads(line)) for line in path.read_text("utf-8").splitlines() if line]
