"""Makes an index of any size with the shape of real ones, to see how the program opens and plans it.

    python tests/benchmarks/big_index.py OUT [--entities 100000] [--relationships 300000] [--communities 20000]

Communities hang in three levels; entities lie in one of each; relationships mostly stay inside. Reports have 600
cl100k_base tokens on average. The same numbers give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.tables.columns import schema

_WORDS = [a + b for a in ("har", "mol", "ves", "tor", "lin", "bra", "ked", "osm", "wil", "fen") for b in
          ("bour", "en", "tide", "mark", "ora", "is", "and", "ule", "ster", "quay")]  # fmt: skip
_SHARES = (0.05, 0.30, 0.65)  # of the communities, by level


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relationships", type=int, default=300_000)
    parser.add_argument("--communities", type=int, default=20_000)
    parser.add_argument("--report-words", type=int, default=212, help="that make about 600 tokens")
    given = parser.parse_args(arguments)
    make(given.out, given.entities, given.relationships, given.communities, given.report_words)


def make(out: Path, entities: int, relationships: int, communities: int, report_words: int) -> None:
    """Write the tables of such an index into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(7)
    groups = _hierarchy(entities, communities)
    home = {member: number for number, (level, _, _, members) in enumerate(groups) if level == 2 for member in members}
    units = max(1, entities // 20)
    ends = _ends(rng, entities, relationships, groups)
    degree = [0] * entities
    for source, target in ends:
        degree[source] += 1
        degree[target] += 1
    _write(out, "entities", {
        "id": [f"e{n}" for n in range(entities)], "human_readable_id": list(range(entities)),
        "title": [_title(n) for n in range(entities)],
        "type": ["ORGANIZATION" if n % 3 else "PERSON" for n in range(entities)],
        "description": [f"{_title(n)} is known in {home.get(n, 0)} places." for n in range(entities)],
        "text_unit_ids": [[f"t{n % units}", f"t{(n * 7) % units}"] for n in range(entities)],
        "frequency": [2] * entities, "degree": degree,
    })  # fmt: skip
    _write(out, "relationships", {
        "id": [f"r{n}" for n in range(len(ends))], "human_readable_id": list(range(len(ends))),
        "source": [_title(source) for source, _ in ends], "target": [_title(target) for _, target in ends],
        "description": [f"{_title(source)} deals with {_title(target)}." for source, target in ends],
        "weight": [float(1 + n % 9) for n in range(len(ends))],
        "combined_degree": [degree[source] + degree[target] for source, target in ends],
        "text_unit_ids": [[f"t{n % units}"] for n in range(len(ends))],
    })  # fmt: skip
    inner: list[list[str]] = [[] for _ in groups]
    place = [_places(groups, level, entities) for level in range(3)]
    for n, (source, target) in enumerate(ends):
        for level in range(3):
            if place[level][source] == place[level][target] >= 0:
                inner[place[level][source]].append(f"r{n}")
    children: list[list[int]] = [[] for _ in groups]
    for number, (_, parent, _, _) in enumerate(groups):
        if parent >= 0:
            children[parent].append(number)
    count = len(groups)
    shared: dict[str, list[Any]] = {
        "human_readable_id": list(range(count)), "community": list(range(count)),
        "level": [group[0] for group in groups], "parent": [group[1] for group in groups], "children": children,
        "period": ["2026-11-30"] * count, "size": [len(group[3]) for group in groups],
    }  # fmt: skip
    _write(out, "communities", {
        **shared, "id": [f"c{n}" for n in range(count)], "title": [f"Community {n}" for n in range(count)],
        "entity_ids": [[f"e{member}" for member in group[3]] for group in groups], "relationship_ids": inner,
        "text_unit_ids": [sorted({f"t{member % units}" for member in group[3]}) for group in groups],
    })  # fmt: skip
    order = sorted(range(count), key=lambda number: (-groups[number][0], number))
    texts = [_report(rng, number, report_words) for number in order]
    _write(out, "community_reports", {
        **{name: [values[number] for number in order] for name, values in shared.items()},
        "id": [f"report{number}" for number in order], "title": [text["title"] for text in texts],
        "summary": [text["summary"] for text in texts], "full_content": [text["full"] for text in texts],
        "rank": [float(number % 10) for number in order], "rating_explanation": ["as the script has it"] * count,
        "findings": [[{"explanation": text["summary"], "summary": text["title"]}] for text in texts],
        "full_content_json": [json.dumps({"title": text["title"]}) for text in texts],
    })  # fmt: skip
    _write(out, "text_units", {
        "id": [f"t{n}" for n in range(units)], "human_readable_id": list(range(units)),
        "text": [" ".join(rng.choices(_WORDS, k=120)) for _ in range(units)], "n_tokens": [200] * units,
        "document_id": [f"d{n // 50}" for n in range(units)], "entity_ids": [[]] * units,
        "relationship_ids": [[]] * units, "covariate_ids": [[]] * units,
    })  # fmt: skip
    documents = (units + 49) // 50
    _write(out, "documents", {
        "id": [f"d{n}" for n in range(documents)], "human_readable_id": list(range(documents)),
        "title": [f"document {n}" for n in range(documents)], "text": [""] * documents,
        "text_unit_ids": [[]] * documents, "creation_date": [""] * documents, "raw_data": [None] * documents,
    })  # fmt: skip
    sys.stdout.write(f"{out}: {entities:,} entities, {len(ends):,} relationships, {count:,} communities\n")


Group = tuple[int, int, int, range]  # level, parent, first member, members


def _hierarchy(entities: int, communities: int) -> list[Group]:
    """Communities of three levels; each lies within one of the level above."""
    groups: list[Group] = []
    above: list[int] = [-1]
    for level, share in enumerate(_SHARES):
        number = max(len(above), round(communities * share)) if level else max(1, round(communities * share))
        here: list[int] = []
        for place, parent in enumerate(above):
            span = range(entities) if parent < 0 else groups[parent][3]
            parts = number // len(above) + (place < number % len(above))
            parts = max(1, min(parts, len(span)))
            for part in range(parts):
                first = span.start + len(span) * part // parts
                last = span.start + len(span) * (part + 1) // parts
                here.append(len(groups))
                groups.append((level, parent, first, range(first, last)))
        above = here
    return groups


def _places(groups: list[Group], level: int, entities: int) -> list[int]:
    place = [-1] * entities
    for number, group in enumerate(groups):
        if group[0] == level:
            for member in group[3]:
                place[member] = number
    return place


def _ends(rng: random.Random, entities: int, relationships: int, groups: list[Group]) -> list[tuple[int, int]]:
    spans = [[group[3] for group in groups if group[0] == level and len(group[3]) > 1] for level in range(3)]
    found: dict[tuple[int, int], None] = {}
    while len(found) < relationships:
        draw = rng.random()
        level = 2 if draw < 0.6 else 1 if draw < 0.85 else 0
        span = range(entities) if draw > 0.98 or not spans[level] else rng.choice(spans[level])
        source, target = rng.randrange(span.start, span.stop), rng.randrange(span.start, span.stop)
        if source != target:
            found.setdefault((min(source, target), max(source, target)))
    return list(found)


def _title(number: int) -> str:
    return f"{_WORDS[number % 100]} {_WORDS[number // 100 % 100]} {number}".upper()


def _report(rng: random.Random, number: int, words: int) -> dict[str, str]:
    length = max(20, round(rng.gauss(words, words / 4)))
    title = f"{_WORDS[number % 100].title()} and {_WORDS[number // 100 % 100].title()} {number}"
    summary = " ".join(rng.choices(_WORDS, k=40)) + "."
    body = " ".join(rng.choices(_WORDS, k=length))
    return {"title": title, "summary": summary, "full": f"# {title}\n\n{summary}\n\n## {title}\n\n{body}."}


def _write(out: Path, name: str, columns: dict[str, list[Any]]) -> None:
    wanted = schema(name)
    arrays = [pa.array(columns[column], type=wanted.field(column).type) for column in wanted.names]
    pq.write_table(pa.Table.from_arrays(arrays, schema=wanted), out / f"{name}.parquet")


if __name__ == "__main__":
    main()
