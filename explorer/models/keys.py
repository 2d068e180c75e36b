"""Keys of connections: in the system keyring, in an environment variable, or in memory for this session only.

Never in a file. Where a connection's key is stands in `connection.key`; what it is leaves this module only for the
client that sends it. Nothing here shows a key: not repr, not an error, not a pickle.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn

from explorer.base.errors import InputError
from explorer.models.connection import Connection
from explorer.models.keyring_worker import LIMIT, KeyringUnusable, KeyringWorker

Where = Literal["keyring", "session"]
ENV = "env:"


class KeyMissing(InputError):
    """A connection needs a key, and it is not where it should be; the sentence says where that is."""


@dataclass(frozen=True)
class KeyPlaces:
    """Where keys can be kept here. `keyring`: whether the system's is usable; `reason`: its name, or why not."""

    keyring: bool
    reason: str


@dataclass(frozen=True)
class KeyState:
    """Where the key of a connection is now, in words; `present` is whether a call would find one (or needs none)."""

    present: bool
    sentence: str


class Keys:
    """The keys of one running program: make one and hand it on. Safe from several threads.

    `environment` and `limit` (seconds that the keyring is waited for) are the program's own; tests give others.
    Calls may take as long as the limit: never make them on a thread that draws.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, limit: float = LIMIT) -> None:
        self._environment = os.environ if environment is None else environment
        self._keyring = KeyringWorker(limit)
        self._session: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Keys({len(self._session)} for this session)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are not copied to other processes or files; hand on the one key that is needed")

    def get(self, connection: Connection) -> str | None:
        """The key to send, or None for a server that asks for none.

        Raises KeyMissing, in one sentence that says what to do, where there should be a key and there is none (or the
        keyring does not give it). A key that was given for this session stands before the keyring's.
        """
        place = connection.key
        if place == "none":
            return None
        if place.startswith(ENV):
            return self._from_environment(connection.name, place.removeprefix(ENV))
        if connection.name in self._session:
            return self._session[connection.name]
        if place == "session":
            raise KeyMissing(
                f"The key of the connection {connection.name} was given for one session only, and that has ended. "
                f"Enter it again, or name an environment variable that holds it."
            )
        try:
            kept = self._keyring.get(connection.name)
        except KeyringUnusable as error:
            raise KeyMissing(
                f"The key of the connection {connection.name} should be in the keyring. {error.sentence} "
                "The key can be given for this session, or in an environment variable."
            ) from None
        if kept is None:
            raise KeyMissing(
                f"There is no key for the connection {connection.name} in the keyring. "
                "Enter it, name an environment variable that holds it, or say that the server asks for none."
            )
        return checked(kept)

    def put(self, connection: Connection, secret: str, where: Where = "keyring") -> str:
        """Keep a key in the keyring or for this session, and return what `connection.key` must say from now on.

        Raises InputError for what cannot be a key, KeyringUnusable where the keyring does not take it (nothing is then
        kept anywhere).
        """
        secret = checked(secret)
        if where == "keyring":
            self._keyring.put(connection.name, secret)
            self._session.pop(connection.name, None)
        else:
            self._session[connection.name] = secret
        return where

    def forget(self, connection: Connection) -> None:
        """Drop the key of a connection from memory and from the keyring.

        Raises KeyringUnusable where the keyring may still hold it and cannot be asked.
        """
        self._session.pop(connection.name, None)
        if connection.key == "keyring":
            self._keyring.forget(connection.name)

    def available(self) -> KeyPlaces:
        """Whether the keyring can be used here, with its name or the reason why not. It is not unlocked for this."""
        try:
            return KeyPlaces(True, self._keyring.name())
        except KeyringUnusable as error:
            return KeyPlaces(False, error.sentence)

    def state(self, connection: Connection) -> KeyState:
        """Where the key of a connection is now, in one sentence."""
        if connection.key == "none":
            return KeyState(True, "This server is asked without a key.")
        try:
            self.get(connection)
        except InputError as error:
            return KeyState(False, error.sentence)
        if connection.key.startswith(ENV):
            name = connection.key.removeprefix(ENV)
            return KeyState(True, f"The key is read from the environment variable {name} whenever it is needed.")
        if connection.name in self._session:
            return KeyState(True, "The key is in memory for this session only; it is gone when the program ends.")
        return KeyState(True, "The key is in the keyring of this system.")

    def _from_environment(self, connection: str, name: str) -> str:
        value = self._environment.get(name, "").strip()
        if not value:
            raise KeyMissing(
                f"The key of the connection {connection} should be in the environment variable {name}, which is not "
                "set. Set it and start the program again, or enter the key."
            )
        return checked(value)


def checked(secret: str) -> str:
    """A key as it can be sent: without the blanks around it. Raises InputError for what no HTTP header can carry."""
    secret = secret.strip()
    if not secret:
        raise InputError("The key is empty. Enter it, or say that the server asks for none.")
    if not (secret.isascii() and secret.isprintable()) or " " in secret:
        raise InputError(
            "This cannot be a key: it holds blanks, line breaks or letters that no key has. Copy it once more."
        )
    return secret
