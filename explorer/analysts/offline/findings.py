"""Findings of a report: pairs of members and the passages that show them together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from explorer.analysts.judgements import Finding, MemberEntity, MemberRelationship, ReportContext
from explorer.analysts.offline.keywords import keywords
from explorer.analysts.offline.passages import Passage, PassageReader, fragments, tidy
from explorer.analysts.offline.rating import counted
from explorer.analysts.offline.references import write_references
from explorer.analysts.offline.terms import terms
from explorer.analysts.offline.words import fold

MOST_MEMBERS = 200  # of a large community: the most linked ones
MOST_PASSAGES = 2  # of one finding
Pair = tuple[int, int]


@dataclass
class Material:
    """What the findings of one report are chosen from, and what the report has said already."""

    reader: PassageReader
    members: tuple[MemberEntity, ...]
    passages: list[Passage]
    links: dict[Pair, MemberRelationship]
    child_of: Mapping[str, int]  # member's title → community below that it belongs to; empty for a leaf
    said: set[str] = field(default_factory=set)
    cited: Counter[str] = field(default_factory=Counter)  # unit id → passages taken from it

    def fresh(self, passage: Passage) -> bool:
        return self.said.isdisjoint(passage.fragments) and not passage.repeats_itself

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The members' titles as names are compared."""
        return tuple(fold(member.title) for member in self.members)

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """The terms of the members' titles."""
        return frozenset(term for member in self.members for term in terms(member.title))

    def take(self, passage: Passage) -> None:
        self.said |= passage.fragments
        self.cited[passage.unit.id] += 1


def gather(context: ReportContext, reader: PassageReader, child_of: Mapping[str, int], least: int = 2) -> Material:
    """The passages of a community that name at least `least` of its members, and its links by pair."""
    members = context.entities[:MOST_MEMBERS]
    position = {member.title: at for at, member in enumerate(members)}
    units = {unit.id: unit for unit in context.units}
    titles, standing = [member.title for member in members], [member.text_unit_ids for member in members]
    passages = reader.passages(titles, standing, context.units, least)
    links: dict[Pair, MemberRelationship] = {}
    for link in context.relationships:
        a, b = position.get(link.source), position.get(link.target)
        if a is not None and b is not None and a != b:
            links.setdefault((min(a, b), max(a, b)), link)
    if least > 1:
        shown = {(a, b) for passage in passages for a in passage.members for b in passage.members if a < b}
        for pair in sorted(links.keys() - shown):
            link = links[pair]
            unit = next((units[name] for name in link.text_unit_ids if name in units), None)
            if unit is not None and link.description.strip():
                passages.append(reader.from_link(link, pair, unit))
    return Material(reader, members, passages, links, child_of)


def how_many(members: int) -> int:
    """Findings that a report aims at: three for the smallest community, ten for large ones."""
    return max(3, min(10, 2 + members))


def write_findings(material: Material, most: int) -> list[Finding]:
    """At most `most` findings, the strongest pair first, members that nothing was said of before others.

    For a community with children only pairs from different children count, as long as there is one.
    """
    by_pair = _pairs(material)
    across = {pair: found for pair, found in by_pair.items() if _joins_children(material, pair)}
    findings = _choose(material, across or by_pair, most)
    if across and len(findings) < 2:
        findings += _choose(material, by_pair, 2 - len(findings), {f.summary for f in findings})
    return findings


def _choose(
    material: Material,
    by_pair: dict[Pair, list[Passage]],
    most: int,
    headings: set[str] | None = None,
) -> list[Finding]:
    strength = {pair: _strength(material, pair, found) for pair, found in by_pair.items()}
    waiting = sorted(strength, key=lambda pair: (-strength[pair], pair))[:600]
    shown: Counter[int] = Counter()
    findings: list[Finding] = []
    taken = headings if headings is not None else set()
    while waiting and len(findings) < most:
        pair = max(waiting, key=lambda p: (strength[p] / ((1 + shown[p[0]]) * (1 + shown[p[1]])), -p[0], -p[1]))
        waiting.remove(pair)
        chosen = _best(material, by_pair[pair])
        if not chosen:
            continue
        finding = _write(material, pair, chosen)
        if finding.summary in taken:
            continue
        taken.add(finding.summary)
        shown.update(pair)
        findings.append(finding)
    return findings


def _pairs(material: Material) -> dict[Pair, list[Passage]]:
    found: dict[Pair, list[Passage]] = {}
    for passage in material.passages:
        members = sorted(passage.members)[:8]
        for at, first in enumerate(members):
            for second in members[at + 1 :]:
                if _apart(material.folded[first], material.folded[second]):
                    found.setdefault((first, second), []).append(passage)
    return found


