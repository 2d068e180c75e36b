"""Which versions of GraphRAG write tables of this form, from the names of files and columns that changed."""

from __future__ import annotations

from collections.abc import Callable

from explorer.tables.sources import TableFile

WORDS = {
    "0.1": "GraphRAG 0.1 to 0.4",
    "0.5": "GraphRAG 0.5 to 0.9",
    "1.0": "GraphRAG 1.0 to 1.2",
    "2.0": "GraphRAG 2.0 to 2.2",
    "2.3": "GraphRAG 2.3 to 2.7",
    "3": "GraphRAG 3",
    "unknown": "an unknown version",
}


def schema_version(files: dict[str, TableFile], columns: Callable[[str], tuple[str, ...]]) -> str:
    """A key of WORDS. `columns` gives the column names of a table as its file has them, () where it cannot be read."""
    if any(file.legacy for file in files.values()) and not any(
        not file.legacy for name, file in files.items() if name in ("entities", "communities", "community_reports")
    ):
        return _before_2(columns)
    units, reports = columns("text_units"), columns("community_reports")
    if "document_id" in units:
        return "3"
    if "rating_explanation" in reports:
        return "2.3"
    return "2.0" if "rank_explanation" in reports or "document_ids" in units else "unknown"


def _before_2(columns: Callable[[str], tuple[str, ...]]) -> str:
    entities, communities, reports = columns("entities"), columns("communities"), columns("community_reports")
    if "name" in entities or "rank" in columns("relationships"):
        return "0.1"
    if "parent" in communities or "parent" in reports:
        return "1.0"
    if "community" in communities or "human_readable_id" in reports:
        return "0.5"
    return "0.1" if entities or reports else "unknown"
