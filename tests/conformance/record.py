"""Runs the reference engine over indexes and records what it builds, for the ordinary tests to compare with.

    PYTHONHASHSEED=0 python tests/conformance/record.py INDEXES OUT

in an environment with graphrag 3.3.0; INDEXES is the folder `data/indexes` of the test material, OUT the folder of the
recorded results (tests/conformance/recorded). No model and no network is used: replies are scripted.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import pandas as pd
import scripts
from graphrag.query.context_builder.dynamic_community_selection import DynamicCommunitySelection
from graphrag.query.indexer_adapters import (
    read_indexer_communities,
    read_indexer_covariates,
    read_indexer_entities,
    read_indexer_relationships,
    read_indexer_reports,
    read_indexer_text_units,
)
from graphrag.query.structured_search.basic_search.basic_context import BasicSearchContext
from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
from graphrag.query.structured_search.global_search.search import GlobalSearch
from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext
from graphrag_llm.config import TokenizerConfig
from graphrag_llm.tokenizer import create_tokenizer
from graphrag_llm.utils import create_completion_response


class _Document:
    def __init__(self, key: str) -> None:
        self.id = key


class _Found:
    def __init__(self, key: str) -> None:
        self.document = _Document(key)
        self.score = 1.0


class _Vectors:
    """A vector store that finds what the script says."""

    def __init__(self, keys: list[str], seed: int) -> None:
        self._keys, self._seed = keys, seed

    def similarity_search_by_text(self, text: str, text_embedder: Any, k: int = 10, **_: Any) -> list[_Found]:
        return [_Found(key) for key in scripts.found(self._keys, self._seed, k)]


class _Rater:
    """A model that rates by script; the report that is meant is known by its text."""

    def __init__(self, texts: list[str], seed: int) -> None:
        self._texts, self._seed = sorted(texts, key=len, reverse=True), seed
        self.asked: list[str] = []

    async def completion_async(self, *, messages: Any, **_: Any) -> Any:
        system = str(_field(messages[0], "content"))
        text = next(text for text in self._texts if text in system)
        repeat = self.asked.count(text) if self._texts.count(text) == 1 else 0
        self.asked.append(text)
        return create_completion_response(scripts.rating_reply(text, self._seed, repeat))


class _Mapper:
    """A model that answers map calls by script and keeps the prompt of the reduce call."""

    def __init__(self, chunks: list[str], seed: int) -> None:
        self._chunks, self._seed, self.reduce = chunks, seed, ""

    async def completion_async(self, *, messages: Any, stream: bool = False, **_: Any) -> Any:
        system = str(_field(messages[0], "content"))
        for chunk in self._chunks:
            if chunk in system:
                return create_completion_response(scripts.map_reply(chunk, self._seed))
        self.reduce = system
        return _stream()


async def _stream() -> Any:
    class Delta:
        content = "done"

    class Choice:
        delta = Delta()

    class Chunk:
        choices = (Choice(),)

    yield Chunk()


def _field(message: Any, name: str) -> Any:
    return message[name] if isinstance(message, dict) else getattr(message, name)


class Source:
    """The tables of one index; every call gets fresh copies, since the adapters change what they are given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, name: str) -> pd.DataFrame:
        frame = pd.read_parquet(self.folder / f"{name}.parquet")
        if name == "text_units" and "document_ids" in frame:  # 2.x had a list, which 3.x does not read
            frame["document_id"] = [str(ids[0]) for ids in frame["document_ids"]]
        return frame

    def has(self, name: str) -> bool:
        return (self.folder / f"{name}.parquet").is_file()

    def reports(self, level: int, dynamic: bool = False) -> Any:
        return read_indexer_reports(self.table("community_reports"), self.table("communities"), level, dynamic)

    def entities(self, level: int) -> Any:
        return read_indexer_entities(self.table("entities"), self.table("communities"), level)

    def communities(self) -> Any:
        return read_indexer_communities(self.table("communities"), self.table("community_reports"))


def digest(text: str) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), "length": len(text)}


def local(source: Source, level: int, seed: int, tokenizer: Any) -> dict[str, Any]:
    covariates = read_indexer_covariates(source.table("covariates")) if source.has("covariates") else []
    builder = LocalSearchMixedContext(
        community_reports=source.reports(level),
        text_units=read_indexer_text_units(source.table("text_units")),
        entities=source.entities(level),
        relationships=read_indexer_relationships(source.table("relationships")),
        covariates={"claims": covariates},
        entity_text_embeddings=_Vectors([str(key) for key in source.table("entities")["id"]], seed),
        text_embedder=None,
        tokenizer=tokenizer,
    )
    result = builder.build_context(
        query=scripts.QUESTION, text_unit_prop=0.5, community_prop=0.15, conversation_history_max_turns=5,
        top_k_mapped_entities=10, top_k_relationships=10, include_entity_rank=True, include_relationship_weight=True,
        include_community_rank=False, return_candidate_context=False, max_context_tokens=12_000,
    )  # fmt: skip
    rows = {name: len(frame) for name, frame in result.context_records.items()}
    return {"level": level, "seed": seed, "rows": rows, **digest(result.context_chunks)}


