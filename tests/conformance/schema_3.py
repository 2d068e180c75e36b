"""GraphRAG 3's table schema as its documentation and its own indexes have it, and what differs from it in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT, NUMBER, FLOAT, TEXTS, NUMBERS = "str", "int", "float", "list str", "list int"
SCHEMA: Mapping[str, Mapping[str, str]] = {
    "documents": {
        "id": TEXT, "human_readable_id": NUMBER, "title": TEXT, "text": TEXT, "text_unit_ids": TEXTS,
        "creation_date": TEXT, "raw_data": "struct",
    },
    "text_units": {
        "id": TEXT, "human_readable_id": NUMBER, "text": TEXT, "n_tokens": NUMBER, "document_id": TEXT,
        "entity_ids": TEXTS, "relationship_ids": TEXTS, "covariate_ids": TEXTS,
    },
    "entities": {
        "id": TEXT, "human_readable_id": NUMBER, "title": TEXT, "type": TEXT, "description": TEXT,
        "text_unit_ids": TEXTS, "frequency": NUMBER, "degree": NUMBER,
    },
    "relationships": {
        "id": TEXT, "human_readable_id": NUMBER, "source": TEXT, "target": TEXT, "description": TEXT,
        "weight": FLOAT, "combined_degree": NUMBER, "text_unit_ids": TEXTS,
    },
    "communities": {
        "id": TEXT, "human_readable_id": NUMBER, "community": NUMBER, "level": NUMBER, "parent": NUMBER,
        "children": NUMBERS, "title": TEXT, "entity_ids": TEXTS, "relationship_ids": TEXTS, "text_unit_ids": TEXTS,
        "period": TEXT, "size": NUMBER,
    },
    "community_reports": {
        "id": TEXT, "human_readable_id": NUMBER, "community": NUMBER, "level": NUMBER, "parent": NUMBER,
        "children": NUMBERS, "title": TEXT, "summary": TEXT, "full_content": TEXT, "rank": FLOAT,
        "rating_explanation": TEXT, "findings": "list struct(explanation, summary)", "full_content_json": TEXT,
        "period": TEXT, "size": NUMBER,
    },
    "covariates": {
        "id": TEXT, "human_readable_id": NUMBER, "covariate_type": TEXT, "type": TEXT, "description": TEXT,
        "subject_id": TEXT, "object_id": TEXT, "status": TEXT, "start_date": TEXT, "end_date": TEXT,
        "source_text": TEXT, "text_unit_id": TEXT,
    },
}  # fmt: skip
# How the types are called in a parquet file, and in the frame that graphrag works with.
_ARROW = {
    TEXT: ("string", "large_string"),
    NUMBER: ("int64",),
    FLOAT: ("double",),
    TEXTS: ("list<element: string>", "list<item: string>"),
    NUMBERS: ("list<element: int64>", "list<item: int64>"),
}
_FRAME = {TEXT: ("str", "object"), NUMBER: ("int64",), FLOAT: ("float64",)}


def wrong_types(name: str, table: Mapping[str, Any]) -> list[str]:
    """What is not as the schema has it, in words. `table` is what `read_with_graphrag.py` prints of one table."""
    wanted = SCHEMA[name]
    if list(wanted) != table["columns"]:
        return [f"columns {table['columns']}"]
    found = wrong_arrow(name, table["arrow"]) + wrong_frame(name, table["dtypes"])
    for column, type_ in wanted.items():
        allowed = {type_, "list"} if type_.startswith("list") else {type_}
        kinds = table["kinds"][column]
        strange = [kind for kind in kinds if kind not in allowed and not (type_ == "struct" and _record(kind))]
        if strange:
            found.append(f"{column} holds {', '.join(strange)}")
    return found


def wrong_arrow(name: str, types: Mapping[str, str]) -> list[str]:
    """What is not as the schema has it in the Arrow types of a file, by column."""
    if list(types) != list(SCHEMA[name]):
        return [f"columns {list(types)}"]
    found = []
    for column, type_ in SCHEMA[name].items():
        arrow = types[column]
        if type_ == "struct":
            right = arrow.startswith("struct<") or arrow == "null"
        elif type_.startswith("list struct"):
            right = arrow.startswith("list<") and "struct<explanation: string, summary: string>" in arrow
        else:
            right = arrow in _ARROW[type_]
        if not right:
            found.append(f"{column} is {arrow} in the file")
    return found


def wrong_frame(name: str, types: Mapping[str, str]) -> list[str]:
    """What is not as the schema has it in the types of the frame that graphrag's loader gives, by column."""
    return [
        f"{column} is {types[column]} in the frame"
        for column, type_ in SCHEMA[name].items()
        if types[column] not in _FRAME.get(type_, ("object",))
    ]


def _record(kind: str) -> bool:
    return kind == "null" or kind.startswith("struct(")
