"""What a citation names, as HTML: an entity, a relationship, a text unit, a claim, each with its place in the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from explorer.gui.places.communities.hierarchy import one_line
from explorer.gui.places.communities.markup import escape, highlighted, name_pattern, style
from explorer.gui.places.communities.quotes import quote, whereabouts
from explorer.gui.theme import Theme
from explorer.gui.words import count as counted
from explorer.tables.rows import EntityRow, RelationshipRow, UnitRow

_UNITS = 12
_NEIGHBOURS = 15


def entity_page(theme: Theme, index: Any, entity: EntityRow, neighbours: Iterable[RelationshipRow]) -> str:
    """Description, type, degree, neighbours (given heaviest first) and the sentences that name the entity."""
    ties = list(neighbours)
    meta = [f"Entities {entity.number}", entity.type.lower(), f"degree {entity.degree:,}"]
    body = [
        style(theme),
        f"<p class='head'>{escape(one_line(entity.title))}</p>",
        _muted(" · ".join(part for part in meta if part)),
    ]
    body.append(f"<p>{escape(entity.description) or _none('description')}</p>")
    body.append(_ties(index, entity.title, ties))
    body.append(_units(index, entity.text_unit_ids, [entity.title]))
    return "".join(body)


def relationship_page(theme: Theme, index: Any, tie: RelationshipRow) -> str:
    """Description, both ends, weight and the sentences that show the relationship."""
    ends = " – ".join(_end(index, title) for title in (tie.source, tie.target))
    body = [style(theme), f"<p class='head'>{ends}</p>", _muted(f"Relationships {tie.number} · weight {tie.weight:g}")]
    body.append(f"<p>{escape(tie.description) or _none('description')}</p>")
    body.append(_units(index, tie.text_unit_ids, [tie.source, tie.target]))
    return "".join(body)


def unit_page(theme: Theme, index: Any, unit: UnitRow, names: Iterable[str]) -> str:
    """The whole text of a unit with the names marked, and where it stands."""
    place = whereabouts(index, unit)
    return (
        f"{style(theme)}<p class='head'>Text unit {unit.number}</p>"
        + _muted(f"Sources {unit.number} · {place.words()} · {unit.n_tokens:,} tokens")
        + f"<p>{highlighted(unit.text, names) or _none('text')}</p>"
    )


def claim_page(theme: Theme, index: Any, number: int, claim: Mapping[str, Any]) -> str:
    """A claim: who, whom, what, when, and its text unit."""

    def said(name: str) -> str:
        value = claim.get(name)
        return one_line(str(value), 200) if value is not None and value == value else ""

    head = " – ".join(escape(part) for part in (said("subject_id"), said("object_id")) if part and part != "NONE")
    meta = [f"Claims {number}", said("type").lower(), said("status").lower(), said("start_date"), said("end_date")]
    body = [
        style(theme),
        f"<p class='head'>{head or 'Claim'}</p>",
        _muted(" · ".join(p for p in meta if p and p.upper() != "NONE")),
    ]
    body.append(f"<p>{escape(str(claim.get('description') or '')) or _none('description')}</p>")
    if said("source_text"):
        body.append(f"<p>“{escape(str(claim['source_text']))}”</p>")
    body.append(_units(index, (said("text_unit_id"),), [said("subject_id"), said("object_id")]))
    return "".join(body)


def unresolved_page(theme: Theme, kind: str, number: int) -> str:
    """A citation of a row that the index does not have."""
    return (
        f"{style(theme)}<p class='head'>{kind} {number} is not in this index</p><p class='muted'>The report cites a "
        "number that no row of the table bears. Nothing was left out here: the model that wrote the report made it "
        "up, or the tables were made anew after it.</p>"
    )


def _ties(index: Any, title: str, ties: list[RelationshipRow]) -> str:
    if not ties:
        return _muted("No relationships.")
    items = []
    for tie in ties[:_NEIGHBOURS]:
        other = tie.target if tie.source == title else tie.source
        words = escape(one_line(tie.description, 90)) or "relationship"
        items.append(
            f"<li>{_end(index, other)} <span class='muted'>· weight {tie.weight:g} ·</span> "
            f"<a href='cite:Relationships/{tie.number}'>{words}</a></li>"
        )
    more = f"<li class='muted'>and {len(ties) - _NEIGHBOURS:,} more</li>" if len(ties) > _NEIGHBOURS else ""
    return f"<p class='part'>{counted(len(ties), 'relationship')}</p><ul>{''.join(items)}{more}</ul>"


def _units(index: Any, ids: Iterable[str], names: list[str]) -> str:
    units = [index.unit_by_id[id] for id in ids if id in index.unit_by_id]
    missing = len([id for id in ids if id]) - len(units)
    pattern = name_pattern(names)
    made = [f"<p class='part'>{counted(len(units), 'text unit')}</p>"]
    for unit in units[:_UNITS]:
        text, place = quote(index, unit, pattern)
        made.append(
            f"<p><a href='cite:Sources/{unit.number}'>Sources {unit.number}</a>"
            f" <span class='muted'>· {escape(place.words())}</span><br>“{highlighted(text, names)}”</p>"
        )
    if len(units) > _UNITS:
        made.append(_muted(f"and {len(units) - _UNITS:,} more text units"))
    if missing > 0:
        verb = "is" if missing == 1 else "are"
        made.append(_muted(f"{counted(missing, 'text unit')} named by the table {verb} not in this index."))
    return "".join(made)


def _end(index: Any, title: str) -> str:
    entity = index.entity_by_title.get(title)
    name = escape(one_line(title, 80))
    return f"<a href='cite:Entities/{entity.number}'>{name}</a>" if entity is not None else f"{name} (no entity)"


def _muted(text: str) -> str:
    return f"<p class='muted'>{escape(text)}</p>"


def _none(what: str) -> str:
    return f"<span class='muted'>no {what}</span>"
