"""The claims of an index by their number, where it has any. Read on a worker thread, after everything else."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def read_claims(index: Any) -> dict[int, dict[str, Any]]:
    """Rows of the table covariates by human_readable_id (the first of each); {} for an index without claims, or where
    they cannot be read: the table's state says so already, and the health of the index names it."""
    claims: dict[int, dict[str, Any]] = {}
    for row in index.claims:
        if row.number not in claims:
            claims[row.number] = asdict(row)
    return claims
