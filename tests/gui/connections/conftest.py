"""A window whose keys are kept in a keyring of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import pytest

from explorer.gui.window import MainWindow
from tests.models.keyrings import MemoryKeyring

SECRET = "sk-test-9d2e77c41b0f"


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    made = MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def page(window: MainWindow, ring: MemoryKeyring, qtbot):
    """The page of connections, shown and settled."""
    window.show_place("connections")
    settle(window, qtbot)
    return window.place("connections").connections


def settle(window: MainWindow, qtbot) -> None:
    qtbot.waitUntil(lambda: not window.engine.jobs)
