"""Small indexes in graphrag's schema, each with one thing that its own indexing does not do, and what is asked of them.

Written by names and numbers alone, so that both sides have the same; besides the standard library only pyarrow.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

try:
    from tests.conformance import scripts
except ImportError:  # in the environment of the reference engine
    import scripts  # type: ignore[no-redef]

Columns = dict[str, list[Any]]
Tables = dict[str, Columns]
WORDS = (
    'harbour Ånna größe 李明 тест a|b "quoted" line\nbreak back\\slash, tab\tstop 😀 lamp of the keeper ---- 3.5'.split(
        " "
    )
)
ODD = ("plain", "two_reports", "one_title", "empty_cells", "doubled_ids", "parents_away", "no_members")
LEVELS = (0, 1, None)

GLOBAL = tuple(
    {"level": level, "max_context_tokens": tokens, "min_community_rank": rank, "use_community_summary": summary,
     "seed": seed}
    for level in LEVELS
    for tokens, rank, summary, seed in (
        (1, 0, False, 86), (150, 5, True, 7), (400, -5, False, 86), (12_000, 0, True, 1),
    )
)  # fmt: skip
LOCAL = tuple(
    {"level": level, "max_context_tokens": tokens, "text_unit_prop": units, "community_prop": reports,
     "top_k_relationships": top, "found": found, "seed": seed}
    for level in LEVELS
    for tokens, units, reports, top, found, seed in (
        (12_000, 0.5, 0.15, 10, 20, 1), (700, 0.5, 0.15, 1, 8, 2), (1_500, 0.25, 0.25, 2, 6, 3),
        (90, 0.0, 0.5, 0, 20, 4), (3_000, 0.9, 0.1, 3, 14, 5), (2_500, 0.3, 0.0, 3, 14, 6), (500, 0.2, 0.2, 10, 2, 7),
    )
)  # fmt: skip
BASIC = tuple({"k": k, "max_context_tokens": tokens, "seed": k + 1} for k in (0, 3, 20) for tokens in (5, 120, 12_000))
DYNAMIC = tuple(
    {"level": level, "threshold": threshold, "keep_parent": keep, "num_repeats": repeats, "max_level": deepest,
     "use_summary": summary, "seed": seed}
    for level in LEVELS
    for threshold, keep, repeats, deepest, summary, seed in (
        (0, False, 1, 2, False, 1), (1, True, 3, 1, True, 2), (2, False, 3, 0, False, 4), (5, False, 2, 2, False, 5),
        (3, True, 1, 2, True, 6), (4, False, 1, 2, False, 3),
    )
)  # fmt: skip


def text(name: str, most: int) -> str:
    """Some words that a name decides."""
    count = scripts.number(name, "length") % (most + 1)
    return " ".join(WORDS[scripts.number(name, at) % len(WORDS)] for at in range(count))


def tables(odd: str) -> Tables:
    """The columns of the tables of an index."""
    titles = [f"{WORDS[n % len(WORDS)].upper()} {n}".replace("\n", " ") for n in range(30)]
    units = [f"u{n:02}" for n in range(14)]
    found = {"entities": _entities(titles, units), "relationships": _relationships(titles, units),
             "text_units": _units(units), "covariates": _claims(titles, units)}  # fmt: skip
    found["communities"], found["community_reports"] = _communities(found["entities"]["id"])
    _make_odd(odd, found)
    return found


def write(odd: str, folder: Path) -> Path:
    """Write an index; gives its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in tables(odd).items():
        pq.write_table(
            pa.table({key: pa.array(cells, _kind(key)) for key, cells in columns.items()}), folder / f"{name}.parquet"
        )
    return folder


def _kind(column: str) -> Any:
    numbers = (
        "human_readable_id",
        "frequency",
        "degree",
        "combined_degree",
        "community",
        "level",
        "parent",
        "size",
        "n_tokens",
    )
    if column == "findings":
        return pa.list_(pa.struct([("summary", pa.string()), ("explanation", pa.string())]))
    if column == "children":
        return pa.list_(pa.int64())
    if column.endswith("_ids"):
        return pa.list_(pa.string())
    return pa.int64() if column in numbers else pa.float64() if column in ("weight", "rank") else pa.string()


def _some(name: object, of: list[str], most: int) -> list[str]:
    return scripts.found(of, scripts.number(name), scripts.number(name, "how many") % (most + 1))


def _entities(titles: list[str], units: list[str]) -> Columns:
    rows = range(len(titles))
    return {
        "id": [f"{scripts.number('entity', n):032x}" for n in rows], "human_readable_id": list(rows), "title": titles,
        "type": ["THING"] * len(titles), "description": [text(f"entity {n}", 30) for n in rows],
        "text_unit_ids": [_some(f"units {n}", units, 4) for n in rows], "frequency": [1] * len(titles),
        "degree": [scripts.number("degree", n) % 9 for n in rows],
    }  # fmt: skip


def _relationships(titles: list[str], units: list[str]) -> Columns:
    rows = range(90)
    ends = [*titles, "NOBODY"]
    weights = [1.0, 0.0, 2.5, 1e16, -1.0, 0.1]
    return {
        "id": [f"r{n}" for n in rows], "human_readable_id": [n + 7 for n in rows],
        "source": [ends[scripts.number("source", n) % len(ends)] for n in rows],
        "target": [ends[scripts.number("target", n) % len(ends)] for n in rows],
        "description": [text(f"relationship {n}", 20) for n in rows],
        "weight": [weights[scripts.number("weight", n) % len(weights)] for n in rows],
        "combined_degree": [scripts.number("both", n) % 5 for n in rows],
        "text_unit_ids": [_some(f"where {n}", units, 2) for n in rows],
    }  # fmt: skip


