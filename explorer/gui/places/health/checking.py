"""The check-up in a process of its own: it walks every row of every table, and the window goes on. No Qt here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.processes import run_in_process


def check_opened(output: Path, home: Path | None, scope: CancelScope) -> Any:
    """What `health.check_index` finds. `home` is that of an index of this program, None for one made elsewhere.

    Raises OpenError where the index has gone since it was opened, Cancelled.
    """
    return run_in_process(_check, output, home, scope=scope)


def _check(output: Path, home: Path | None) -> Any:
    from explorer.health.doctor import check_index

    return check_index(output if home is None else home, index_dir=home)
