"""Small tables for tests of layouts."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow


def entities(ids: Iterable[str]) -> list[EntityRow]:
    """Entities whose title is their id in capitals."""
    return [EntityRow(id, number, id.upper(), "thing", "") for number, id in enumerate(ids)]


def relationships(links: Iterable[tuple[str, str, float]]) -> list[RelationshipRow]:
    return [RelationshipRow(f"r{n}", n, a.upper(), b.upper(), "", w) for n, (a, b, w) in enumerate(links)]


def community(number: int, level: int, parent: int, members: Iterable[str], size: int | None = None) -> CommunityRow:
    ids = tuple(members)
    return CommunityRow(f"c{number}", number, level, parent, (), "", ids, size=len(ids) if size is None else size)
