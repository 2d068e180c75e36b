"""The model server as a fixture: one process for all tests of a worker, begun anew for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.running import RunningServer, running_server


@pytest.fixture(scope="session")
def model_server_process() -> Iterator[RunningServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def model_server(model_server_process: RunningServer) -> RunningServer:
    """An OpenAI-compatible server without keys, limits or faults; `model_server.set(...)` changes that."""
    model_server_process.reset()
    return model_server_process
