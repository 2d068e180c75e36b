"""The tables of a run put in place as one set: an old index is never half replaced."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.files import storage_error
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.locate import OLD_NAME, OUTPUT_NAME
from explorer.tables.write import write_table

PART_NAME = "output.part"
SPANS = "spans"


def recover(home: Path) -> None:
    """Put right what a kill left behind: tables that were moved aside come back, unfinished ones go away.

    Raises StorageError.
    """
    output, old, part = home / OUTPUT_NAME, home / OLD_NAME, home / PART_NAME
    try:
        if old.is_dir():
            if output.is_dir():
                shutil.rmtree(old)
            else:
                old.replace(output)
        if part.is_dir():
            shutil.rmtree(part)
    except OSError as error:
        raise storage_error(output, error) from error


def write_part(
    home: Path,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    spans: Sequence[Mapping[str, Any]],
    scope: CancelScope,
) -> None:
    """Write all tables to `output.part`. Raises StorageError or Cancelled; nothing of it is left then."""
    part = home / PART_NAME
    try:
        for name in sorted(tables):
            scope.checkpoint()
            write_table(part, name, tables[name])
        write_table(part, SPANS, spans)
    except BaseException:
        discard_part(home)
        raise


def discard_part(home: Path) -> None:
    """Remove tables that were written and will not be used."""
    shutil.rmtree(home / PART_NAME, ignore_errors=True)


def exchange(home: Path) -> None:
    """Make `output.part` the `output` and move the spans beside it. What is not a table of ours (vectors) is kept.

    Two renames: between them the tables stand under `output.old`, where readers and `recover` look for them.
    Raises StorageError.
    """
    output, old, part = home / OUTPUT_NAME, home / OLD_NAME, home / PART_NAME
    try:
        (part / f"{SPANS}.parquet").replace(home / f"{SPANS}.parquet")
        if output.is_dir():
            output.replace(old)
        part.replace(output)
        if old.is_dir():
            ours = {f"{name}.parquet" for name in GRAPHRAG_TABLES}
            for entry in sorted(old.iterdir()):
                if entry.name not in ours:
                    entry.replace(output / entry.name)
            shutil.rmtree(old)
    except OSError as error:
        raise storage_error(output, error) from error
