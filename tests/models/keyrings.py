"""Keyrings of tests: one that works, and one that waits for its password."""

from __future__ import annotations

import threading

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """A keyring that works."""

    priority = 5  # type: ignore[assignment]
    name = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("none")


class LockedKeyring(MemoryKeyring):
    """A keyring that waits for its password until `unlock` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.unlock = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.unlock.wait(120)
        return super().get_password(service, username)
