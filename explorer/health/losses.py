"""What GraphRAG itself lost on the way to an index, told from the tables alone.

Not defects of the files: they are as their maker meant them. Each line is a loss that nothing else shows: entities
that only the largest component kept out, relationships that no report was written from, claims that were paid for and
never read, a text unit that the fast method drops, communities that no method reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from explorer.base.words import agree, counted, share
from explorer.health.membership import outside, reason_words
from explorer.health.report import Loss
from explorer.health.report_prompts import LIMIT, left_out
from explorer.tables.index import Index

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
    return Loss(
        kind="entity_outside",
        count=len(missing),
        of=len(index.entities),
        example=missing[0][0].title if missing else "",
        sentence=f"{share(len(missing), len(index.entities), 'entity', 'entities')} {_is(missing)} in no community "
        f"({reason_words(reasons)}): no report speaks of {agree(len(missing), 'it', 'them')}, and local search leaves "
        f"{agree(len(missing), 'it', 'them')} out too.",
    )


def _left_out(index: Index) -> Loss | None:
    needed = ("entities", "relationships", "communities")
    if index.version not in _ONE_EDGE or _is_fast(index) or any(index.state(name).state != "read" for name in needed):
        return None
    limit = _limit(index)
    found = left_out(index, limit)
    count = found.crowded + found.cut
    more = (
        f" The limit of {limit:,} tokens a prompt cut off {counted(found.cut, 'other')}." if found.cut and limit else ""
    )
    return Loss(
        kind="relationship_not_in_report",
        count=count,
        of=found.inside,
        example=found.example,
        sentence=f"{share(count, found.inside, 'relationship')} inside communities stood in no prompt of "
        f"{agree(count, 'its', 'their')} community's report. Since 0.9 each entity brings one relationship at most, "
        f"and not always one of its own community: that left out {found.crowded:,}.{more}",
    )


def _limit(index: Index) -> int | None:
    """The limit of a report's prompt; None where the reports of smaller communities stood in for what is too long."""
    if index.version == "1.0":
        return None
    told = index.settings.values.get("max_input_tokens") if index.settings is not None else None
    return int(told) if told else LIMIT


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
        sentence=f"{share(len(both), len(pairs), 'pair')} of entities {agree(len(both), 'has', 'have')} a relationship "
        "in either direction: clustering counted the weight of the later row alone.",
    )


def _claims(index: Index) -> Loss | None:
    if index.version not in _ONE_EDGE:
        return None
    claims = index.claims
    inside = {key for community in index.communities for key in community.entity_ids}
    known = {entity.title for entity in index.entities if entity.id in inside}
    nobody = sum(claim.subject_id not in known for claim in claims) if known else 0
    unread = (
        f"; {counted(nobody, 'is', 'are')} about nothing that has a community, and no method reads" if nobody else ""
    )
    return Loss(
        kind="claim_never_used",
        count=len(claims),
        of=len(claims),
        example=claims[0].description[:120] if claims else "",
        sentence=f"{counted(len(claims), 'claim was', 'claims were')} extracted and paid for; no report was written "
        f"from {agree(len(claims), 'it', 'them')}. Local search reads those about the entities it finds"
        f"{unread}{'' if not nobody else ' ' + agree(nobody, 'it', 'them')}.",
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
    them = agree(len(lost), "it", "them")
    return Loss(
        kind="community_unreachable",
        count=len(lost),
        of=len(communities),
        example=lost[0].title if lost else "",
        sentence=f"{share(len(lost), len(communities), 'community', 'communities')} {agree(len(lost), 'has', 'have')} "
        f"no report: no method of search reaches {them}, and dynamic selection does not go below {them}.",
    )


def _is(rows: Sequence[object]) -> str:
    return agree(len(rows), "is", "are")


def _is_fast(index: Index) -> bool:
    return bool(index.entities) and all(entity.type == FAST_TYPE for entity in index.entities[:50])
