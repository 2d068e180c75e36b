"""What is known of the index before a run, and what decides whether it is still that of its folder."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from explorer import __version__
from explorer.analysts.judgements import IndexAnalyst
from explorer.indexing.offline import analyst_signature
from explorer.indexing.options import IndexOptions
from explorer.indexing.store import BESIDE
from explorer.tables.columns import REQUIRED_TABLES
from explorer.tables.index_file import IndexInfo
from explorer.tables.locate import OUTPUT_NAME, table_files

PIPELINE = 1  # counts up when the same inputs and options begin to give other tables


def fingerprint(options: IndexOptions, analyst: IndexAnalyst) -> str:
    """What decides the tables besides the files, as a hash."""
    parts = {
        "pipeline": PIPELINE,
        "program": __version__,
        "options": options.model_dump(mode="json", exclude={"grade"}),  # the analyst's signature holds the grade
        "analyst": analyst_signature(analyst),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_whole(home: Path, info: IndexInfo) -> bool:
    """Whether the index was finished and everything that a finished run writes is there."""
    tables = table_files(home / OUTPUT_NAME)
    has_tables = all(name in tables for name in REQUIRED_TABLES)
    return info.complete and has_tables and all((home / name).is_file() for name in BESIDE)


def merge_counts(*counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by name of several stages, added up and sorted by name."""
    total: Counter[str] = Counter()
    for part in counts:
        total.update(part)
    return dict(sorted(total.items()))


def nothing_readable(folder: Path, files: Iterable[tuple[str, str]]) -> str:
    """The sentence for a folder of which no file gave any text: how many files, and the commonest reasons."""
    reasons = Counter(reason for _, reason in files)
    shown = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    words = "; ".join(f"{number} × {reason}" for reason, number in shown[:3])
    more = "; …" if len(shown) > 3 else ""
    return (
        f"Nothing in {folder} can be read ({words}{more}); nothing was indexed. "
        "Add text, Markdown, HTML, PDF or Word files."
    )
