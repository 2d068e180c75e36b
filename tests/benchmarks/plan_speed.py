"""How long a plan of a large index takes, beside graphrag's own context builder in the same run.

    python -m tests.benchmarks.plan_speed OTHER_PYTHON INDEX [--level 2] [--runs 3]

The other interpreter has graphrag 3.3.0 installed; it is never a dependency of this program. INDEX is a folder of
tables (tests/benchmarks/big_index.py makes one). Both sides read the tables and build the batches of every report at
or below the level, counted with cl100k_base; the batches are compared by their SHA-256. Ours is timed as the whole
command, without stored counts (empty user folders, each time) and with them; graphrag's without the start of its
interpreter and its imports, from the reading of the tables to the last batch.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.graphrag_speed import _environment

ROOT = Path(__file__).resolve().parents[2]
_THEIRS = """
import asyncio, hashlib, json, sys, time
from pathlib import Path
import pandas as pd
from graphrag.query.indexer_adapters import read_indexer_communities, read_indexer_entities, read_indexer_reports
from graphrag.query.structured_search.global_search.community_context import GlobalCommunityContext
from graphrag_llm.config import TokenizerConfig
from graphrag_llm.tokenizer import create_tokenizer
folder, level = Path(sys.argv[1]), int(sys.argv[2])
tokenizer = create_tokenizer(TokenizerConfig(type="litellm", model_id="openai/gpt-4.1"))
tokenizer.encode("ready")
began, used = time.perf_counter(), time.process_time()
names = ("communities", "community_reports", "entities")
communities, reports, entities = (pd.read_parquet(folder / f"{name}.parquet") for name in names)
builder = GlobalCommunityContext(
    community_reports=read_indexer_reports(reports.copy(), communities.copy(), level, False),
    communities=read_indexer_communities(communities.copy(), reports.copy()),
    entities=read_indexer_entities(entities.copy(), communities.copy(), level),
    tokenizer=tokenizer,
)
found = asyncio.run(builder.build_context(
    "", use_community_summary=False, shuffle_data=True, include_community_rank=True, min_community_rank=0,
    community_rank_name="rank", include_community_weight=True, community_weight_name="occurrence weight",
    normalize_community_weight=True, max_context_tokens=12000, context_name="Reports",
))
chunks = found.context_chunks
digest = hashlib.sha256("\\0".join(chunks).encode()).hexdigest()
seconds, cpu = time.perf_counter() - began, time.process_time() - used
print(json.dumps({"seconds": seconds, "cpu": cpu, "batches": len(chunks), "sha256": digest}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    command = [str(arguments.python), "-c", _THEIRS, str(arguments.index), str(arguments.level)]
    done = subprocess.run(command, env=_environment(arguments.python), capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    print(
        f"graphrag's context builder: {theirs['seconds']:.2f} s ({theirs['cpu']:.2f} s of processor), "
        f"{theirs['batches']:,} batches, sha256 {theirs['sha256'][:16]}"
    )
    without: list[float] = []
    with_counts: list[float] = []
    for number in range(1, arguments.runs + 1):
        with tempfile.TemporaryDirectory() as home:
            for times, words in ((without, "without counts"), (with_counts, "with counts")):
                wall, cpu, digest = _ours(arguments.index, arguments.level, Path(home))
                times.append(wall)
                equal = "equal" if digest == theirs["sha256"] else "NOT EQUAL"
                print(
                    f"run {number}, plan {words}: {wall:.2f} s ({cpu:.2f} s of processor), "
                    f"{theirs['seconds'] / wall:.1f} times as fast ({theirs['cpu'] / cpu:.1f} by processor), "
                    f"batches {equal}"
                )
    best, cold = min(with_counts), min(without)
    print(
        f"best: {cold:.2f} s without counts ({theirs['seconds'] / cold:.1f} times as fast), {best:.2f} s with counts "
        f"({theirs['seconds'] / best:.1f} times as fast)"
    )


def _ours(index: Path, level: int, home: Path) -> tuple[float, float, str]:
    command = [sys.executable, "-m", "explorer", "plan", str(index), "--level", str(level), "--reports", "at_or_below"]
    environment = {**os.environ, "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run([*command, "--json"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, json.loads(done.stdout)["sha256"]


if __name__ == "__main__":
    main()
