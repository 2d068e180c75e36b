"""Lets graphrag 3.3 read and query indexes that this program makes, and says of each step whether it is right.

    python -m tests.conformance.query_with_graphrag --python /path/to/graphrag-environment/bin/python

(or GRAPHRAG_PYTHON in place of --python). A folder is indexed twice, offline and by a scripted model with claims, and a
folder of awkward texts once. Each index is copied, given a settings.yaml, opened by graphrag's own loaders table by
table, and asked by `graphrag query` with the methods local, basic and global. The model is the scripted server, which
embeds with our offline model. What graphrag sent is compared byte by byte with our own contexts. Exit 0 where
everything is right, 1 where not.

`--record` keeps the tables and what was sent (hashes, ids found) in tests/conformance/recorded for the ordinary tests.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from explorer.analysts.offline.vectors import OfflineEmbedder
from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from explorer.base.token_cache import TokenCounter
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.models.connection import Connection
from explorer.tables.index import open_index
from explorer.tables.vectors import open_vectors
from tests.conformance.awkward_folder import make_awkward_folder
from tests.conformance.checks import Case, Report, check_context, check_global, check_tables, sha
from tests.conformance.graphrag_project import make_project
from tests.servers.running import RunningServer, running_server

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = {
    "offline": "What happened at Garrick Light?",
    "claims": "What happened at Garrick Light?",
    "awkward": 'What did Bruno "the Bear" Stein | {write} to Jürgen Groß?',
}
RECORDED = Path(__file__).with_name("recorded") / "own"


def make_index(name: str, folder: Path, home: Path, server: RunningServer) -> None:
    """Index a folder with vectors: offline, or by the scripted model with claims."""
    if name != "claims":
        summary = index_folder(folder, home=home, vectors=True)
    else:
        connection = Connection(
            name="scripted", base_url=server.url, chat_model="scripted", embedding_model="scripted", key="none"
        )
        options = IndexOptions(claims=True, max_gleanings=0)
        summary = index_folder(folder, home=home, connection=connection, options=options, vectors=True)
    if summary.vectors is None or summary.vectors.state != "made":
        raise RuntimeError(f"the index has no vectors: {summary.vectors}")


def run_case(name: str, folder: Path, work: Path, python: str, server: RunningServer, report: Report) -> dict[str, Any]:
    """Make one index and let graphrag read and query it. Gives the record."""
    home = work / f"{name}-home"
    server.reset(embedder="offline")
    make_index(name, folder, home, server)
    project = make_project(home, work / f"{name}-project", server.url, python)
    question = QUESTIONS[name]
    (vector,) = OfflineEmbedder().embed([question], sink=ignore, scope=CancelScope())
    vectors = open_vectors(home / "output")
    assert vectors is not None and vector is not None
    case = Case(name, question, open_index(home), vectors, project, server, report, TokenCounter("cl100k_base"), vector)
    found = check_tables(case)
    record = {
        "graphrag": found["version"],
        "question": question,
        "dtypes": {name: table["dtypes"] for name, table in found["tables"].items()},
        "adapted": {name: sha(json.dumps(rows, sort_keys=True)) for name, rows in found["adapted"].items()},
        "local": check_context(case, "local", found["prompts"]),
        "basic": check_context(case, "basic", found["prompts"]),
        "global": check_global(case, found["prompts"]),
    }
    again = open_index(project.root)  # with a settings.yaml and logs beside it now
    case.check("the copy is still an index of ours", not again.foreign and again.info == case.index.info)
    case.check("the copy holds the same rows", again.entities == case.index.entities)
    return record


def keep(name: str, home: Path, record: dict[str, Any]) -> None:
    """Put the tables (not the vectors) and the record where the ordinary tests look for them."""
    place = RECORDED / name
    shutil.rmtree(place, ignore_errors=True)
    (place / "output").mkdir(parents=True)
    for path in sorted((home / "output").glob("*.parquet")):
        shutil.copy(path, place / "output" / path.name)
    (place / "graphrag.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None, say: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=os.environ.get("GRAPHRAG_PYTHON"), help="the interpreter with graphrag 3.3")
    parser.add_argument("--folder", type=Path, default=ROOT / "resources" / "sample", help="documents to index")
    parser.add_argument("--case", action="append", choices=tuple(QUESTIONS), help="one index alone")
    parser.add_argument("--record", action="store_true", help="keep the results for the ordinary tests")
    chosen = parser.parse_args(arguments)
    if not chosen.python or not Path(chosen.python).is_file():
        parser.error("name the python of an environment that has graphrag 3.3: --python, or GRAPHRAG_PYTHON")
    report = Report(say)
    with tempfile.TemporaryDirectory(prefix="read-by-graphrag-") as name, running_server() as server:
        for case in chosen.case or QUESTIONS:
            folder = make_awkward_folder(Path(name) / case) if case == "awkward" else chosen.folder
            record = run_case(case, folder, Path(name), chosen.python, server, report)
            if chosen.record and not report.wrong:
                keep(case, Path(name) / f"{case}-home", record)
    say(f"{len(report.wrong)} of the checks are wrong" if report.wrong else "everything is right")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
