"""The tables of a run put in place as one set: an old index is never half replaced."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.files import storage_error
from explorer.graph.layout_store import DISCS_FILE, POSITIONS_FILE
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index_file import FILE_NAME
from explorer.tables.locate import OLD_NAME, OUTPUT_NAME
from explorer.tables.write import write_table

PART_NAME = "output.part"
NEW_FILE_NAME = "index.json.part"
SPANS = "spans"
BESIDE = (f"{SPANS}.parquet", POSITIONS_FILE, DISCS_FILE)


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
        (home / NEW_FILE_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(output, error) from error


def write_part(
    home: Path,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    spans: Sequence[Mapping[str, Any]],
    scope: CancelScope,
) -> Path:
    """Write all tables to `output.part` and return it. Raises StorageError or Cancelled; nothing of it is left then."""
    part = home / PART_NAME
    try:
        for name in sorted(tables):
            scope.checkpoint()
            write_table(part, name, tables[name])
        write_table(part, SPANS, spans)
    except BaseException:
        discard_part(home)
        raise
    return part


def discard_part(home: Path) -> None:
    """Remove tables that were written and will not be used."""
    shutil.rmtree(home / PART_NAME, ignore_errors=True)


def exchange(home: Path) -> None:
    """Make `output.part` the `output`, what lies beside the tables first, index.json last.

    Renames only: a full disk cannot stop it half way. After a kill between them the next run finds an index.json that
    does not match and makes the index again; between the two renames of `output` the tables stand under `output.old`,
    where readers and `recover` look for them. What is not a table of ours (vectors) is kept. Raises StorageError.
    """
    output, old, part = home / OUTPUT_NAME, home / OLD_NAME, home / PART_NAME
    try:
        for name in BESIDE:
            (part / name).replace(home / name)
        (part / FILE_NAME).replace(home / NEW_FILE_NAME)
        if output.is_dir():
            output.replace(old)
        part.replace(output)
        (home / NEW_FILE_NAME).replace(home / FILE_NAME)
        if old.is_dir():
            ours = {f"{name}.parquet" for name in GRAPHRAG_TABLES}
            for entry in sorted(old.iterdir()):
                if entry.name not in ours:
                    entry.replace(output / entry.name)
            shutil.rmtree(old)
    except OSError as error:
        raise storage_error(output, error) from error
