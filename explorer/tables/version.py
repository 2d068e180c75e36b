"""Which versions of GraphRAG write tables of this form, from the names of files and columns that changed."""

from __future__ import annotations

from collections.abc import Callable

from explorer.tables.sources import TableFile

WORDS = {
    "0.1": "GraphRAG 0.1 to 0.4",
    "0.5": "GraphRAG 0.5 to 0.9",
    "1.0": "GraphRAG 1.0 to 1.2",
    "before 2": "GraphRAG before 2.0",
    "2.0": "GraphRAG 2.0 to 2.2",
    "2.3": "GraphRAG 2.2 to 2.7",  # 2.2 wrote both forms: the one of 2.0 in its first days
    "2": "GraphRAG 2",
    "3": "GraphRAG 3",
    "2.3 or later": "GraphRAG 2.2 or later",
    "2 or later": "GraphRAG 2.0 or later",
    "unknown": "an unknown version",
}


def schema_version(files: dict[str, TableFile], columns: Callable[[str], tuple[str, ...]]) -> str:
    """A key of WORDS. `columns` gives the column names of a table as its file has them, () where it cannot be read.

    A table that is missing or cannot be read says nothing; the others may leave several versions possible.
    """
    if any(file.legacy for file in files.values()) and not any(
        not file.legacy for name, file in files.items() if name in ("entities", "communities", "community_reports")
    ):
        return _before_2(columns)
    units, documents, reports = columns("text_units"), columns("documents"), columns("community_reports")
    entities = columns("entities")
    if "document_id" in units or "raw_data" in documents:
        return "3"
    # 3.0 dropped the positions of entities; 2.3 began to keep the metadata of documents.
    second = "document_ids" in units or "metadata" in documents or "x" in entities
    if "rank_explanation" in reports:
        return "2.0"
    if second:
        return "2.3" if "rating_explanation" in reports or "metadata" in documents else "2"
    if "degree" in entities:
        return "3"
    if "rating_explanation" in reports:
        return "2.3 or later"
    told = {"frequency", "combined_degree", "children"} & {
        *entities,
        *columns("relationships"),
        *columns("communities"),
    }
    return "2 or later" if told else "unknown"


def _before_2(columns: Callable[[str], tuple[str, ...]]) -> str:
    entities, communities, reports = columns("entities"), columns("communities"), columns("community_reports")
    relationships, documents, nodes = columns("relationships"), columns("documents"), columns("nodes")
    if "name" in entities or "rank" in relationships or "raw_content" in documents or "raw_community" in communities:
        return "0.1"
    if "parent" in communities or "parent" in reports:
        return "1.0"
    if "community" in communities or "human_readable_id" in reports:
        return "0.5"
    if reports or "source_id" in nodes:
        return "0.1"
    return "before 2"
