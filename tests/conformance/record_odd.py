"""Runs the reference engine over the indexes of `odd_indexes.py` with many settings and records what it builds.

    PYTHONHASHSEED=0 python tests/conformance/record_odd.py tests/conformance/recorded/odd.json

in an environment with graphrag 3.3.0, as `record.py`. What ends in an exception there is recorded as its name.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import odd_indexes
import scripts
from graphrag.data_model import dfs
from graphrag.query.context_builder.dynamic_community_selection import DynamicCommunitySelection
from graphrag.query.indexer_adapters import (
    read_indexer_covariates,
    read_indexer_relationships,
    read_indexer_text_units,
)
from graphrag.query.structured_search.basic_search.basic_context import BasicSearchContext
from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext
from graphrag_llm.config import TokenizerConfig
from graphrag_llm.tokenizer import create_tokenizer
from record import Source, _Rater, _Vectors, digest

Settings = dict[str, Any]


class _Typed(Source):
    """The tables as graphrag's command line reads them, with its types."""

    def table(self, name: str) -> Any:
        return getattr(dfs, f"{name}_typed")(super().table(name))


def batches(source: Source, settings: Settings, tokenizer: Any) -> Settings:
    level, seed = settings["level"], settings["seed"]
    builder = GlobalCommunityContext(
        community_reports=source.reports(level), communities=source.communities(), entities=source.entities(level),
        tokenizer=tokenizer, random_state=seed,
    )  # fmt: skip
    chunks = asyncio.run(
        builder.build_context(
            scripts.QUESTION, shuffle_data=True, include_community_rank=True, community_rank_name="rank",
            include_community_weight=True, community_weight_name="occurrence weight", normalize_community_weight=True,
            context_name="Reports", **{key: settings[key] for key in settings if key not in ("level", "seed")},
        )
    ).context_chunks  # fmt: skip
    return {"batches": len(chunks), **digest("\0".join(chunks))}


def local(source: Source, settings: Settings, tokenizer: Any) -> Settings:
    level = settings["level"]
    ids = scripts.found([str(key) for key in source.table("entities")["id"]], settings["seed"], settings["found"])
    builder = LocalSearchMixedContext(
        community_reports=source.reports(level), text_units=read_indexer_text_units(source.table("text_units")),
        entities=source.entities(level), relationships=read_indexer_relationships(source.table("relationships")),
        covariates={"claims": read_indexer_covariates(source.table("covariates"))},
        entity_text_embeddings=_Vectors(ids, settings["seed"]), text_embedder=None, tokenizer=tokenizer,
    )  # fmt: skip
    result = builder.build_context(
        query=scripts.QUESTION, top_k_mapped_entities=len(ids), include_entity_rank=True,
        include_relationship_weight=True, include_community_rank=False, return_candidate_context=False,
        **{key: settings[key] for key in settings if key not in ("level", "seed", "found")},
    )  # fmt: skip
    return {
        "rows": {name: len(frame) for name, frame in result.context_records.items()},
        **digest(result.context_chunks),
    }


def basic(source: Source, settings: Settings, tokenizer: Any) -> Settings:
    units = source.table("text_units")
    builder = BasicSearchContext(
        text_embedder=None, text_unit_embeddings=_Vectors([str(key) for key in units["id"]], settings["seed"]),
        text_units=read_indexer_text_units(units), tokenizer=tokenizer,
    )  # fmt: skip
    result = builder.build_context(
        query=scripts.QUESTION, k=settings["k"], max_context_tokens=settings["max_context_tokens"]
    )
    return {"rows": len(result.context_records["sources"]), **digest(result.context_chunks)}


def dynamic(source: Source, settings: Settings, tokenizer: Any) -> Settings:
    reports = source.reports(settings["level"], True)
    field = "summary" if settings["use_summary"] else "full_content"
    rater = _Rater([getattr(report, field) for report in reports], settings["seed"])
    walk = DynamicCommunitySelection(
        community_reports=reports, communities=source.communities(), model=rater, tokenizer=tokenizer,
        concurrent_coroutines=1, rate_query="{description}",
        **{key: settings[key] for key in settings if key not in ("level", "seed")},
    )  # fmt: skip
    chosen, info = asyncio.run(walk.select(scripts.QUESTION))
    return {
        "chosen": sorted(int(report.community_id) for report in chosen),
        "ratings": {community: info["ratings"][community] for community in sorted(info["ratings"])},
        "calls": len(rater.asked),
    }


def attempt(build: Callable[..., Settings], source: Source, settings: Settings, tokenizer: Any) -> Settings:
    try:
        return build(source, settings, tokenizer)
    except Exception as error:  # noqa: BLE001 - whatever ends it is the result
        return {"ends_with": type(error).__name__}


def main(out: Path) -> None:
    tokenizer = create_tokenizer(TokenizerConfig(type="litellm", model_id="openai/gpt-4.1"))
    kinds = (
        (batches, odd_indexes.GLOBAL),
        (local, odd_indexes.LOCAL),
        (basic, odd_indexes.BASIC),
        (dynamic, odd_indexes.DYNAMIC),
    )
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for odd in odd_indexes.ODD:
            source = _Typed(odd_indexes.write(odd, Path(folder) / odd))
            found[odd] = {
                build.__name__: [attempt(build, source, settings, tokenizer) for settings in all_settings]
                for build, all_settings in kinds
            }
    lines = [
        f'"{odd}": {{\n' + ",\n".join(f'"{kind}": [\n' + ",\n".join(map(json.dumps, results)) + "\n]"
                                      for kind, results in parts.items()) + "\n}"
        for odd, parts in found.items()
    ]  # fmt: skip
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
