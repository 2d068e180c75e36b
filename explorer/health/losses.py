"""What GraphRAG itself lost on the way to an index, told from the tables alone.

Not defects of the files: they are as their maker meant them. Each line is a loss that nothing else shows: entities
that only the largest component kept out, relationships that no report was written from, claims that were paid for and
never read, a text unit that the fast method drops, communities that no method reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from explorer.health.membership import outside
from explorer.health.report import Loss
from explorer.tables.index import Index
from explorer.tables.rows import CommunityRow, RelationshipRow

FAST_TYPE = "NOUN PHRASE"
_ONE_EDGE = ("1.0", "2.0", "2.3", "3")  # versions whose report contexts give each entity one relationship at most


def find_losses(index: Index) -> list[Loss]:
    """The losses of an index that GraphRAG made; [] for one of this program's own, which has none of these."""
    if not index.foreign:
        return []
    found = (
        _outside(index), _left_out(index), _both_ways(index), _claims(index), _first_unit(index), _unreachable(index),
    )  # fmt: skip
    return [loss for loss in found if loss is not None and loss.count]


def _outside(index: Index) -> Loss | None:
    if not index.communities:
        return None
    missing = outside(index)
    reasons = Counter(reason for _, reason in missing)
    words = "; ".join(f"{number:,} {reason}" for reason, number in sorted(reasons.items()))
    return Loss(
        kind="entity_outside",
        count=len(missing),
        of=len(index.entities),
        example=missing[0][0].title if missing else "",
        sentence=f"{len(missing):,} of {len(index.entities):,} entities are in no community ({words}): no report "
        "speaks of them, and local search leaves them out too.",
    )


def _left_out(index: Index) -> Loss | None:
    if index.version not in _ONE_EDGE or _is_fast(index):
        return None
    inside = kept = 0
    example = ""
    for level in index.levels:
        here = [row for row in index.communities if row.level == level]
        of_level, of_contexts, first = _contexts(index, here)
        inside += of_level
        kept += of_contexts
        example = example or first
    return Loss(
        kind="relationship_not_in_report",
        count=inside - kept,
        of=inside,
        example=example,
        sentence=f"{inside - kept:,} of {inside:,} relationships inside communities stood in no report's prompt, even "
        "before its limit of tokens: since 0.9 each entity brings one relationship at most, and not always one of its "
        "own community.",
    )


def _contexts(index: Index, communities: Sequence[CommunityRow]) -> tuple[int, int, str]:
    """Relationships inside the communities of one level, those of them that their contexts hold, a missing one.

    Source: graph_context/context_builder.py of graphrag 3.1.2: of the relationships with both ends at the level, an
    entity carries the first in which it is the source, else the first in which it is the target.
    """
    titles = {entity.id: entity.title for entity in index.entities}
    members = {row.community: {titles[key] for key in row.entity_ids if key in titles} for row in communities}
    homes: dict[str, set[int]] = {}
    for community, names in members.items():
        for name in names:
            homes.setdefault(name, set()).add(community)
    as_source: dict[str, str] = {}
    as_target: dict[str, str] = {}
    for row in index.relationships:
        if row.source in homes and row.target in homes:
            as_source.setdefault(row.source, row.id)
            as_target.setdefault(row.target, row.id)
    inside = kept = 0
    example = ""
    for row_of in communities:
        carried = {as_source.get(name, as_target.get(name)) for name in members[row_of.community]}
        inner = dict.fromkeys(row_of.relationship_ids)
        lost = [key for key in inner if key not in carried]
        inside += len(inner)
        kept += len(inner) - len(lost)
        if lost and not example and lost[0] in index.relationship_by_id:
            example = _words(index.relationship_by_id[lost[0]])
    return inside, kept, example


def _both_ways(index: Index) -> Loss | None:
    """Source: cluster_graph.py of graphrag 3.1.2: of the rows of one unordered pair the last one's weight counts."""
    if not index.communities:
        return None
    pairs: dict[tuple[str, str], set[str]] = {}
    for row in index.relationships:
        if row.source != row.target:
            pairs.setdefault((min(row.source, row.target), max(row.source, row.target)), set()).add(row.source)
    both = [pair for pair, sources in pairs.items() if len(sources) > 1]
    return Loss(
        kind="weight_of_reversed_pair",
        count=len(both),
        of=len(pairs),
        example=f"{both[0][0]} – {both[0][1]}" if both else "",
        sentence=f"{len(both):,} of {len(pairs):,} pairs of entities have a relationship in either direction: "
        "clustering counted the weight of the later row alone.",
    )


def _words(row: RelationshipRow) -> str:
    return f"{row.source} – {row.target}"


def _claims(index: Index) -> Loss | None:
    if index.version not in _ONE_EDGE:
        return None
    claims = index.claims
    return Loss(
        kind="claim_never_used",
        count=len(claims),
        of=len(claims),
        example=claims[0].description[:120] if claims else "",
        sentence=f"{len(claims):,} claims were extracted and paid for; no report was written from them. "
        "Local search reads those about the entities it finds.",
    )


def _first_unit(index: Index) -> Loss | None:
    if not _is_fast(index) or not any(unit.number == 0 for unit in index.text_units):
        return None
    return Loss(
        kind="text_unit_dropped",
        count=1,
        of=len(index.text_units),
        example=next(unit.text for unit in index.text_units if unit.number == 0)[:120],
        sentence="The fast method leaves text unit 0 out of every report: its number counts as empty.",
    )


def _unreachable(index: Index) -> Loss | None:
    communities = index.community_by_number
    lost = [row for row in communities.values() if row.community not in index.report_by_community]
    return Loss(
        kind="community_unreachable",
        count=len(lost),
        of=len(communities),
        example=lost[0].title if lost else "",
        sentence=f"{len(lost):,} of {len(communities):,} communities have no report: no method of search reaches them, "
        "and dynamic selection does not go below them.",
    )


def _is_fast(index: Index) -> bool:
    return bool(index.entities) and all(entity.type == FAST_TYPE for entity in index.entities[:50])
