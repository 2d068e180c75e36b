"""Small communities for tests of reports: made of plain sentences, so that what must come out can be read off."""

from __future__ import annotations

from itertools import combinations

from explorer.analysts.judgements import ChildReport, MemberEntity, MemberRelationship, MemberUnit, ReportContext


def community(
    number: int,
    members: list[str],
    texts: dict[int, str],
    *,
    level: int = 0,
    children: tuple[ChildReport, ...] = (),
    first: int = 0,
) -> ReportContext:
    """A community whose members are named in `texts` (number of the unit → text), two of them linked where a text
    names both. Entity numbers count from `first`."""
    units = tuple(MemberUnit(f"unit-{at}", at, text) for at, text in sorted(texts.items()))
    standing = {name: tuple(unit.id for unit in units if name in unit.text) for name in members}
    links = []
    for a, b in combinations(sorted(members), 2):
        shared = tuple(unit for unit in standing[a] if unit in standing[b])
        if shared:
            told = f"{a} stands with {b}."
            links.append(MemberRelationship(f"{a}-{b}", 100 + len(links), a, b, told, float(len(shared)), 2, shared))
    degree = {name: sum(name in (link.source, link.target) for link in links) for name in members}
    ordered = sorted(members, key=lambda name: (-degree[name], name))
    entities = tuple(
        MemberEntity(
            f"e-{name}", first + sorted(members).index(name), name, "", f"{name} is known.", degree[name], degree[name],
            standing[name],
        )
        for name in ordered
    )  # fmt: skip
    return ReportContext(number, level, entities, tuple(links), units, children)


HARBOUR = {
    3: "Ada Brook owned the ferry that crossed to Holm every morning. Tom Reed sold her the engine in the spring. "
    "The ferry sank in the great storm, and nobody was hurt.",
    4: "In autumn Ada Brook and Tom Reed built a second boat together. They named the boat after the island of Holm.",
    7: "The council of Holm paid Tom Reed for the new pier. Ada Brook refused to use the pier for a year.",
}
