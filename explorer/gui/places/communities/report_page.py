"""The report of a community as HTML: its findings with citations as chips, and what it was written from."""

from __future__ import annotations

from typing import Any

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.markup import LONGEST, Resolves, escape, shown_part, style, with_chips
from explorer.gui.theme import Theme
from explorer.gui.words import count as counted
from explorer.tables.citations import cited_numbers
from explorer.tables.rows import ReportRow

_CHILDREN = 40


def report_page(
    theme: Theme, index: Any, hierarchy: Hierarchy, number: int, resolves: Resolves, written: str = ""
) -> str:
    """The page of community `number`. A community without a report gets a page that says so. `written` says what the
    report was written from, where that is known."""
    report: ReportRow | None = index.report_by_community.get(number)
    body = [style(theme)]
    if report is None:
        body.append(
            f"<p class='head'>Community {number}</p><p class='muted'>This community has no report: the table "
            "community_reports has no row for it. Its members and relationships are in the graph.</p>"
        )
    else:
        body.append(f"<p class='head'>{escape(report.title) or f'Community {number} (no title)'}</p>")
        body.append(f"<p class='muted'>{escape(report_meta(index, hierarchy, number))}</p>")
        if report.summary.strip():
            body.append(f"<p>{with_chips(report.summary, resolves)}</p>")
        for finding in report.findings:
            body.append(f"<p class='part'>{with_chips(finding.summary, resolves)}</p>")
            body.append(f"<p>{with_chips(finding.explanation, resolves)}</p>")
        if not report.findings:
            body.extend(_plain(report, resolves))
        if report.rank is not None:
            why = f" {with_chips(report.rating_explanation, resolves)}" if report.rating_explanation.strip() else ""
            body.append(f"<p class='part'>Rating {report.rank:g} of 10</p>" + (f"<p>{why}</p>" if why else ""))
        body.append(f"<p class='muted'>{escape(f'{written} {_basis(index, report, number)}'.strip())}</p>")
    body.append(_family(hierarchy, number))
    return "".join(body)


def report_meta(index: Any, hierarchy: Hierarchy, number: int) -> str:
    """ "community 15 · level 1 · 14 entities · rating 7.5"."""
    node = hierarchy.nodes[number]
    rated = f" · rating {node.rating:g}" if node.rating is not None else ""
    words = f"community {number} · level {node.level} · {counted(node.size, 'entity', 'entities')}{rated}"
    return " · ".join(part.replace(" ", "\xa0") for part in words.split(" · "))


def _plain(report: ReportRow, resolves: Resolves) -> list[str]:
    """The full text of a report whose findings are not in the table, less what is shown already."""
    made = []
    content, rest = shown_part(report.full_content, 5 * LONGEST)
    for block in content.split("\n\n"):
        text = block.strip()
        if not text or text.lstrip("# ").strip() in (report.title.strip(), report.summary.strip()):
            continue
        made.append(f"<p class='part'>{with_chips(text.lstrip('# '), resolves)}</p>" if text.startswith("#")
                    else f"<p>{with_chips(text, resolves)}</p>")  # fmt: skip
    return [*made, f"<p>{rest}</p>"] if rest else made


def _basis(index: Any, report: ReportRow, number: int) -> str:
    """How much of the community the report names: its citations against its members."""
    community = index.community_by_number.get(number)
    cited = cited_numbers(report.full_content or " ".join(f.explanation for f in report.findings))
    if community is None:
        return "The table communities has no row for this report."
    entities = [index.entity_by_id[id].number for id in community.entity_ids if id in index.entity_by_id]
    ties = [index.relationship_by_id[id].number for id in community.relationship_ids if id in index.relationship_by_id]
    named, joined = len(cited["Entities"].intersection(entities)), len(cited["Relationships"].intersection(ties))
    return (
        f"Cites {named:,} of {counted(len(entities), 'entity', 'entities')} and "
        f"{joined:,} of {counted(len(ties), 'relationship')} of this community."
    )


def _family(hierarchy: Hierarchy, number: int) -> str:
    node = hierarchy.nodes[number]
    parts = []
    if node.parent >= 0:
        above = hierarchy.nodes[node.parent]
        parts.append(
            f"<p><span class='muted'>Parent:</span> <a href='community:{above.number}'>{escape(above.title)}</a></p>"
        )
    children = hierarchy.children.get(number, ())
    if children:
        items = "".join(
            f"<li><a href='community:{child}'>{escape(hierarchy.nodes[child].title)}</a>"
            f" <span class='muted'>{hierarchy.nodes[child].size:,}</span></li>"
            for child in children[:_CHILDREN]
        )
        more = (
            f"<li class='muted'>and {len(children) - _CHILDREN:,} more, in the tree</li>"
            if len(children) > _CHILDREN
            else ""
        )
        parts.append(f"<p class='muted'>{counted(len(children), 'child', 'children')}:</p><ul>{items}{more}</ul>")
    elif node.parent < 0:
        parts.append("<p class='muted'>No parent and no children.</p>")
    return "".join(parts)
