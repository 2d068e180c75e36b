"""What is checked when graphrag reads and queries one of our indexes: tables, contexts, batches, to the byte."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from explorer.base.token_cache import TokenCounter
from explorer.tables.index import Index
from explorer.tables.vectors import Vectors
from tests.conformance import own_side
from tests.conformance.graphrag_project import Project
from tests.conformance.schema_3 import wrong_types
from tests.servers.running import RunningServer
from tests.servers.witness import Entry

TIMEOUT = 600.0  # seconds for one process of graphrag


@dataclass
class Report:
    """What was checked. `say` gets a line for each."""

    say: Callable[[str], object]
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, right: bool, detail: object = "") -> None:
        self.say(f"{'ok   ' if right else 'WRONG'} {what}" + (f": {detail}" if detail and not right else ""))
        if not right:
            self.wrong.append(f"{what}: {detail}")


@dataclass(frozen=True)
class Case:
    """An index of ours, its copy for graphrag, and what it takes to compare them."""

    name: str
    question: str
    index: Index
    vectors: Vectors
    project: Project
    server: RunningServer
    report: Report
    counter: TokenCounter
    question_vector: tuple[float, ...]

    def check(self, what: str, right: bool, detail: object = "") -> None:
        self.report.check(f"{self.name}: {what}", right, detail)

    def nearest(self, table: str, count: int) -> list[str]:
        return [key for key, _ in self.vectors.tables[table].nearest(self.question_vector, count)]


def check_tables(case: Case) -> dict[str, Any]:
    """Open every table with graphrag's loaders; gives what they found."""
    found = case.project.read(TIMEOUT)
    wanted = ["documents", "text_units", "entities", "relationships", "communities", "community_reports"]
    if case.name == "claims":
        wanted.append("covariates")
        case.check("there are claims", bool(case.index.claims))
    case.check("graphrag finds the tables", sorted(found["tables"]) == sorted(wanted), sorted(found["tables"]))
    for name, table in found["tables"].items():
        rows = case.index.state(name).rows
        case.check(f"table {name} has {rows} rows", table["rows"] == rows, table["rows"])
        case.check(f"table {name} has graphrag's columns", table["columns"] == table["final_columns"], table["columns"])
        wrong = wrong_types(name, table)
        case.check(f"table {name} has graphrag's types", not wrong, "; ".join(wrong))
    for name, rows in own_side.adapted(case.index).items():
        theirs = json.loads(json.dumps(found["adapted"][name]))
        ours = json.loads(json.dumps(rows))
        unlike = next(
            (pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), (len(ours), len(theirs))
        )
        case.check(f"query objects of {name} ({len(ours)})", ours == theirs, unlike)
    counts = {name: table.count for name, table in case.vectors.tables.items()}
    case.check(f"vectors {sum(counts.values())}", found["vectors"] == counts, found["vectors"])
    return found


def ask(case: Case, method: str) -> list[Entry]:
    """One question by graphrag's command line; gives what the server heard, in the order of the requests."""
    case.server.reset(keep_bodies=True, embedder="offline")
    before = case.project.digest()
    done = case.project.ask(method, case.question, TIMEOUT)
    case.check(f"{method} ends with exit 0", done.returncode == 0, done.stderr[-2000:])
    case.check(f"{method} changes nothing in output/", case.project.digest() == before)
    entries = sorted(case.server.log(), key=lambda entry: entry.number)
    last = entries[-1].reply if entries else ""
    case.check(f"{method} prints the server's answer", bool(last) and _words(last) in _words(done.stdout), done.stdout)
    case.check(f"{method}: every request was served", all(entry.outcome == "ok" for entry in entries))
    return entries


def data_of(entry: Entry, around: list[str]) -> str | None:
    """The data in the system message of a request; None where the message is not the prompt that was expected."""
    before, after = around
    messages = entry.request["messages"]
    text = str(messages[0]["content"])
    if not (text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after)):
        return None
    return text[len(before) : len(text) - len(after)]


def check_context(case: Case, method: str, prompts: dict[str, list[str]]) -> dict[str, Any]:
    """Local or basic: the context that was sent against ours around what our vectors find. Gives the record of it."""
    table, count = (
        ("entity_description", own_side.ENTITIES) if method == "local" else ("text_unit_text", own_side.UNITS)
    )
    ids = case.nearest(table, count)
    make = own_side.local if method == "local" else own_side.basic
    text, rows = make(case.index, ids, case.counter)
    entries = ask(case, method)
    paths = [entry.path.rsplit("/", 1)[-1] for entry in entries]
    case.check(f"{method} embeds the question and asks once", paths == ["embeddings", "completions"], paths)
    embedded = [entry.request["input"] for entry in entries if entry.path.endswith("embeddings")]
    case.check(f"{method} embeds the question as it is", embedded == [[case.question]], embedded)
    sent = data_of(entries[-1], prompts[method]) if entries else None
    case.check(f"{method} sends its own prompt", sent is not None)
    for name, number in rows.items():
        if name != "claims" or case.name == "claims":
            case.check(f"{method} sends {number} {name}", number > 0 or name == "relationships")
    case.check(
        f"{method} sends our context ({len(text)} characters)", sent == text, _first_difference(text, sent or "")
    )
    return {"ids": ids, "rows": rows, "length": len(sent or ""), "sha256": sha(sent or "")}


def check_global(case: Case, prompts: dict[str, list[str]]) -> dict[str, Any]:
    """Global: the map batches and the data of the reduce prompt against ours. Gives the record of them."""
    texts = own_side.batches(case.index, case.counter)
    entries = ask(case, "global")
    maps = {data_of(entry, prompts["map"]): entry for entry in entries[:-1]}
    paths = Counter(entry.path.rsplit("/", 1)[-1] for entry in entries)
    case.check(f"global asks {len(texts)} times and once more", paths == {"completions": len(texts) + 1}, dict(paths))
    case.check(f"global sends our {len(texts)} batches", set(maps) == set(texts), [len(text or "") for text in maps])
    replies = [maps[text].reply for text in texts if text in maps]
    sent = data_of(entries[-1], prompts["reduce"]) if entries else None
    data = own_side.reduce_data(replies, case.counter)
    case.check("global sends the points that we keep", sent == data, _first_difference(data, sent or ""))
    reports = [report for report in case.index.reports if report.level <= own_side.LEVEL]
    titles = {report.community: report.title.replace('"', '""') for report in reports}
    missing = [number for number, title in titles.items() if not any(title in (text or "") for text in maps)]
    case.check(f"global sends all {len(reports)} reports", not missing, missing)
    return {
        "batches": [{"length": len(text or ""), "sha256": sha(text or "")} for text in texts if text in maps],
        "replies": replies,
        "reduce": {"length": len(sent or ""), "sha256": sha(sent or "")},
    }


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _words(text: str) -> str:
    """The text without the line ends that a console makes."""
    return " ".join(text.split())


def _first_difference(ours: str, theirs: str) -> str:
    pairs = enumerate(zip(ours, theirs, strict=False))
    at = next((place for place, (mine, other) in pairs if mine != other), min(len(ours), len(theirs)))
    parts = f"ours {ours[at : at + 80]!r}, sent {theirs[at : at + 80]!r}"
    return f"{len(ours)} and {len(theirs)} characters; at {at} {parts}"
