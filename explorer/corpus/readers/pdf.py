"""PDF, read by pypdf: the text of each page, and where each page begins."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError, PdfReadError, PyPdfError

from explorer.base.words import agree, counted, share
from explorer.corpus.decode import NotText, clean
from explorer.corpus.readers.parts import Part, Parts

_BETWEEN = "\n\n"
_LOG_LOCK = threading.Lock()


def read(data: bytes) -> Parts:
    """One document; pages without text are counted in a note.

    Raises NotText where the file is protected by a password, is no PDF, or holds pictures only.
    """
    with _quiet() as warnings:
        pages, broken = _pages(data)
    texts: list[str] = []
    starts: list[tuple[int, int]] = []
    position = 0
    notes: list[str] = []
    for number, page in enumerate(pages, start=1):
        text, cleaning = clean(page)
        notes.extend(note for note in cleaning if note not in notes)
        text = text.strip()
        if not text:
            continue
        starts.append((position, number))
        texts.append(text)
        position += len(text) + len(_BETWEEN)
    if broken:
        notes.append(f"{share(broken, len(pages), 'page')} could not be read")
    if texts and len(texts) + broken < len(pages):
        empty = len(pages) - len(texts) - broken
        notes.append(f"{share(empty, len(pages), 'page')} {agree(empty, 'holds', 'hold')} no text")
    if warnings and texts:
        notes.append(f"damaged in {counted(len(warnings), 'place')}: {warnings[0]}")
    return Parts((Part(_BETWEEN.join(texts), pages=tuple(starts)),), notes=tuple(notes))


def _pages(data: bytes) -> tuple[list[str], int]:
    """The text of each page, and the number of pages that raised (theirs is "")."""
    try:
        reader = PdfReader(BytesIO(data))
        # Many files are encrypted under an empty password, only to forbid printing.
        if reader.is_encrypted and not reader.decrypt(""):
            raise NotText("it is protected by a password; save a copy without one and index again")
        count = len(reader.pages)
    except DependencyError as error:
        raise NotText("it is encrypted in a way that needs the package cryptography") from error
    except PyPdfError as error:
        raise NotText(f"it is not a PDF that can be read ({str(error).rstrip('.')})") from error
    texts, broken = [], 0
    for number in range(count):
        try:
            texts.append(reader.pages[number].extract_text())
        except Exception:  # noqa: BLE001  pypdf raises anything on a damaged page: the others are still worth reading
            texts.append("")
            broken += 1
    if count and broken == count:
        raise PdfReadError("no page could be read")
    return texts, broken


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """Collect what pypdf would log, instead of showing it: a person reads notes, not a log."""
    warnings: list[str] = []
    handler = _Collect(warnings)
    logger = logging.getLogger("pypdf")
    with _LOG_LOCK:  # the logger belongs to the whole process
        propagate = logger.propagate
        logger.addHandler(handler)
        logger.propagate = False
        try:
            yield warnings
        finally:
            logger.removeHandler(handler)
            logger.propagate = propagate


class _Collect(logging.Handler):
    def __init__(self, messages: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self._messages.append(" ".join(record.getMessage().split())[:200])
