"""Fixtures of every test: the shared material, a user's folders of its own, and no log line that nobody expected."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.servers.fixtures import model_server, model_server_process

__all__ = ["model_server", "model_server_process"]  # fixtures of every test

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# The same examples each time, on however slow a machine: nothing that a test did not do before may fail a change that
# has nothing to do with it. Others are searched with `pytest --hypothesis-profile=search`.
_SLOW = [HealthCheck.too_slow]
hypothesis_settings.register_profile("search", deadline=None, suppress_health_check=_SLOW)
hypothesis_settings.register_profile(
    "same", deadline=None, suppress_health_check=_SLOW, derandomize=True, database=None
)
hypothesis_settings.load_profile("same")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of test material beside the checkout; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the test material ../shared/data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """The bundled corpus."""
    return Path(__file__).resolve().parents[1] / "resources" / "sample"


@pytest.fixture(autouse=True)
def own_user_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a user data directory of its own; the cache (unpacked vocabularies) is shared."""
    home = tmp_path_factory.mktemp("user")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))


@pytest.fixture(autouse=True)
def no_unexpected_log_lines(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A log line at WARNING or above fails a test, unless the test clears it with `caplog.clear()`."""
    yield
    lines = [
        f"{record.name}: {record.getMessage()}"
        for when in ("setup", "call")
        for record in caplog.get_records(when)  # type: ignore[arg-type]
        if record.levelno >= logging.WARNING
    ]
    assert not lines, f"unexpected log lines: {lines}"
