"""What is known of the index before a run, and what decides whether it is still that of its folder."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from explorer import __version__
from explorer.analysts.judgements import Extraction
from explorer.base.words import counted
from explorer.indexing.files import SourceFile, unchanged
from explorer.indexing.options import IndexOptions
from explorer.indexing.store import BESIDE
from explorer.tables.columns import REQUIRED_TABLES
from explorer.tables.index_file import IndexInfo, InputInfo
from explorer.tables.locate import OUTPUT_NAME, table_files
from explorer.tables.write import read_rows

_FOR_MODELS = {"entity_types", "max_gleanings", "claims", "max_report_length"}
PIPELINE = 2  # counts up when the same inputs and options begin to give other tables


def fingerprint(options: IndexOptions, signature: Sequence[str], *, is_model: bool = False) -> str:
    """What decides the tables besides the files, as a hash. `signature` is the analyst's."""
    without = {"grade"} if is_model else {"grade", *_FOR_MODELS}  # the analyst's signature holds the grade
    parts = {
        "pipeline": PIPELINE,
        "program": __version__,
        "options": options.model_dump(mode="json", exclude=without),
        "analyst": list(signature),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_current(
    home: Path, info: IndexInfo | None, signature: str, sources: Iterable[SourceFile], previous: Mapping[str, InputInfo]
) -> bool:
    """Whether a run would make the index that is there: same files, same options, whole, and no call to make again."""
    return (
        info is not None
        and info.fingerprint == signature
        and not info.failed_calls
        and not any(file.failed_units for file in previous.values())
        and is_whole(home, info)
        and unchanged(sources, previous)
    )


def old_communities(home: Path, info: IndexInfo | None) -> list[dict[str, int]]:
    """The communities of the index that is there, level by level: title → number. Empty where a model made none.

    Reads three columns of two tables; tables that cannot be read are as good as none.
    """
    if info is None or not info.complete or not info.models:
        return []
    files = table_files(home / OUTPUT_NAME)
    try:
        titles = {row["id"]: row["title"] for row in read_rows(files["entities"])}
        rows = read_rows(files["communities"])
        levels: list[dict[str, int]] = [{} for _ in range(max((row["level"] for row in rows), default=-1) + 1)]
        for row in sorted(rows, key=lambda row: row["community"]):
            levels[row["level"]].update((titles[key], row["community"]) for key in row["entity_ids"])
    except (OSError, KeyError, TypeError, ValueError):  # Arrow's own errors are among the last
        return []
    return levels


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


def nothing_found(folder: Path, units: int, extraction: Extraction, *, is_model: bool) -> str:
    """The sentence for a folder in which nothing is connected, and what to do about it."""
    without = "the index has documents and text units, but no communities."
    if not is_model:
        return f"Nothing in {folder} is named together often enough to be connected: {without}"
    failed = len(extraction.failed_units)
    if failed == units:
        none = "The only text unit could not" if units == 1 else f"None of the {units:,} text units could"
        return f"{none} be read: {without} The reasons stand with the files and calls."
    named = (
        f"The model named {counted(len(extraction.entities), 'entity', 'entities')} and no relationship between them"
    )
    return (
        f"{named} in {counted(units - failed, 'text unit')}: {without} With a local model the commonest cause "
        "is a context window that is shorter than the prompt: test the connection."
    )
