"""The system keyring, asked in a thread of its own and never waited for longer than a limit.

A locked keyring asks the person for its password and blocks until they answer: a call that takes too long is left to
itself, and its thread does not keep the program from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from explorer.base.errors import ExplorerError

R = TypeVar("R")

LIMIT = 3.0  # seconds
SERVICE = "graphrag-explorer"
# These "keyrings" keep nothing, or keep it readable in a file.
_REFUSED = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")


class KeyringUnusable(ExplorerError):
    """The keyring of this system keeps or gives no key; the sentence says why."""


class KeyringWorker:
    """get, put and forget secrets by name. One call at a time; raises KeyringUnusable and nothing else."""

    def __init__(self, limit: float = LIMIT) -> None:
        self._limit = limit
        self._turn = threading.Lock()
        self._pending: threading.Thread | None = None  # a call that was not waited for to its end

    def name(self) -> str:
        """What the usable keyring calls itself."""
        return self._ask(lambda backend: str(getattr(backend, "name", type(backend).__name__)))

    def get(self, name: str) -> str | None:
        """The secret that is kept under a name, or None."""

        def look(backend: Any) -> str | None:
            secret: str | None = backend.get_password(SERVICE, name)
            return secret

        return self._ask(look)

    def put(self, name: str, secret: str) -> None:
        """Keep a secret, and read it again to be sure that it was kept."""

        def keep(backend: Any) -> bool:
            backend.set_password(SERVICE, name, secret)
            return bool(backend.get_password(SERVICE, name) == secret)

        if not self._ask(keep):
            raise KeyringUnusable("The keyring of this system took the key but did not give it back unchanged.")

    def forget(self, name: str) -> None:
        """Take a secret out of the keyring; one that is not there is no error."""

        def remove(backend: Any) -> None:
            if backend.get_password(SERVICE, name) is not None:
                backend.delete_password(SERVICE, name)

        self._ask(remove)

    def _ask(self, call: Callable[[Any], R]) -> R:
        import keyring  # noqa: F401 - late (0.1 s that no start needs to pay), and outside the limit

        with self._turn:
            if self._pending is not None and self._pending.is_alive():
                raise KeyringUnusable(_WAITING)
            answers: list[R] = []
            failures: list[Exception] = []

            def work() -> None:
                try:
                    answers.append(call(usable_backend()))
                except Exception as error:  # noqa: BLE001 - backends raise what their system raises
                    failures.append(error)

            thread = threading.Thread(target=work, name="keyring", daemon=True)
            thread.start()
            thread.join(self._limit)
            if thread.is_alive():
                self._pending = thread
                raise KeyringUnusable(_WAITING)
        if failures:
            raise _reason(failures[0]) from None  # the chain could carry what the backend was given
        return answers[0]


def usable_backend() -> Any:
    """The keyring of this system. Raises KeyringUnusable where there is none that keeps secrets secret.

    Of several at once (the chain that `keyring` makes of them) the system's own is taken, never the chain itself: that
    would fall through to a readable file.
    """
    import keyring

    chosen = keyring.get_keyring()
    candidates = list(getattr(chosen, "backends", None) or [chosen])
    kept = [backend for backend in candidates if not _module(backend).startswith(_REFUSED)]
    if kept:
        return min(kept, key=lambda backend: not _module(backend).startswith("keyring.backends."))
    module = _module(candidates[0]) if candidates else "keyring.backends.fail"
    if module.startswith("keyrings.alt"):
        raise KeyringUnusable(
            "The only keyring on this system (keyrings.alt) would write the key readable into a file; it is not used."
        )
    if module.startswith("keyring.backends.null"):
        raise KeyringUnusable(
            "The keyring of this system is switched off (the null backend of keyring): it keeps nothing."
        )
    raise KeyringUnusable(
        "This system has no keyring that can be reached (no Secret Service, KWallet, Keychain or Credential Locker)."
    )


_WAITING = (
    "The keyring of this system does not answer; it may be locked and wait for its password in a window of its own. "
    "Unlock it and try again."
)


def _module(backend: Any) -> str:
    return type(backend).__module__


def _reason(error: Exception) -> KeyringUnusable:
    if isinstance(error, KeyringUnusable):
        return error
    kind = type(error).__name__
    if kind == "KeyringLocked":
        return KeyringUnusable("The keyring of this system is locked and could not be unlocked.")
    # Only the kind: what a backend says may hold what it was given.
    return KeyringUnusable(f"The keyring of this system refused ({kind}).")