def basic(source: Source, seed: int, tokenizer: Any) -> dict[str, Any]:
    units = source.table("text_units")
    builder = BasicSearchContext(
        text_embedder=None,
        text_unit_embeddings=_Vectors([str(key) for key in units["id"]], seed),
        text_units=read_indexer_text_units(units),
        tokenizer=tokenizer,
    )
    result = builder.build_context(query=scripts.QUESTION, k=10, max_context_tokens=12_000)
    return {"seed": seed, "rows": len(result.context_records["sources"]), **digest(result.context_chunks)}


async def dynamic(source: Source, level: int, seed: int, repeats: int, keep: bool, tokenizer: Any) -> dict[str, Any]:
    reports = source.reports(level, True)
    rater = _Rater([report.full_content for report in reports], seed)
    walk = DynamicCommunitySelection(
        community_reports=reports, communities=source.communities(), model=rater, tokenizer=tokenizer,
        threshold=1 if seed != 2 else 3, keep_parent=keep, num_repeats=repeats, max_level=2, concurrent_coroutines=1,
    )  # fmt: skip
    chosen, info = await walk.select(scripts.QUESTION)
    return {
        "level": level, "seed": seed, "repeats": repeats, "keep_parent": keep,
        "chosen": sorted(int(report.community_id) for report in chosen),
        "ratings": {str(community): rating for community, rating in sorted(info["ratings"].items())},
        "calls": len(rater.asked),
    }  # fmt: skip


async def reduce(source: Source, level: int, seed: int, tokenizer: Any) -> dict[str, Any]:
    reports, entities = source.reports(level), source.entities(level)
    parameters = {
        "use_community_summary": False, "shuffle_data": True, "include_community_rank": True, "min_community_rank": 0,
        "community_rank_name": "rank", "include_community_weight": True, "community_weight_name": "occurrence weight",
        "normalize_community_weight": True, "max_context_tokens": 12_000, "context_name": "Reports",
    }  # fmt: skip
    context = GlobalCommunityContext(
        community_reports=reports, communities=source.communities(), entities=entities, tokenizer=tokenizer
    )
    chunks = (await context.build_context(scripts.QUESTION, **parameters)).context_chunks
    model = _Mapper(list(chunks), seed)
    fresh = GlobalCommunityContext(
        community_reports=source.reports(level), communities=source.communities(), entities=source.entities(level),
        tokenizer=tokenizer,
    )  # fmt: skip
    search = GlobalSearch(
        model=model, context_builder=fresh, tokenizer=tokenizer, json_mode=False, map_llm_params={},
        reduce_llm_params={}, context_builder_params=parameters, max_data_tokens=3_000,
        map_system_prompt="{context_data}{max_length}", reduce_system_prompt="{report_data}",
    )  # fmt: skip
    await search.search(scripts.QUESTION)
    batches = hashlib.sha256("\0".join(chunks).encode("utf-8", "surrogatepass")).hexdigest()
    return {"level": level, "seed": seed, "batches": len(chunks), "batches_sha256": batches, **digest(model.reduce)}


async def record(source: Source, tokenizer: Any) -> dict[str, Any]:
    walks = [
        await dynamic(source, level, seed, repeats, keep, tokenizer)
        for level in (1, 2)
        for seed in scripts.LOCAL_SEEDS
        for repeats, keep in ((1, False), (3, True))
    ]
    return {
        "local": [local(source, level, seed, tokenizer) for level in scripts.LEVELS for seed in scripts.LOCAL_SEEDS],
        "basic": [basic(source, seed, tokenizer) for seed in scripts.LOCAL_SEEDS],
        "dynamic": walks,
        "reduce": [await reduce(source, level, seed, tokenizer) for level in scripts.LEVELS for seed in (1, 2)],
    }


def main(indexes: Path, out: Path) -> None:
    tokenizer = create_tokenizer(TokenizerConfig(type="litellm", model_id="openai/gpt-4.1"))
    for name, path in scripts.INDEXES.items():
        found = asyncio.run(record(Source(indexes / path), tokenizer))
        (out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{name}: {', '.join(f'{len(part)} {kind}' for kind, part in found.items())}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