def _apart(first: str, second: str) -> bool:
    """Whether two folded titles name two things, not one inside the other (Marley, Marley's Ghost)."""
    return first not in second and second not in first


def _joins_children(material: Material, pair: Pair) -> bool:
    first = material.child_of.get(material.members[pair[0]].title)
    second = material.child_of.get(material.members[pair[1]].title)
    return (first is not None or second is not None) and first != second


def _strength(material: Material, pair: Pair, found: Sequence[Passage]) -> float:
    heaviest = max((link.weight for link in material.links.values() if math.isfinite(link.weight)), default=0.0)
    link = material.links.get(pair)
    weight = link.weight / heaviest if link is not None and heaviest > 0 and math.isfinite(link.weight) else 0.0
    return (1.0 + weight) * math.log2(1 + len(found)) * (1.0 if link is not None else 0.4)


def _best(material: Material, found: Sequence[Passage]) -> list[Passage]:
    """The passages of a finding: the worthiest, then one from another unit."""
    chosen: list[Passage] = []
    while len(chosen) < MOST_PASSAGES:
        units = {passage.unit.id for passage in chosen}
        open_ = [passage for passage in found if passage.unit.id not in units and material.fresh(passage)]
        if not open_:
            break
        best = max(
            open_,
            key=lambda p: (p.worth * (1 + 0.2 * len(p.members)) / (1 + material.cited[p.unit.id]), -p.unit.number),
        )
        material.take(best)
        chosen.append(best)
    return chosen


def write_links(material: Material, most: int) -> list[Finding]:
    """Findings for a community of which every passage was told further down: its strongest links, as figures."""
    links = sorted(material.links.items(), key=lambda item: (-item[1].weight, item[1].number))
    across = [item for item in links if _joins_children(material, item[0])] or links
    units = {passage.unit.id: passage.unit for passage in material.passages}
    findings = []
    for pair, link in across[:most]:
        first, second = (material.members[at] for at in pair)
        shown = [units[name] for name in link.text_unit_ids if name in units]
        shown = [
            unit
            for unit in shown
            if fold(first.title) in material.reader.folded(unit) or fold(second.title) in material.reader.folded(unit)
        ]
        told = f"{tidy(first.title)} and {tidy(second.title)} are linked in "
        told += f"{counted(len(link.text_unit_ids), 'text unit')}, with a weight of {link.weight:.3g}"
        references = {
            "Entities": [first.number, second.number],
            "Relationships": [link.number],
            "Sources": [unit.number for unit in shown],
        }
        heading = f"How {first.title} and {second.title} join what lies below"
        findings.append(Finding(heading, f"{told} {write_references(references)}."))
    return findings


def _write(material: Material, pair: Pair, chosen: Sequence[Passage]) -> Finding:
    members = material.members
    names = f"{members[pair[0]].title} and {members[pair[1]].title}"
    words = keywords([passage.text for passage in chosen], material.name_terms, material.reader.rarity)
    heading = f"{names}: {', '.join(words)}" if words else f"{names} in the same passage"
    if not material.said.isdisjoint(fragments(heading)):  # two names with a full stop in them, next to each other again
        heading = heading.replace(names, f"{members[pair[1]].title} with {members[pair[0]].title}", 1)
    material.said.update(fragments(heading))
    parts = [f"{passage.text} {cite(material, passage, pair)}" for passage in chosen]
    return Finding(heading, " ".join(parts))


def cite(material: Material, passage: Passage, pair: Sequence[int]) -> str:
    """The bracket of a passage: the pair and others that its unit names, their link, the unit.

    Beside the pair nothing is cited whose own text lacks the name: an entity without its title in its description, say.
    """
    folded = material.reader.folded(passage.unit)
    others = [at for at in sorted(passage.members) if at not in pair]
    shown = [material.members[at] for at in [*pair, *others][:5]]
    named = [member for member in shown if fold(member.title) in folded]
    cited = [member for at, member in enumerate(shown) if at < len(pair) or (member in named and names_itself(member))]
    link = material.links.get((min(pair), max(pair))) if len(pair) == 2 else None
    references = {
        "Entities": [member.number for member in cited],
        "Relationships": [link.number] if link is not None and _says(link) else [],
        "Sources": [passage.unit.number] if named else [],
    }
    return write_references(references)


def names_itself(member: MemberEntity) -> bool:
    return fold(member.title) in fold(member.description)


def _says(link: MemberRelationship) -> bool:
    text = fold(link.description)
    return fold(link.source) in text and fold(link.target) in text
