"""Clustering and layout in the calling process: starting one a test takes longer than all the rest."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.graph.leiden import Hierarchy, find_hierarchy
from explorer.graph.network import Network
from explorer.graph.positions import Layout, find_layout, layout_input
from explorer.indexing import pilot, run


@pytest.fixture(autouse=True)
def work_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests but those that ask for `own_processes`."""
    if "own_processes" in request.fixturenames:
        return

    def cluster(
        network: Network, *, seed: int, max_cluster_size: int, use_lcc: bool, scope: CancelScope, start: Any = None
    ) -> Hierarchy:
        scope.checkpoint()
        return find_hierarchy(network, seed, max_cluster_size, use_lcc, start)

    def compute_layout(*tables: Any, scope: CancelScope) -> Layout:
        scope.checkpoint()
        return find_layout(layout_input(*tables))

    monkeypatch.setattr(run, "cluster", cluster)
    monkeypatch.setattr(pilot, "cluster", cluster)
    monkeypatch.setattr(run, "compute_layout", compute_layout)


@pytest.fixture
def own_processes() -> None:
    """The run starts its processes as it does for a user."""
