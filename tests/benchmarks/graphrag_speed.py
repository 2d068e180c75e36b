"""How long graphrag 3.3.0 takes for the extraction of 1,000 short documents on the scripted server.

    python -m tests.benchmarks.graphrag_speed OTHER_PYTHON [--latency 0.2] [--concurrency 32] [--documents 1000]

The other interpreter has graphrag installed; it is never a dependency of this program. The time is that of the
server's log: from the arrival of the first extraction call to the last byte of the last one's reply. graphrag traces
the memory of every run, which costs most of that time; --without-trace switches it off.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from tests.benchmarks.model_speed import report
from tests.benchmarks.thousand import make_documents
from tests.servers.running import RunningServer, running_server

MODEL_BLOCK = re.compile(r"(?m)^(\s+)api_key: .*$")

MODULE = ("-m", "graphrag")
WITHOUT_TRACE = (
    "-c",
    "import tracemalloc\n"
    "tracemalloc.start = lambda *_: None\n"
    "tracemalloc.get_traced_memory = lambda: (0, 0)\n"
    "tracemalloc.get_tracemalloc_memory = lambda: 0\n"
    "from graphrag.cli.main import app\n"
    "app()\n",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", type=Path)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--without-trace", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, running_server(latency=arguments.latency) as server:
        root = Path(temporary) / "project"
        make_documents(root / "input", arguments.documents)
        environment = _environment(arguments.python)
        _run(arguments.python, ["init", "--root", str(root), "--model", "gpt-4.1", "--embedding", "e"], environment)
        _settle(root / "settings.yaml", server, arguments.concurrency)
        began = time.time()
        index = ["index", "--root", str(root), "--skip-validation"]
        _run(arguments.python, index, environment, WITHOUT_TRACE if arguments.without_trace else MODULE)
        whole = time.time() - began
        print(report(server.log("chat"), began, whole, arguments.concurrency, arguments.latency))
        stats = root / "output" / "stats.json"
        if stats.exists():
            print(f"graphrag's own stats: {stats.read_text('utf-8')[:2000]}")


def _environment(python: Path) -> dict[str, str]:
    code = "import importlib.util as u; print(u.find_spec('litellm').submodule_search_locations[0])"
    place = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    cache = Path(place) / "litellm_core_utils" / "tokenizers"
    return {
        **os.environ,
        "TIKTOKEN_CACHE_DIR": str(cache),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "GRAPHRAG_API_KEY": "sk-any",
    }


def _settle(path: Path, server: RunningServer, concurrency: int) -> None:
    """Point both models at the server, no gleaning, and the extraction alone."""
    text = path.read_text("utf-8")
    text = MODEL_BLOCK.sub(rf"\g<0>\n\g<1>api_base: {server.url}", text)
    text = re.sub(r"max_gleanings: \d+", "max_gleanings: 0", text)
    names = "[load_input_documents, create_base_text_units, create_final_documents, extract_graph]"
    path.write_text(f"concurrent_requests: {concurrency}\nworkflows: {names}\n{text}", "utf-8")


def _run(python: Path, arguments: list[str], environment: dict[str, str], how: tuple[str, ...] = MODULE) -> None:
    done = subprocess.run([python, *how, *arguments], env=environment, capture_output=True, text=True, timeout=1200)
    if done.returncode:
        raise SystemExit(f"graphrag {arguments[0]} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


if __name__ == "__main__":
    main()
