"""The claims of an index by their number, where it has any. Read on a worker thread, after everything else."""

from __future__ import annotations

from typing import Any

from explorer.base.errors import OpenError


def read_claims(index: Any) -> dict[int, dict[str, Any]]:
    """Rows of the table covariates by human_readable_id (the first of each); {} for an index without claims."""
    if not any(state.name == "covariates" and state.state == "read" for state in index.tables):
        return {}
    try:
        rows = index.frame("covariates").to_dict("records")
    except OpenError:
        return {}  # the table's state says so already, and the health of the index names it
    claims: dict[int, dict[str, Any]] = {}
    for place, row in enumerate(rows):
        number = row.get("human_readable_id", place)
        claims.setdefault(int(number) if number == number else place, row)
    return claims
