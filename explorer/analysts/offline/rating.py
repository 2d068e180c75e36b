"""Ratings: how much a community weighs in its collection, and how far a report helps a question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from explorer.analysts.judgements import ReportContext
from explorer.analysts.offline.relevance import weigh_within
from explorer.analysts.offline.statements import split_report
from explorer.analysts.offline.terms import terms

if TYPE_CHECKING:
    from explorer.analysts.offline.chosen import Chosen


def rate_community(context: ReportContext) -> tuple[float, str]:
    """The rating of a community, 0 to 10, with the figures that it comes from.

    1 + 1.5·log10 of (1 + members), (1 + links among them) and (1 + text units), each; at most 10, one decimal.
    """
    members = context.size or len(context.entities)
    links = context.links or len(context.relationships)
    units = len(context.units)
    weight = math.fsum(link.weight for link in context.relationships if math.isfinite(link.weight))
    read = f" (weight {weight:.3g} in all)"
    if links > len(context.relationships):
        read = f" ({len(context.relationships):,} of them read, weight {weight:.3g})"
    raw = 1.0 + 1.5 * sum(math.log10(1 + count) for count in (members, links, units))
    rating = round(min(10.0, raw), 1)
    reason = (
        f"{rating:.1f} of 10, from the size of the community: {_count(members, 'member')}, "
        f"{_count(links, 'link')} among them{read}, spread over {_count(units, 'text unit')}."
    )
    return rating, reason


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


counted = _count


def rate_report(question: str, report: str, chosen: Chosen | None) -> tuple[int, str]:
    """How far a report helps a question, 0 to 5, with the words it has of it.

    Five times the share of the question's weight that the report's best statement covers; 0 below three tenths.
    """
    title, statements = split_report(report)
    weighted = chosen.question if chosen is not None else weigh_within(question, [s.text for s in statements])
    best = max((weighted.coverage(s.text, f"{title} {s.heading}") for s in statements), default=0.0)
    words = sorted(set(weighted.weights).intersection(terms(report)))
    rating = round(5 * min(1.0, best)) if best >= 0.3 else 0
    held = f"its text holds {len(words)} of the {len(weighted.weights)} words that the question asks about"
    return rating, f"The closest statement covers {best:.0%} of the question's weight; {held}."
