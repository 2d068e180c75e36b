"""A small index of known shape, written as parquet in GraphRAG 3's schema and opened as any other.

Level 0: communities 0 (children 2, 3) and 1; level 1: 2, 3; level 2: 4 under 3. Entities e0…e11:
0 holds e0–e7, of which 2 has e0–e2 and 3 has e3–e6 (e7 stays in 0 alone), 4 has e3 and e4; 1 holds e8–e10; e11 is
in no community. Rolled up to level 2 the deepest communities are 0 (e7), 1, 2, 3 (e5, e6) and 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from explorer.tables.index import Index, open_index
from explorer.tables.write import write_table

COMMUNITIES: dict[int, tuple[int, int, tuple[int, ...], tuple[int, ...]]] = {
    0: (0, -1, (2, 3), tuple(range(8))),
    1: (0, -1, (), (8, 9, 10)),
    2: (1, 0, (), (0, 1, 2)),
    3: (1, 0, (4,), (3, 4, 5, 6)),
    4: (2, 3, (), (3, 4)),
}
FILE_ORDER = (4, 2, 3, 0, 1)  # deepest level first, as GraphRAG writes reports


def make_index(
    folder: Path,
    *,
    without_report: Iterable[int] = (),
    duplicates: Iterable[int] = (),
    ranks: dict[int, float | None] | None = None,
    words: int = 40,
    communities: Sequence[int] = tuple(COMMUNITIES),
    titles: dict[int, str | None] | None = None,
    empty: Iterable[int] = (),
) -> Index:
    """Write the tables into `folder` and open them. `words` is the length of each report; `titles` are those of
    communities; the reports of `empty` have no texts."""
    output = folder / "output"
    entities = [
        {"id": f"e{n}", "human_readable_id": n, "title": f"ENTITY {n}", "type": "thing", "description": f"Entity {n}.",
         "text_unit_ids": [f"u{n}", f"u{n // 2}"], "frequency": 1, "degree": 1}
        for n in range(12)
    ]  # fmt: skip
    write_table(output, "entities", entities)
    tables = [{**_community(number), **({"title": titles[number]} if titles and number in titles else {})}
              for number in communities]  # fmt: skip
    write_table(output, "communities", tables)
    left_out = set(without_report)
    reports = [number for number in FILE_ORDER if number in communities and number not in left_out]
    rows = [_report(number, "", ranks or {}, words) for number in reports]
    rows += [_report(number, " (again)", ranks or {}, words) for number in duplicates]
    bare = set(empty)
    rows = [{**row, "title": None, "summary": None, "full_content": None} if row["community"] in bare else row
            for row in rows]  # fmt: skip
    write_table(output, "community_reports", rows)
    write_table(output, "relationships", [])
    write_table(output, "text_units", [])
    write_table(output, "documents", [])
    return open_index(output)


def _community(number: int) -> dict[str, Any]:
    level, parent, children, members = COMMUNITIES[number]
    return {
        "id": f"c{number}", "human_readable_id": number, "community": number, "level": level, "parent": parent,
        "children": list(children), "title": f"Community {number}", "entity_ids": [f"e{n}" for n in members],
        "relationship_ids": [], "text_unit_ids": [], "period": "2026-11-30", "size": len(members),
    }  # fmt: skip


def _report(number: int, mark: str, ranks: dict[int, float | None], words: int) -> dict[str, Any]:
    level, parent, children, members = COMMUNITIES[number]
    text = f"# Report {number}{mark}\n\n" + " ".join(f"word{number}" for _ in range(words))
    return {
        "id": f"report-{number}{mark}", "human_readable_id": number, "community": number, "level": level,
        "parent": parent, "children": list(children), "title": f"Report {number}{mark}", "summary": f"Sum {number}.",
        "full_content": text, "rank": ranks.get(number, float(number + 1)), "rating_explanation": "", "findings": [],
        "full_content_json": "{}", "period": "2026-11-30", "size": len(members),
    }  # fmt: skip
