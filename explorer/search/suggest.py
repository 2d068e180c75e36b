"""Questions that an index can answer, for a person who does not know yet what to ask."""

from __future__ import annotations

from explorer.tables.index import Index
from explorer.tables.rows import EntityRow


def suggest_questions(index: Index, count: int = 3) -> list[str]:
    """Up to `count` questions, each about the two best connected entities of one of the largest communities.

    Communities of level 0 are taken by size (then number), so that the questions lead into different themes. The
    words of an entity's title are the index's own.
    """
    roots = sorted(
        (row for row in index.communities if row.level == 0), key=lambda row: (-len(row.entity_ids), row.community)
    )
    questions: list[str] = []
    for community in roots:
        members = [index.entity_by_id[id_] for id_ in community.entity_ids if id_ in index.entity_by_id]
        members.sort(key=_by_degree)
        if len(members) >= 2:
            first, second = members[0].title, members[1].title
            questions.append(f"What is said about {first}, and how is it connected with {second}?")
        if len(questions) == count:
            break
    return questions


def _by_degree(entity: EntityRow) -> tuple[int, str]:
    return (-entity.degree, entity.title)
