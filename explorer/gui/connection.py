"""The connection in use, in words: what it is, where what is read goes, and whether it can be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.base.errors import InputError

if TYPE_CHECKING:
    from explorer.gui.session import Session
    from explorer.models.connection import Connection


@dataclass(frozen=True)
class ConnectionWords:
    """`label` for the status bar; `sentence` says what that means; `state` is full, plain or broken.

    `leaves` is whether what is read of the documents leaves this machine.
    """

    label: str
    sentence: str
    state: str
    leaves: bool = False


def connection_words(session: Session) -> ConnectionWords:
    """The connection that the session uses now."""
    try:
        connection = session.connection()
    except InputError as error:
        return ConnectionWords(f"{session.connection_name} · cannot be used", error.sentence, "broken")
    return offline_words() if connection is None else model_words(connection)


def model_words(connection: Connection) -> ConnectionWords:
    """A connection to a language model."""
    from explorer.models.open_client import OPENAI, is_local

    address = connection.base_url or OPENAI
    model = connection.chat_model or "no model yet"
    if is_local(address):
        where = "It runs on this machine: nothing leaves it."
    else:
        where = "What is read of your documents is sent there, and calls may cost money."
    return ConnectionWords(
        f"{connection.name} · {model}",
        f"Indexing and questions use {model} at {address}. {where}",
        "full" if connection.chat_model else "broken",
        not is_local(address),
    )


def offline_words() -> ConnectionWords:
    """Which grade of the offline analyst this installation has."""
    from explorer.analysts.offline.tagged import model_name

    name = model_name()
    if name is not None:
        return ConnectionWords(
            "offline analyst · English grade",
            f"The offline analyst works without a language model and sends nothing anywhere. Names are found by spaCy "
            f"({name}) in English texts, and by patterns and statistics in every language.",
            "full",
        )
    return ConnectionWords(
        "offline analyst · patterns grade",
        "The offline analyst works without a language model and sends nothing anywhere. Names are found by patterns "
        "and statistics, in every language. For better names in English: pip install 'graphrag-explorer[offline]'.",
        "plain",
    )
