"""Which community is meant where an entity or a relationship was chosen."""

from __future__ import annotations

from typing import Any

from explorer.gui.places.communities.page import Page
from explorer.gui.session import Session


def community_of_entity(session: Session, entity_id: str, page: Page | None) -> int | None:
    """The chosen community if it holds the entity, else the one that holds it on the page, else its deepest."""
    if _holds(session.index, session.community, entity_id):
        return session.community
    if page is not None and entity_id in page.scene.row_of:
        grouping = page.at(session.level)
        home = int(grouping.home[page.scene.row_of[entity_id]])
        if home >= 0:
            return int(grouping.numbers[home])
    return session.deepest_community(entity_id)


def community_of_relationship(session: Session, number: int) -> int | None:
    """The chosen community if it holds an end of the relationship, else the deepest that holds both ends, or one."""
    index = session.index
    tie = index.relationship_by_number.get(number) if index is not None else None
    if tie is None:
        return None
    ends = [index.entity_by_title[title].id for title in (tie.source, tie.target) if title in index.entity_by_title]
    if any(_holds(index, session.community, end) for end in ends):
        return session.community
    if not ends:
        return None
    number_ = session.deepest_community(ends[0])
    while number_ is not None and number_ in index.community_by_number:
        if all(_holds(index, number_, end) for end in ends):
            return number_
        number_ = index.community_by_number[number_].parent
    return session.deepest_community(ends[0])


def _holds(index: Any, community: int | None, entity_id: str) -> bool:
    row = index.community_by_number.get(community) if community is not None else None
    return row is not None and entity_id in row.entity_ids