def _units(units: list[str]) -> Columns:
    rows = range(len(units))
    links = [f"r{n}" for n in range(90)]
    return {
        "id": list(units), "human_readable_id": [n + 100 for n in rows], "text": [text(f"unit {n}", 120) for n in rows],
        "n_tokens": [5] * len(units), "document_id": ["d"] * len(units), "entity_ids": [[] for _ in rows],
        "relationship_ids": [_some(f"inside {n}", links, 5) for n in rows], "covariate_ids": [[] for _ in rows],
    }  # fmt: skip


def _claims(titles: list[str], units: list[str]) -> Columns:
    rows = range(40)
    return {
        "id": [f"k{n}" for n in rows], "human_readable_id": list(rows), "covariate_type": ["claim"] * len(rows),
        "type": ["SAYING"] * len(rows), "description": [text(f"claim {n}", 12) for n in rows],
        "subject_id": [titles[scripts.number("subject", n) % len(titles)] for n in rows],
        "object_id": ["NONE"] * len(rows), "status": ["TRUE"] * len(rows), "start_date": ["1843-12-19"] * len(rows),
        "end_date": ["NONE"] * len(rows), "source_text": ["s"] * len(rows),
        "text_unit_id": [units[n % 14] for n in rows],
    }  # fmt: skip


def _communities(entities: list[str]) -> tuple[Columns, Columns]:
    """Four communities of level 0, three times two of level 1 and two of level 2; entities 28 and 29 are in none."""
    members = {number: entities[number * 7 : number * 7 + 7] for number in range(4)}
    parents = dict.fromkeys(range(4), -1)
    for child in range(4, 10):
        parents[child] = (child - 4) // 2
        members[child] = members[parents[child]][child % 2 :: 2]
    for child in (10, 11):
        parents[child], members[child] = 4, members[4][child % 2 :: 2]
    levels = {number: 0 if number < 4 else 1 if number < 10 else 2 for number in parents}
    children = {number: [child for child in parents if parents[child] == number] for number in parents}
    shared: Columns = {
        "community": list(parents), "human_readable_id": list(parents), "level": list(levels.values()),
        "parent": list(parents.values()), "children": list(children.values()), "period": ["2024-01-01"] * len(parents),
        "size": [len(found) for found in members.values()],
    }  # fmt: skip
    communities = {
        **{key: list(cells) for key, cells in shared.items()}, "id": [f"c{n}" for n in parents],
        "title": [f"Community {n}" for n in parents], "entity_ids": list(members.values()),
        "relationship_ids": [[] for _ in parents], "text_unit_ids": [[] for _ in parents],
    }  # fmt: skip
    order = sorted(parents, key=lambda number: scripts.number("order", number))
    reports: Columns = {key: [cells[number] for number in order] for key, cells in shared.items()}
    ranks = [1.0, 5.0, 5.0, 8.5, 0.0, -0.0, -1.0]
    reports |= {
        "id": [f"p{n}" for n in order], "title": [text(f"title {n}", 5) for n in order],
        "summary": [text(f"summary {n}", 20) for n in order],
        "full_content": [f"{text(f'report {n}', 150)} #{n}" for n in order],
        "rank": [ranks[n % len(ranks)] for n in order], "rating_explanation": ["" for _ in order],
        "findings": [[] for _ in order], "full_content_json": ["{}" for _ in order],
    }  # fmt: skip
    return communities, reports


def _make_odd(odd: str, found: Tables) -> None:
    reports, communities = found["community_reports"], found["communities"]
    if odd == "two_reports":
        for key, cells in reports.items():
            cells += [f"{cell} again" if key in ("id", "full_content") else cell for cell in cells[:3]]
    elif odd == "one_title":
        communities["title"] = [None if n == 2 else f"Community {n % 5}" for n in communities["community"]]
    elif odd == "empty_cells":
        places = {"entities": ("description", "type"), "relationships": ("description", "weight"),
                  "text_units": ("text",),
                  "community_reports": ("title", "summary", "full_content", "rank"),
                  "covariates": ("object_id", "status", "start_date", "description")}  # fmt: skip
        for name, keys in places.items():
            for key in keys:
                found[name][key] = [
                    None if scripts.number(name, key, at) % 3 == 0 else cell for at, cell in enumerate(found[name][key])
                ]
    elif odd == "doubled_ids":
        found["relationships"]["id"][5:8] = found["relationships"]["id"][:3]
        found["text_units"]["id"][4:6] = found["text_units"]["id"][:2]
        found["entities"]["id"][3] = found["entities"]["id"][2]
        found["entities"]["title"][9] = found["entities"]["title"][8]
        found["relationships"]["source"][0] = found["entities"]["title"][8]
    elif odd == "parents_away":
        communities["parent"] = [77 if n % 3 == 0 else n if n % 3 == 1 else 0 for n in communities["community"]]
        communities["children"][3] = [9, 9, 500]
        communities["entity_ids"][0] = [*communities["entity_ids"][0], communities["entity_ids"][0][0], "nobody"]
    elif odd == "no_members":
        communities["entity_ids"] = [[] for _ in communities["entity_ids"]]
        # Without weights graphrag leaves the order of equal ranks to the machine's quicksort.
        reports["rank"] = [n / 4 for n in reports["community"]]
