"""A small index whose texts try to become markup, and whose hierarchy and citations have holes.

Communities: 0 (children 1 and 2), 1 (child 3), 2 without a report, 3; 7 is a root of its own. Entity 0 is in 0, 1
and 3. Relationship 2 has no weight, relationship 3 names an entity that is not there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.tables.index import Index, open_index
from explorer.tables.write import write_table

TITLE = '<script>alert(1)</script> & [click](javascript:alert(2)) `code` *star* _under_ "quote"'
LINK = "![pic](https://example.invalid/x.png) <img src=x onerror=alert(3)> &amp; 1. no list\n# no heading\n- no item"
CHINESE = "王晓明在上海创办了东方玻璃厂"
COMMUNITIES = {
    0: (0, -1, [1, 2], [0, 1, 2]),
    1: (1, 0, [3], [0, 1]),
    2: (1, 0, [], [2]),
    3: (2, 1, [], [0]),
    7: (0, -1, [], [3]),
}
ENTITY_TITLES = (TITLE, "BELL\x07\x00\uffff", "HARBOUR", CHINESE)


def make_index(folder: Path, **changes: Any) -> Index:
    """Write the tables and open them. `changes` replaces the rows of a table by name."""
    output = folder / "output"
    tables: dict[str, list[dict[str, Any]]] = {
        "entities": [
            {"id": f"e{n}", "human_readable_id": n, "title": title, "type": "thing", "description": f"About {title}",
             "text_unit_ids": ["u0"], "frequency": 1, "degree": 2}
            for n, title in enumerate(ENTITY_TITLES)
        ],
        "relationships": [
            _edge(0, TITLE, "HARBOUR", 2.5), _edge(1, "HARBOUR", TITLE, 0.1), _edge(2, TITLE, CHINESE, float("nan")),
            _edge(3, "HARBOUR", "NOBODY", 1.0),
        ],
        "communities": [_community(number) for number in COMMUNITIES],
        "community_reports": [_report(number) for number in (3, 1, 0, 7)],
        "text_units": [
            {"id": "u0", "human_readable_id": 5, "text": "The unit says <b>this</b>. " * 60, "n_tokens": 300,
             "document_id": "d0", "entity_ids": ["e0"], "relationship_ids": [], "covariate_ids": []}
        ],
        "documents": [
            {"id": "d0", "human_readable_id": 0, "title": "=HYPERLINK(1).txt", "text": "x", "text_unit_ids": ["u0"],
             "creation_date": "", "raw_data": None}
        ],
    }  # fmt: skip
    for name, rows in (tables | changes).items():
        write_table(output, name, rows)
    return open_index(output)


def _edge(number: int, source: str, target: str, weight: float) -> dict[str, Any]:
    return {
        "id": f"r{number}", "human_readable_id": number, "source": source, "target": target,
        "description": f"{source} and {target}", "weight": weight, "combined_degree": 4, "text_unit_ids": ["u0"],
    }  # fmt: skip


def _community(number: int) -> dict[str, Any]:
    level, parent, children, members = COMMUNITIES[number]
    return {
        "id": f"c{number}", "human_readable_id": number, "community": number, "level": level, "parent": parent,
        "children": children, "title": f"Community {number}", "entity_ids": [f"e{n}" for n in members],
        "relationship_ids": [], "text_unit_ids": ["u0"], "period": "2026-11-30", "size": len(members),
    }  # fmt: skip


def _report(number: int) -> dict[str, Any]:
    level, parent, children, members = COMMUNITIES[number]
    explanation = (
        f"Finding of {number}: {LINK}\n\nSecond [Data: Entities (0, 99); Relationships (0, +more); Sources (5)]."
    )
    return {
        "id": f"report{number}", "human_readable_id": number, "community": number, "level": level, "parent": parent,
        "children": children, "title": f"{TITLE} {number}", "summary": f"Summary of {number}: {CHINESE}",
        "full_content": "# x\n\ny", "rank": 7.5, "rating_explanation": "Because of <i>it</i>.",
        "findings": [{"summary": f"Headline <b>{number}</b>", "explanation": explanation}],
        "full_content_json": "{}", "period": "2026-11-30", "size": len(members),
    }  # fmt: skip
