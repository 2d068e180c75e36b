"""The report of a community without a language model: what links its members, in the words of the text units.

Reports are written level by level from the leaves upwards. The writer remembers what it wrote: titles, so that no two
reports share one, and sentences, so that a parent says what its children do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.analysts.judgements import Finding, ReportContext, WrittenReport
from explorer.analysts.offline.findings import (
    Material,
    cite,
    gather,
    how_many,
    names_itself,
    write_findings,
    write_links,
)
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
        overview = _overview(context)
        material.said.update(fragments(overview))
        findings = write_findings(material, how_many(len(names)))
        if not findings and below:  # all that the texts say is said below already
            findings = write_links(material, 3)
        if not findings:
            findings = self._lone_findings(context, material)
        summary = overview + _opening(material)
        rating, reason = rate_community(context)
        self._members[context.community] = frozenset(names)
        self._said[context.community] = below | material.said
        return WrittenReport(context.community, title, summary, tuple(findings), rating, reason)

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


def _overview(context: ReportContext) -> str:
    """The size of a community, its centre, and what it joins or who else is in it, with the centre's reference."""
    members = context.entities
    if not members:
        return "This community has no members."
    names = [tidy(member.title) for member in members[:9]]
    units = counted(len(context.units), "text unit")
    parts = [f"This community has {counted(len(members), 'member')}, named in {units}."]
    if context.size > len(members):
        read = f"{len(members):,} of them fit what a report is written from, and are named in {units}"
        parts = [f"This community has {counted(context.size, 'member')}; {read}."]
    centre = f"At its centre stands {names[0]}"
    if len(names) > 1:
        centre += f"; next to it {', then '.join(names[1:3])}"
    if context.children:
        below = sorted(context.children, key=lambda child: (-child.size, child.community))
        shown = "; ".join(child.title for child in below[:6])
        more = f"; and {len(below) - 6:,} more" if len(below) > 6 else ""
        count = "one smaller community" if len(below) == 1 else f"{len(below):,} smaller communities"
        parts += [f"{centre}.", f"It joins {count}: {shown}{more}."]
    elif len(names) > 3:
        hidden = max(context.size, len(members)) - 9
        more = f" and {hidden:,} more" if hidden > 0 else ""
        parts.append(f"{centre}; around them {', '.join(names[3:]) + more if more else listed(names[3:])}.")
    else:
        parts.append(f"{centre}.")
    numbers = [member.number for member in members[:3] if names_itself(member)]
    return " ".join([*parts, write_references({"Entities": numbers})]).rstrip()


def _opening(material: Material) -> str:
    """The worthiest passage, among those left over, that names two of the three most linked members."""
    centre = frozenset(range(3))
    open_: Iterable[Passage] = (
        p for p in material.passages if p.worth and len(p.members & centre) >= 2 and material.fresh(p)
    )
    passage = max(open_, key=lambda p: (p.worth, -p.unit.number, -p.start), default=None)
    if passage is None:
        return ""
    material.take(passage)
    return f" {passage.text} {cite(material, passage, sorted(passage.members & centre)[:2])}"
