"""Keeping and removing a connection with its key, on a worker thread: a keyring may take seconds to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.models.connection import Connection
    from explorer.models.keys import KeyPlaces, Keys, KeyState


@dataclass(frozen=True)
class KeyFacts:
    """What is possible here, and where the key of one connection is now."""

    places: KeyPlaces
    state: KeyState


def key_facts(keys: Keys, connection: Connection) -> KeyFacts:
    return KeyFacts(keys.available(), keys.state(connection))


def keep_connection(keys: Keys, connection: Connection, secret: str, was: Connection | None) -> str:
    """Save a connection in the place of `was`; returns a sentence about the key, "" where there is nothing to say.

    A typed key is kept where the connection says; without one, the kept key goes along with a new name. A key that is
    not to be in the keyring any more is taken out of it. Raises ExplorerError, and then nothing was saved.
    """
    from explorer.models.connections import load_connections, refuse_secrets, save_connection

    refuse_secrets(connection)
    renamed = was is not None and was.name != connection.name
    if connection.name in load_connections() and (was is None or renamed):
        from explorer.base.errors import InputError

        raise InputError(f"There is a connection named {connection.name} already; choose another name.")
    kept = connection.key if connection.key in ("keyring", "session") else ""
    if not secret and kept and was is not None and (renamed or was.key != connection.key):
        secret = _known(keys, was)
    if secret and kept == "keyring":
        keys.put(connection, secret, "keyring")
    elif secret and kept == "session":
        keys.put(connection, secret, "session")
    save_connection(connection, was=was.name if was is not None else None)
    if was is None or was.key not in ("keyring", "session") or not (renamed or was.key != connection.key):
        return ""
    if not renamed and kept == "session":  # the key for this session must stay; only the keyring lets go of it
        return _out_of_keyring(keys, was, secret)
    try:
        keys.forget(was)
    except ExplorerError as error:
        return f"{error.sentence} If a key of {was.name} is in it, it is still there."
    return ""


def drop_connection(keys: Keys, name: str, connection: Connection | None) -> str:
    """Remove a connection and its key; returns a sentence where the key may still be there. Raises ExplorerError."""
    from explorer.models.connections import remove_connection

    remove_connection(name)
    if connection is None:
        return ""
    try:
        keys.forget(connection)
    except ExplorerError as error:
        return f"{error.sentence} If a key of {name} is in it, it is still there."
    return ""


def _known(keys: Keys, connection: Connection) -> str:
    try:
        return keys.get(connection) or ""
    except ExplorerError:
        return ""


def _out_of_keyring(keys: Keys, was: Connection, secret: str) -> str:
    try:
        keys.forget(was)
    except ExplorerError as error:
        return f"{error.sentence} If a key of {was.name} is in it, it is still there."
    finally:
        if secret:
            keys.put(was, secret, "session")
    return ""
