"""The offline analyst in a run: opened with its store, and what of it decides the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from explorer.analysts.judgements import IndexAnalyst, UnitText
from explorer.analysts.offline.analyst import OfflineAnalyst
from explorer.analysts.offline.extract import choose_grade
from explorer.analysts.offline.readings import VERSION
from explorer.analysts.offline.tagged import model_name
from explorer.indexing.options import IndexOptions
from explorer.models.call_store import CALLS_NAME, CallStore


@contextmanager
def offline_analyst(home: Path, options: IndexOptions) -> Iterator[IndexAnalyst]:
    """The offline analyst, with its readings kept in the home. Raises StorageError."""
    with CallStore(home / CALLS_NAME) as store:
        yield OfflineAnalyst(store=store, grade=options.grade)


def analyst_signature(analyst: IndexAnalyst) -> list[str]:
    """What has to be the same for an analyst to judge the same: its name and grade; offline, also what is installed."""
    signature = [analyst.name, analyst.grade]
    if isinstance(analyst, OfflineAnalyst):
        signature += [str(VERSION), str(model_name())]
    return signature


def grade_that_ran(analyst: IndexAnalyst, units: Sequence[UnitText]) -> str:
    """In words for the index: the grade that "auto" became for these texts."""
    if isinstance(analyst, OfflineAnalyst):
        return choose_grade([unit.text for unit in units], analyst.grade)
    return analyst.grade
