"""What graphrag's own loaders make of the tables of an index. For the interpreter that has graphrag 3.3:

    python tests/conformance/read_with_graphrag.py ROOT

prints a JSON object: versions, the tables as its DataReader gives them, what its query adapters make of these, how many
vectors its store finds, and the shipped prompts around the data that a query sends. ROOT holds settings.yaml.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import pandas as pd
import pyarrow.parquet as pq
from graphrag.config.load_config import load_config
from graphrag.data_model import schemas
from graphrag.data_model.data_reader import DataReader
from graphrag.prompts.query.basic_search_system_prompt import BASIC_SEARCH_SYSTEM_PROMPT
from graphrag.prompts.query.global_search_map_system_prompt import MAP_SYSTEM_PROMPT
from graphrag.prompts.query.global_search_reduce_system_prompt import REDUCE_SYSTEM_PROMPT
from graphrag.prompts.query.local_search_system_prompt import LOCAL_SEARCH_SYSTEM_PROMPT
from graphrag.query import indexer_adapters as adapters
from graphrag.utils.api import get_embedding_store
from graphrag_storage import create_storage
from graphrag_storage.tables.table_provider_factory import create_table_provider

TABLES = ("documents", "text_units", "entities", "relationships", "communities", "community_reports", "covariates")
VECTORS = ("text_unit_text", "entity_description", "community_full_content")
LEVEL = 2  # the command line's own
ANSWER_FORM = "Multiple Paragraphs"  # the command line's own, as are the lengths below


def kind(value: Any) -> str:
    """The type of a value in the words of the schema; "null" for nothing, "list" for an empty list."""
    if isinstance(value, dict):
        return f"struct({', '.join(sorted(value))})"
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 0):
        value = value.tolist()
    if isinstance(value, list):
        inside = sorted({kind(item) for item in value})
        return f"list {'/'.join(inside)}" if inside else "list"
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return "null"
    return {"int64": "int", "float64": "float"}.get(type(value).__name__, type(value).__name__)


def table(reader: DataReader, name: str, path: Path) -> dict[str, Any]:
    frame = asyncio.run(getattr(reader, name)())
    return {
        "rows": len(frame),
        "columns": list(frame.columns),
        "final_columns": getattr(schemas, f"{name.upper()}_FINAL_COLUMNS"),
        "arrow": {field.name: str(field.type) for field in pq.read_schema(path)},
        "dtypes": {column: str(dtype) for column, dtype in frame.dtypes.items()},
        "kinds": {column: sorted({kind(value) for value in frame[column]}) for column in frame.columns},
    }


def plain(values: Any) -> Any:
    if values is None:
        return None
    return [str(value) for value in values]


def adapted(reader: DataReader, with_covariates: bool) -> dict[str, list[Any]]:
    """The objects of graphrag's query engine as rows, from fresh frames each: the adapters change what they get."""

    def frame(name: str) -> pd.DataFrame:
        return asyncio.run(getattr(reader, name)())

    entities = adapters.read_indexer_entities(frame("entities"), frame("communities"), LEVEL)
    relationships = adapters.read_indexer_relationships(frame("relationships"))
    units = adapters.read_indexer_text_units(frame("text_units"))
    communities = adapters.read_indexer_communities(frame("communities"), frame("community_reports"))
    reports = adapters.read_indexer_reports(frame("community_reports"), frame("communities"), LEVEL)
    covariates = adapters.read_indexer_covariates(frame("covariates")) if with_covariates else []
    return {
        "entities": [
            [
                item.id, item.short_id, item.title, item.type, item.description,
                sorted(item.community_ids or [], key=int), plain(item.text_unit_ids), item.rank,
            ]
            for item in entities
        ],
        "relationships": [
            [
                item.id, item.short_id, item.source, item.target, item.description, item.weight,
                plain(item.text_unit_ids), item.rank,
            ]
            for item in relationships
        ],
        "text_units": [
            [item.id, item.text, plain(item.entity_ids), plain(item.relationship_ids), item.n_tokens, item.document_id]
            for item in units
        ],
        "communities": [
            [item.id, item.short_id, item.title, item.level, item.parent, [int(child) for child in item.children]]
            for item in communities
        ],
        "community_reports": [
            [item.id, item.short_id, item.community_id, item.title, item.summary, item.full_content, item.rank]
            for item in reports
        ],
        "covariates": [
            [item.id, item.short_id, item.subject_id, item.covariate_type, *(item.attributes or {}).values()]
            for item in covariates
        ],
    }  # fmt: skip


def prompts() -> dict[str, list[str]]:
    """Of each prompt what stands before and after its data."""
    mark = "\0"
    filled = {
        "local": LOCAL_SEARCH_SYSTEM_PROMPT.format(context_data=mark, response_type=ANSWER_FORM),
        "basic": BASIC_SEARCH_SYSTEM_PROMPT.format(context_data=mark, response_type=ANSWER_FORM),
        "map": MAP_SYSTEM_PROMPT.format(context_data=mark, max_length=1000),
        "reduce": REDUCE_SYSTEM_PROMPT.format(report_data=mark, response_type=ANSWER_FORM, max_length=2000),
    }
    return {name: text.split(mark) for name, text in filled.items()}


def read(root: Path) -> dict[str, Any]:
    config = load_config(root_dir=root)
    provider = create_table_provider(config.table_provider, storage=create_storage(config.output_storage))
    reader = DataReader(provider)
    folder = Path(config.output_storage.base_dir)
    there = [name for name in TABLES if asyncio.run(provider.has(name))]
    return {
        "version": version("graphrag"),
        "tables": {name: table(reader, name, folder / f"{name}.parquet") for name in there},
        "adapted": adapted(reader, "covariates" in there),
        "vectors": {name: get_embedding_store(config.vector_store, name).count() for name in VECTORS},
        "prompts": prompts(),
    }


def main(root: Path) -> None:
    out, sys.stdout = sys.stdout, io.StringIO()  # whatever a library says shall not stand in the JSON
    os.chdir(root)  # vector stores are named relative to it
    found = read(root)
    sys.stdout = out
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
