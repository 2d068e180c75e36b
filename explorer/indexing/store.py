"""The tables of a run put in place as one set: an old index is never half replaced."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
    """Put right what a kill left behind. Raises StorageError.

    Tables that were moved aside come back, unfinished ones go away. Where the new tables stood already and only their
    index.json was still to be put in place, that is done: the run had ended.
    """
    output, old, part = home / OUTPUT_NAME, home / OLD_NAME, home / PART_NAME
    new_file = home / NEW_FILE_NAME
    try:
        if new_file.is_file() and output.is_dir() and not part.is_dir():
            new_file.replace(home / FILE_NAME)
        if old.is_dir():
            if output.is_dir():
                _keep_foreign(old, output)
                shutil.rmtree(old)
            else:
                old.replace(output)
        if part.is_dir():
            shutil.rmtree(part)
        new_file.unlink(missing_ok=True)
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
    """Remove tables that were written and will not be used, and the index.json that would have gone with them."""
    part = home / PART_NAME
    if part.is_dir():
        with suppress(OSError):
            (home / NEW_FILE_NAME).unlink(missing_ok=True)
        shutil.rmtree(part, ignore_errors=True)


def exchange(home: Path) -> None:
    """Make `output.part` the `output`, what lies beside the tables first, index.json last.

    Renames only: a full disk cannot stop it half way. After a kill between them the next run goes back to the old
    tables or, where the new ones stand, forward to their index.json (`recover`); between the two renames of `output`
    the tables stand under `output.old`, where readers look for them. What is not a table of ours (vectors) is kept.

    Raises StorageError.
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
            _keep_foreign(old, output)
            shutil.rmtree(old)
    except OSError as error:
        raise storage_error(output, error) from error


def _keep_foreign(old: Path, output: Path) -> None:
    """Move what is not a table of ours (vectors) from the old tables to the new ones."""
    ours = {f"{name}.parquet" for name in GRAPHRAG_TABLES}
    for entry in sorted(old.iterdir()):
        if entry.name not in ours and not (output / entry.name).exists():
            entry.replace(output / entry.name)
