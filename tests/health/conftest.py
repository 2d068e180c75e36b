"""As for indexing: no process is started for the small folders of these tests."""

from __future__ import annotations

from tests.indexing.conftest import work_here

__all__ = ["work_here"]
