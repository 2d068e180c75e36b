"""The token counts of an index's reports, made ahead: the first plan of it then looks them up.

Made once an index and tokenizer; kept where the counts of its plans are kept, in its home.
"""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError
from explorer.base.files import write_text_atomic
from explorer.base.token_cache import TokenCounter
from explorer.base.tokens import EncodingName

if TYPE_CHECKING:
    from explorer.tables.index import Index

MARK_FILE = "counted.json"  # tokenizer → the tables whose reports were counted with it
_TABLES = ("community_reports", "communities", "entities")


def counts_missing(index: Index, tokenizer: EncodingName) -> bool:
    """Whether the reports of an index were not counted yet, or its tables were written since. Reads no table."""
    return _marks(index.home).get(tokenizer) != _tables(index.output)


def prime_counts(output: Path, tokenizer: EncodingName) -> int:
    """Plan every level of the index whose tables lie in `output`, so that all its counts are stored; returns how many
    plans were made. Holds the interpreter: for a process of its own. Raises OpenError."""
    from explorer.planning.plan import plan
    from explorer.search.options import GlobalOptions
    from explorer.tables.index import open_index
    from explorer.tables.lean import lean

    gc.disable()  # rows hold no cycles
    index = lean(open_index(output))
    tables = _tables(index.output)
    made = 0
    with TokenCounter(tokenizer, index.home) as counter:
        for level in [*reversed(index.levels), None]:
            for mode in ("roll_up", "at_or_below"):
                try:
                    plan(index, GlobalOptions(level=level, reports=mode, tokenizer=tokenizer), counter=counter)
                except ExplorerError:
                    continue  # whoever asks for that plan is told why there is none
                made += 1
                counter.forget_texts()
    write_text_atomic(index.home / MARK_FILE, json.dumps({**_marks(index.home), tokenizer: tables}, indent=1) + "\n")
    return made


def _marks(home: Path) -> dict[str, object]:
    try:
        found = json.loads((home / MARK_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _tables(output: Path) -> list[object]:
    """Names, sizes and times of the files of the tables that a plan reads."""
    from explorer.tables.sources import file_mark, find_tables

    found: list[object] = []
    for name, file in sorted(find_tables(output).items()):
        if name in (*_TABLES, "nodes"):
            found.append(file_mark(file.path))
    return found
