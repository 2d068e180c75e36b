"""What became of each table of an index, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.tables.sources import LEGACY_PREFIX, NODES, TableFile, file_fault

# A table without these cannot be used at all.
NEEDED: dict[str, tuple[str, ...]] = {
    "documents": ("id",),
    "text_units": ("id", "text"),
    "entities": ("title",),
    "relationships": ("source", "target"),
    "communities": ("community",),
    "community_reports": ("community",),
    "covariates": (),
    "spans": ("text_unit_id", "start", "end"),
}

# Columns without which rows can be shown and something of them is missing; of several names any one will do.
_MISSED: dict[str, tuple[tuple[str, ...], ...]] = {
    "documents": (("title",), ("text", "raw_content")),
    "text_units": (("document_id", "document_ids"),),
    "entities": (("id",), ("description",), ("text_unit_ids",)),
    "relationships": (("id",), ("description",), ("weight",), ("text_unit_ids",)),
    "communities": (("entity_ids",),),
    "community_reports": (("title",), ("summary",), ("full_content",), ("rank",), ("findings",)),
    "covariates": (("subject_id",), ("description",), ("text_unit_id",)),
}
_OLDER = {"title": ("name",), "text": ("raw_content",), "community": ("raw_community", "id")}


@dataclass(frozen=True)
class TableState:
    """What became of a table: "read", "missing" or "unreadable", with the number of its rows and the reason."""

    name: str
    state: str
    rows: int = 0
    reason: str = ""


def missing_table(name: str, *, optional: bool) -> TableState:
    """The state of a table without a file."""
    if name == NODES:
        return TableState(name, "missing", 0, f"there is no {LEGACY_PREFIX}{NODES}.parquet: degrees and members")
    return TableState(name, "missing", 0, f"there is no {name}.parquet{' (it is optional)' if optional else ''}")


def has_column(columns: Sequence[str], column: str, *, legacy: bool) -> bool:
    """Whether a file has a column, or the one that stood for it before 2.0."""
    return column in columns or (legacy and any(name in columns for name in _OLDER.get(column, ())))


def missed_columns(table: str, columns: Sequence[str], *, legacy: bool) -> list[str]:
    """In a sentence, the columns that a table of any version has and this one has not; [] for none."""
    if legacy and table == "communities":
        return []  # before 0.5 the members stood with the nodes
    missed = [
        choice[0]
        for choice in _MISSED.get(table, ())
        if not any(has_column(columns, name, legacy=legacy) for name in choice)
    ]
    if not missed:
        return []
    sentence = f"there is no column {', '.join(missed)}"
    return [f"{sentence}, each row has the weight 1" if "weight" in missed else sentence]


def standing_note(file: TableFile) -> list[str]:
    """In a sentence, which files of the same table lie beside the one that stands, and what is wrong with them."""
    others = []
    for path in file.shadowed:
        fault = file_fault(path, path.suffix.lower().lstrip("."))
        others.append(fault.replace(f"{path.name} ", f"{path.name}, which ", 1) if fault else path.name)
    return [f"{file.path.name} stands; beside it lies {', '.join(others)}"] if others else []


def reasons(states: Iterable[TableState]) -> str:
    """Why tables cannot be read: what several have in common is said once."""
    files: dict[str, list[str]] = {}
    for state in states:
        if state.state == "unreadable":
            name, _, why = state.reason.partition(" ")
            files.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(names)} {why}" for why, names in files.items())
