"""The report of a community without a language model: what links its members, in the words of the text units.

Reports are written level by level from the leaves upwards. The writer remembers what it wrote: titles, so that no two
reports share one, and sentences, so that a parent says what its children do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.analysts.judgements import Finding, MemberEntity, ReportContext, WrittenReport
from explorer.analysts.offline.findings import Material, cite, gather, how_many, names_itself, write_findings
from explorer.analysts.offline.passages import Passage, PassageReader, fragments, tidy
from explorer.analysts.offline.rating import counted, rate_community
from explorer.analysts.offline.references import write_references
from explorer.analysts.offline.titles import Titles, listed
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress

_STEP = 20  # reports between two events


class ReportWriter:
    """Writes the reports of one index. One writer for one run, called once a level, deepest level first."""

    def __init__(self) -> None:
        self._reader = PassageReader()
        self._titles = Titles()
        self._members: dict[int, frozenset[str]] = {}
        self._said: dict[int, frozenset[str]] = {}

    def write(self, contexts: Sequence[ReportContext], *, sink: EventSink, scope: CancelScope) -> list[WrittenReport]:
        """The reports of one level in the order of the contexts; the order changes no report.

        Raises Cancelled at a checkpoint of the scope.
        """
        for context in contexts:
            scope.checkpoint()
            self._reader.add(context.units)
        written: dict[int, WrittenReport] = {}
        for done, context in enumerate(sorted(contexts, key=lambda c: c.community), start=1):
            scope.checkpoint()
            written[context.community] = self._write(context)
            if done % _STEP == 0 or done == len(contexts):
                sink(StageProgress("reports", done, len(contexts)))
        return [written[context.community] for context in contexts]

    def _write(self, context: ReportContext) -> WrittenReport:
        names = [member.title for member in context.entities]
        title = self._titles.take(names, context.community)
        children = [child.community for child in context.children]
        child_of = {name: child for child in sorted(children, reverse=True) for name in self._members.get(child, ())}
        below = frozenset().union(*(self._said.get(child, frozenset()) for child in children))
        material = gather(context, self._reader, child_of)
        material.said = {*below, *fragments(title)}
        summary = self._summary(context, material)
        findings = write_findings(material, self._reader, how_many(len(names)))
        if not findings and below:  # all that there is was said below: better twice in an index than nothing here
            material.said = {*fragments(title), *fragments(summary)}
            findings = write_findings(material, self._reader, 2)
        if not findings:
            findings = self._lone_findings(context, material)
        rating, reason = rate_community(context)
        self._members[context.community] = frozenset(names)
        self._said[context.community] = below | material.said
        return WrittenReport(context.community, title, summary, tuple(findings), rating, reason)

    def _summary(self, context: ReportContext, material: Material) -> str:
        """What the community is: its centre, its other members, its children, and one passage on the centre."""
        members = context.entities
        parts = [_centre(members, len(context.units))]
        if context.children:
            below = sorted(context.children, key=lambda child: (-child.size, child.community))
            shown = "; ".join(child.title for child in below[:6])
            more = f"; and {len(below) - 6:,} more" if len(below) > 6 else ""
            count = "one smaller community" if len(below) == 1 else f"{len(below):,} smaller communities"
            parts.append(f"It joins {count}: {shown}{more}.")
        elif len(members) > 3:
            others = [tidy(member.title) for member in members[3:9]]
            more = f" and {len(members) - 9:,} more" if len(members) > 9 else ""
            parts.append(f"Around them stand {', '.join(others) + more if more else listed(others)}.")
        numbers = [member.number for member in members[:3] if names_itself(member)]
        if numbers:
            parts.append(write_references({"Entities": numbers}))
        passage = _on_centre(material)
        if passage is not None:
            material.take(passage)
            parts.append(f"{passage.text} {cite(material, passage, sorted(passage.members)[:2])}")
        material.said.update(fragments(" ".join(parts[:2])))
        return " ".join(parts)

    def _lone_findings(self, context: ReportContext, material: Material) -> list[Finding]:
        """A report of which no passage names two members: what is said of one, or that nothing is."""
        alone = gather(context, self._reader, {}, least=1)
        alone.said = set(material.said)
        findings: list[Finding] = []
        for at, member in enumerate(alone.members[:3]):
            open_ = [passage for passage in alone.passages if at in passage.members and alone.fresh(passage)]
            if open_:
                best = max(open_, key=lambda passage: (passage.worth, -passage.unit.number))
                alone.take(best)
                heading = f"{member.title}, named without the other members"
                findings.append(Finding(heading, f"{best.text} {cite(alone, best, [at])}"))
        material.said |= alone.said
        if findings:
            return findings
        names = listed([tidy(member.title) for member in context.entities[:3]]) or "this community"
        numbers = [member.number for member in context.entities[:5]]
        reference = write_references({"Entities": numbers})
        told = "No sentence of the text units names these members, so that nothing can be shown of them"
        return [Finding(f"Nothing is said of {names}", f"{told} {reference}.".replace(" .", "."))]


def _centre(members: Sequence[MemberEntity], units: int) -> str:
    names = [tidy(member.title) for member in members[:3]]
    where = f"named in {counted(units, 'text unit')}"
    if not members:
        return "This community has no members."
    if len(members) == 1:
        return f"{names[0]} stands alone in this community, {where}."
    if len(members) <= 3:
        return f"This community is {listed(names)}, {where}."
    return f"{listed(names)} are the most closely linked of the {len(members):,} members of this community, {where}."


def _on_centre(material: Material) -> Passage | None:
    """The worthiest passage that names two of the three most linked members."""
    centre = frozenset(range(3))
    open_: Iterable[Passage] = (p for p in material.passages if len(p.members & centre) >= 2 and material.fresh(p))
    return max(open_, key=lambda p: (p.worth, -p.unit.number, -p.start), default=None)
