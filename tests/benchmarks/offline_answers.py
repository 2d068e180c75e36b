"""Print what the offline analyst finds for questions whose evidence is known.

    python tests/benchmarks/offline_answers.py [FOLDER QUESTIONS] [--index HOME] [--answers N]

Indexes FOLDER (small_christmas_carol by default) through the program's own run, or takes the index in HOME, and asks
every question at the deepest level. A local question is answered where a text unit that a kept point cites holds its
`evidence`; one that cannot be answered where the run ends with nothing relevant. The same questions then go to the
same index with other reports: the first sentence of each text unit of the community. `--answers N` prints the first N
answers as they are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
CORPORA = ROOT.parent / "shared" / "data" / "corpora"


@dataclass(frozen=True)
class Outcome:
    """What became of one question: `found` is None for questions without evidence."""

    status: str
    found: bool | None
    points: int
    sources: int
    answer: str


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=CORPORA / "small_christmas_carol")
    parser.add_argument("questions", nargs="?", type=Path, default=CORPORA / "qa_christmas_carol" / "questions.jsonl")
    parser.add_argument("--index", type=Path, help="an index of the folder that stands already")
    parser.add_argument("--answers", type=int, default=0)
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "own"
        if arguments.index is None:
            from explorer.indexing.run import index_folder

            index_folder(arguments.folder, home=home)
        else:
            shutil.copytree(arguments.index, home)
        plain = Path(scratch) / "plain"
        shutil.copytree(home, plain)
        write_first_sentences(plain)
        own, first = ask_all(home, questions), ask_all(plain, questions)
    show(questions, own, first)
    for question, outcome in list(zip(questions, own, strict=True))[: arguments.answers]:
        print(f"\n=== {question['question']}\n\n{outcome.answer}")
    return 0


def ask_all(home: Path, questions: list[dict[str, Any]]) -> list[Outcome]:
    """Ask an index every question at its deepest level."""
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.search.global_search import global_search
    from explorer.search.options import GlobalOptions
    from explorer.tables.index import open_index

    index = open_index(home)
    analyst = OfflineAnalyst.for_index(index)
    options = GlobalOptions(level=max(index.levels))
    outcomes = []
    for question in questions:
        trace = asyncio.run(global_search(index, question["question"], analyst, options))
        kept = [point for point in trace.points if point.fate == "kept"]
        cited = {number for point in kept for number in sources(point.text)}
        texts = [index.unit_by_number[number].text for number in sorted(cited)]
        evidence = question.get("evidence")
        found = None if not evidence else any(holds(text, part) for text in texts for part in evidence.split("|"))
        outcomes.append(Outcome(trace.answer.status, found, len(kept), len(cited), trace.answer.text))
    analyst.close()
    return outcomes


def sources(text: str) -> list[int]:
    """The text units that a point cites."""
    return [int(n) for part in re.findall(r"Sources \(([^)]*)\)", text) for n in re.findall(r"\d+", part)]


def holds(text: str, evidence: str) -> bool:
    """Whether a text holds the evidence as it stands, but for line breaks."""
    return " ".join(evidence.split()) in " ".join(text.split())


def write_first_sentences(home: Path) -> None:
    """Replace the reports of an index by first sentences of the community's text units, each with its source."""
    from explorer.analysts.offline.sentences import split_sentences

    output = home / "output"
    units = {row["id"]: row for row in pq.read_table(output / "text_units.parquet").to_pylist()}
    members = {
        row["community"]: row["text_unit_ids"] for row in pq.read_table(output / "communities.parquet").to_pylist()
    }
    path = output / "community_reports.parquet"
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        findings = []
        for unit in sorted((units[name] for name in members[row["community"]]), key=lambda u: u["human_readable_id"])[
            :10
        ]:
            start, end = (split_sentences(unit["text"]) or [(0, 0)])[0]
            sentence = " ".join(unit["text"][start:end].split()).replace("[", "(").replace("]", ")")
            number = unit["human_readable_id"]
            findings.append({"summary": f"Text unit {number}", "explanation": f"{sentence} [Data: Sources ({number})]"})
        row["findings"] = findings
        told = "\n\n".join(f"## {finding['summary']}\n\n{finding['explanation']}" for finding in findings)
        row["full_content"] = f"# {row['title']}\n\nFirst sentences.\n\n{told}"
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)


def show(questions: list[dict[str, Any]], own: list[Outcome], first: list[Outcome]) -> None:
    """The table: a row a question, then the sums."""
    print(f"{'id':8} {'kind':13} {'status':17} {'found':6} {'points':>6} {'sources':>7}  {'first':6} question")
    for question, a, b in zip(questions, own, first, strict=True):
        print(
            f"{question['id']:8} {question.get('kind', ''):13} {a.status:17} {_word(a.found):6} {a.points:6} "
            f"{a.sources:7}  {_word(b.found):6} {question['question'][:70]}"
        )
    kinds = [question.get("kind", "local") for question in questions]
    local = [at for at, kind in enumerate(kinds) if kind == "local"]
    empty = [at for at, kind in enumerate(kinds) if kind == "unanswerable"]
    print(f"local questions with evidence      {sum(bool(own[at].found) for at in local)} of {len(local)}")
    print(f"  from reports of first sentences  {sum(bool(first[at].found) for at in local)} of {len(local)}")
    nothing = sum(own[at].status == "nothing_relevant" for at in empty)
    print(f"unanswerable, nothing relevant     {nothing} of {len(empty)}")
    mean = sum(own[at].sources for at in local) / max(1, len(local))
    print(f"text units cited by kept points    {mean:.1f} a local question")


def _word(found: bool | None) -> str:
    return "" if found is None else "yes" if found else "no"


if __name__ == "__main__":
    sys.exit(main())
