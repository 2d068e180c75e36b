"""Reports as a book that every format is written from: chapters in the order of the hierarchy, then what they cite."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from explorer.base.errors import InputError
from explorer.base.words import agree, counted
from explorer.tables.citations import parse_citations
from explorer.tables.index import Index
from explorer.tables.rows import ReportRow

EXCERPT = 600  # characters of a cited text unit; its place in the file says where the rest is
# kind of a citation → the word that anchors are made of
ANCHORS = {"Entities": "entity", "Relationships": "relationship", "Sources": "source", "Reports": "community"}


@dataclass(frozen=True)
class Link:
    """A number of a citation that the book explains: `anchor` is the place in the book."""

    text: str
    anchor: str


Piece = str | Link


@dataclass(frozen=True)
class Section:
    """A finding: its headline ("" for plain text) and its paragraphs, each cut into text and links."""

    headline: str
    paragraphs: tuple[tuple[Piece, ...], ...]


@dataclass(frozen=True)
class Chapter:
    """The report of a community. `depth` counts from 0 at the first community of its branch in this book."""

    anchor: str
    title: str
    depth: int
    facts: str  # "Community 4, level 1, part of community 0, 12 entities, rating 7.5"
    rating_explanation: str
    summary: tuple[tuple[Piece, ...], ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Reference:
    """An entity, relationship or source that is cited: what it is called, what kind it is, what it says."""

    anchor: str
    number: int
    name: str
    detail: str
    text: str


@dataclass(frozen=True)
class Book:
    """`notes` are sentences on what is not in the book; `references` are by kind, each sorted by number."""

    title: str
    chapters: tuple[Chapter, ...]
    references: dict[str, tuple[Reference, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def make_book(index: Index, community: int | None = None) -> Book:
    """The book of all reports, or of a community and everything under it.

    Raises InputError where the index has no such community, or no report to export.
    """
    order = communities_under(index, community)
    reports = _reports(index, order, whole=community is None)
    if not reports:
        where = f"Community {community} and what is under it have" if community is not None else f"{index.name} has"
        raise InputError(f"{where} no report; nothing was written. Index the folder again to write reports.")
    cited = _Cited(index)
    reports = _without_gaps(reports)
    anchors = _anchors(reports)
    chapters = tuple(
        _chapter(index, report, depth, anchor, cited) for (report, depth), anchor in zip(reports, anchors, strict=True)
    )
    with_report = {report.community for report, _ in reports}
    missing = [number for number, _ in order if number not in with_report]
    notes = []
    if missing:
        shown = ", ".join(str(number) for number in missing[:20]) + (" …" if len(missing) > 20 else "")
        notes.append(f"{counted(len(missing), 'community has', 'communities have')} no report: {shown}.")
    if cited.unknown:
        notes.append(
            f"{counted(cited.unknown, 'citation names', 'citations name')} a row that the index does not have, and "
            f"{agree(cited.unknown, 'stands', 'stand')} without a link."
        )
    title = f"Reports of {index.name}"
    if community is not None:
        title = f"{title}: {_line(reports[0][0].title) or f'community {community}'}"
    return Book(title, chapters, cited.references(with_report), tuple(notes))


def communities_under(index: Index, community: int | None) -> list[tuple[int, int]]:
    """(community, depth) in the order of the hierarchy: each before its children, siblings by number.

    All of them, or a community and those under it. Each comes once, also where an index made elsewhere has a loop.
    Raises InputError for a community that is neither in the communities nor in the reports.
    """
    rows = index.community_by_number
    children: dict[int, list[int]] = {}
    for row in rows.values():
        if row.parent in rows and row.parent != row.community:
            children.setdefault(row.parent, []).append(row.community)
    if community is not None:
        if community not in rows and community not in index.report_by_community:
            raise InputError(f"{index.name} has no community {community}; nothing was written.")
        starts = [community]
    else:
        below = {child for found in children.values() for child in found}
        starts = sorted(number for number in rows if number not in below)
        starts += sorted(number for number in rows if number in below)  # only what a loop keeps out of reach is new
    order: dict[int, int] = {}
    for start in starts:
        waiting = [(start, 0)]
        while waiting:
            number, depth = waiting.pop()
            if number in order:
                continue
            order[number] = depth
            waiting.extend((child, depth + 1) for child in sorted(children.get(number, ()), reverse=True))
    return list(order.items())


def _reports(index: Index, order: list[tuple[int, int]], *, whole: bool) -> list[tuple[ReportRow, int]]:
    of_community: dict[int, list[ReportRow]] = {}
    for report in index.reports:
        of_community.setdefault(report.community, []).append(report)
    chosen = [(report, depth) for number, depth in order for report in of_community.pop(number, ())]
    if whole:  # reports of communities that the table of communities does not have
        chosen += [(report, 0) for number in sorted(of_community) for report in of_community[number]]
    return chosen


def _without_gaps(reports: list[tuple[ReportRow, int]]) -> list[tuple[ReportRow, int]]:
    """Depths counted over communities that have a report, so that a contents list nests one step at a time."""
    above: list[int] = []  # depths in the hierarchy of the reports that this one is under
    result = []
    for report, depth in reports:
        while above and above[-1] >= depth:
            above.pop()
        result.append((report, len(above)))
        above.append(depth)
    return result


def _anchors(reports: list[tuple[ReportRow, int]]) -> list[str]:
    """One anchor a report; the second report of a community gets a number of its own."""
    seen: dict[int, int] = {}
    anchors = []
    for report, _ in reports:
        seen[report.community] = count = seen.get(report.community, 0) + 1
        anchors.append(f"community-{report.community}" + (f"-{count}" if count > 1 else ""))
    return anchors


def _chapter(index: Index, report: ReportRow, depth: int, anchor: str, cited: _Cited) -> Chapter:
    facts = [f"Community {report.community}", f"level {report.level}"]
    if report.parent >= 0:
        facts.append(f"part of community {report.parent}")
    row = index.community_by_number.get(report.community)
    size = row.size or len(row.entity_ids) if row is not None else report.size
    facts.append(f"{counted(size, 'entity', 'entities')}")
    if report.rank is not None:
        facts.append(f"rating {report.rank:g}")
    title = _line(report.title) or f"Community {report.community}"
    sections = [Section(_line(finding.summary), cited.paragraphs(finding.explanation)) for finding in report.findings]
    summary = report.summary
    if not sections:
        rest = re.sub(r"\A#[^\n]*\n+", "", report.full_content)
        body = rest.removeprefix(summary).strip() if summary else rest.strip()
        sections = [Section("", cited.paragraphs(body))] if body else []
    return Chapter(
        anchor, title, depth, ", ".join(facts), _line(report.rating_explanation), cited.paragraphs(summary),
        tuple(sections),
    )  # fmt: skip


class _Cited:
    """Turns texts into pieces and remembers which rows they cite."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._numbers: dict[str, set[int]] = {kind: set() for kind in ANCHORS}
        self.unknown = 0

    def paragraphs(self, text: str) -> tuple[tuple[Piece, ...], ...]:
        return tuple(tuple(self._pieces(line)) for line in re.split(r"\s*\n\s*", text.strip()) if line)

    def references(self, chapters: set[int]) -> dict[str, tuple[Reference, ...]]:
        """What was cited, by kind. Cited reports are chapters; those outside the book are named here."""
        makers = (
            ("Entities", self._entity), ("Relationships", self._relationship), ("Sources", self._source),
            ("Reports", self._report),
        )  # fmt: skip
        found = {}
        for kind, make in makers:
            numbers = sorted(self._numbers[kind] - (chapters if kind == "Reports" else set()))
            if numbers:
                found[kind] = tuple(make(number) for number in numbers)
        return found

    def _pieces(self, text: str) -> Iterator[Piece]:
        position = 0
        for mark in parse_citations(text):
            yield text[position : mark.start] + "[Data: "
            for place, group in enumerate(mark.groups):
                yield f"{'; ' if place else ''}{group.kind} ("
                for rank, number in enumerate(group.numbers):
                    if rank:
                        yield ", "
                    yield self._link(group.kind, number)
                yield (", +more" if group.more else "") + ")"
            yield "]"
            position = mark.end
        if text[position:]:
            yield text[position:]

    def _link(self, kind: str, number: int) -> Piece:
        tables: dict[str, Collection[int]] = {
            "Entities": self._index.entity_by_number,
            "Relationships": self._index.relationship_by_number,
            "Sources": self._index.unit_by_number,
            "Reports": self._index.report_by_community,
        }
        if number not in tables.get(kind, ()):
            self.unknown += 1
            return str(number)
        self._numbers[kind].add(number)
        return Link(str(number), f"{ANCHORS[kind]}-{number}")

    def _entity(self, number: int) -> Reference:
        row = self._index.entity_by_number[number]
        return Reference(f"entity-{number}", number, _line(row.title), _line(row.type), _line(row.description))

    def _relationship(self, number: int) -> Reference:
        row = self._index.relationship_by_number[number]
        name = f"{_line(row.source)} – {_line(row.target)}"
        weight = f"weight {row.weight:.4g}"
        return Reference(f"relationship-{number}", number, name, weight, _line(row.description))

    def _source(self, number: int) -> Reference:
        row = self._index.unit_by_number[number]
        document = self._index.document_by_id.get(row.document_id)
        span = self._index.span_by_unit.get(row.id)
        name = span.path if span is not None else document.title if document is not None else f"text unit {number}"
        place = []
        if span is not None:
            place = [f"characters {span.start + 1} to {span.end}"]
            if span.page is not None:
                place.insert(0, f"page {span.page}")
        text = _line(row.text[: EXCERPT * 2])
        excerpt = text
        if len(text) > EXCERPT or len(row.text) > EXCERPT * 2:
            cut = text[:EXCERPT]
            excerpt = f"{cut[: cut.rfind(' ', EXCERPT - 40)] if ' ' in cut[EXCERPT - 40 :] else cut} …"
        return Reference(f"source-{number}", number, _line(name), ", ".join(place), excerpt)

    def _report(self, number: int) -> Reference:
        row = self._index.report_by_community[number]
        return Reference(f"community-{number}", number, _line(row.title), f"level {row.level}", _line(row.summary))


def _line(text: str) -> str:
    """A text on one line, without control characters."""
    return " ".join(re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
