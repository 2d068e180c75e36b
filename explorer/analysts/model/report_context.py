"""The context of a report as a model reads it: rows in the order of their content, ids that mean nothing elsewhere.

Source: GraphRAG's graph context (sections of comma-separated rows under a header), with all relationships of the
community where GraphRAG's keeps at most one a member. No row number, community number, date or degree outside the
community stands in it, so that a change elsewhere leaves the text, and with it the stored reply, as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from explorer.analysts.judgements import ChildReport, MemberClaim, MemberEntity, MemberRelationship, ReportContext
from explorer.analysts.model.texts import one_line
from explorer.tables.citations import parse_citations

_COLUMNS = {
    "Reports": ("id", "title", "summary"),
    "Entities": ("id", "title", "type", "description", "degree"),  # degree inside the community
    "Claims": ("id", "subject", "object", "type", "status", "description"),
    "Relationships": ("id", "source", "target", "description"),
}

Row = tuple[str, ...]


@dataclass(frozen=True)
class RenderedContext:
    """`text` is what the prompt is filled with; `numbers` gives, by the name of a section, the human_readable_id (of a
    report: the community) that each local id stands for.
    """

    text: str
    numbers: dict[str, tuple[int, ...]]
    has_text: bool  # whether any row says more than names

    @cached_property
    def rows(self) -> int:
        return sum(len(numbers) for numbers in self.numbers.values())


def render_context(context: ReportContext) -> RenderedContext:
    """The text of a context with its local ids, 0 to n-1 in each section.

    Entities come by their number of neighbours inside the community (descending), then title; relationships by the
    sum of those of their ends (descending), then titles; claims by subject and what else they say; children, where
    they stand for members that did not fit, by size (descending), then title. Equal rows go by number, which the
    text does not show.
    """
    inner = {entity.title: entity.inner_degree for entity in context.entities}
    entities = sorted(context.entities, key=lambda row: (-row.inner_degree, row.title, row.description, row.number))
    links = sorted(
        context.relationships,
        key=lambda row: (
            -(inner.get(row.source, 0) + inner.get(row.target, 0)), row.source, row.target, row.description, row.number
        ),
    )  # fmt: skip
    claims = sorted(context.claims, key=lambda row: (*_claim(row), row.number))
    children = context.children if context.from_children else ()
    reports = sorted(children, key=lambda row: (-row.size, *_child(row), row.community))
    sections = {
        "Reports": [_child(row) for row in reports],
        "Entities": [_entity(row) for row in entities],
        "Claims": [_claim(row) for row in claims],
        "Relationships": [_link(row) for row in links],
    }
    numbers = {
        "Reports": tuple(row.community for row in reports),
        "Entities": tuple(row.number for row in entities),
        "Claims": tuple(row.number for row in claims),
        "Relationships": tuple(row.number for row in links),
    }
    text = "\n\n".join(section_text(name, rows) for name, rows in sections.items() if rows)
    has_text = any(
        row[_COLUMNS[name].index("summary" if name == "Reports" else "description") - 1].strip()
        for name, rows in sections.items()
        for row in rows
    )
    return RenderedContext(text, {name: known for name, known in numbers.items() if known}, has_text)


def section_text(name: str, rows: Sequence[Row]) -> str:
    """One section: its name, its header, and its rows with their local ids before them, as comma-separated values."""
    return f"-----{name}-----\n" + _lines([_COLUMNS[name], *((str(place), *row) for place, row in enumerate(rows))])


def without_citations(text: str) -> str:
    """A text without its citations: those of a child's report name rows by numbers that change."""
    pieces = []
    end = 0
    for mark in parse_citations(text):
        pieces.append(text[end : mark.start].rstrip(" "))
        end = mark.end
    return one_line("".join([*pieces, text[end:]]))


def _entity(row: MemberEntity) -> Row:
    return one_line(row.title), one_line(row.type), one_line(row.description), str(row.inner_degree)


def _link(row: MemberRelationship) -> Row:
    return one_line(row.source), one_line(row.target), one_line(row.description)


def _claim(row: MemberClaim) -> Row:
    return tuple(map(one_line, (row.subject, row.object, row.type, row.status, row.description)))


def _child(row: ChildReport) -> Row:
    return without_citations(row.title), without_citations(row.summary)


def _lines(rows: Iterable[Row]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().rstrip("\n")
