"""The columns of GraphRAG 3's tables, in order, with the Arrow types that this program writes.

Source: the schema of graphrag 3.x as its indexes carry it. Every reader of the program asks this file for names.
"""

from __future__ import annotations

import pyarrow as pa

TEXT = pa.string()
TEXTS = pa.list_(pa.string())
INTS = pa.list_(pa.int64())
# GraphRAG keeps here the fields of the row or record that a document was made from, or null. Ours is one field: what
# fields there are differs from file to file, and a table has one type.
RAW = pa.struct([("source", TEXT)])

_SCHEMAS: dict[str, list[tuple[str, pa.DataType]]] = {
    "documents": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("title", TEXT),
        ("text", TEXT),
        ("text_unit_ids", TEXTS),
        ("creation_date", TEXT),
        ("raw_data", RAW),
    ],
    "text_units": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("text", TEXT),
        ("n_tokens", pa.int64()),
        ("document_id", TEXT),
        ("entity_ids", TEXTS),
        ("relationship_ids", TEXTS),
        ("covariate_ids", TEXTS),
    ],
    "entities": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("title", TEXT),
        ("type", TEXT),
        ("description", TEXT),
        ("text_unit_ids", TEXTS),
        ("frequency", pa.int64()),
        ("degree", pa.int64()),
    ],
    "relationships": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("source", TEXT),
        ("target", TEXT),
        ("description", TEXT),
        ("weight", pa.float64()),
        ("combined_degree", pa.int64()),
        ("text_unit_ids", TEXTS),
    ],
    "communities": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("community", pa.int64()),
        ("level", pa.int64()),
        ("parent", pa.int64()),
        ("children", INTS),
        ("title", TEXT),
        ("entity_ids", TEXTS),
        ("relationship_ids", TEXTS),
        ("text_unit_ids", TEXTS),
        ("period", TEXT),
        ("size", pa.int64()),
    ],
    "community_reports": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("community", pa.int64()),
        ("level", pa.int64()),
        ("parent", pa.int64()),
        ("children", INTS),
        ("title", TEXT),
        ("summary", TEXT),
        ("full_content", TEXT),
        ("rank", pa.float64()),
        ("rating_explanation", TEXT),
        ("findings", pa.list_(pa.struct([("explanation", TEXT), ("summary", TEXT)]))),
        ("full_content_json", TEXT),
        ("period", TEXT),
        ("size", pa.int64()),
    ],
    "covariates": [
        ("id", TEXT),
        ("human_readable_id", pa.int64()),
        ("covariate_type", TEXT),
        ("type", TEXT),
        ("description", TEXT),
        ("subject_id", TEXT),
        ("object_id", TEXT),
        ("status", TEXT),
        ("start_date", TEXT),
        ("end_date", TEXT),
        ("source_text", TEXT),
        ("text_unit_id", TEXT),
    ],
    # Beside GraphRAG's tables, never among them:
    "spans": [
        ("text_unit_id", TEXT),
        ("document_id", TEXT),
        ("path", TEXT),  # relative to the folder, forward slashes
        ("start", pa.int64()),  # first character of the unit in the document's text
        ("end", pa.int64()),  # one past its last character
        ("page", pa.int64()),  # 1-based page of the start where the format has pages, else null
    ],
    "positions": [
        ("entity_id", TEXT),
        ("x", pa.float64()),
        ("y", pa.float64()),
    ],
}

GRAPHRAG_TABLES = (
    "documents", "text_units", "entities", "relationships", "communities", "community_reports", "covariates",
)  # fmt: skip
REQUIRED_TABLES = ("entities", "relationships", "communities", "community_reports", "text_units", "documents")


def schema(table: str) -> pa.Schema:
    """The Arrow schema of a table. Raises KeyError for a name that is no table."""
    return pa.schema(_SCHEMAS[table])


def names(table: str) -> list[str]:
    """The column names of a table, in order."""
    return [name for name, _ in _SCHEMAS[table]]
