"""The drawer under the report: what a citation names, with the way back to what it showed before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.gui.places.communities.safe_browser import SafeBrowser
from explorer.gui.places.communities.source_page import (
    claim_page,
    entity_page,
    relationship_page,
    unit_page,
    unresolved_page,
)
from explorer.gui.session import Citation
from explorer.gui.theme import Theme
from explorer.tables.rows import EntityRow, RelationshipRow

_REMEMBERED = 50
_A_BREATH = 500  # rows between two sleeps: the window comes first, nobody waits for this


class SourceDrawer(QWidget):
    """`shown` is the citation that stands in the drawer, an entity being "Entities" with its number."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._index: Any = None
        self._ties: dict[str, list[RelationshipRow]] | None = None
        self._history: list[Citation] = []
        self.claims: Mapping[int, Mapping[str, Any]] = {}
        self.community: int | None = None
        self.shown: Citation | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 4, 0, 0)
        outer.setSpacing(4)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Plain)
        line.setStyleSheet("color: palette(mid)")
        outer.addWidget(line)
        row = QHBoxLayout()
        self.heading = QLabel("Source")
        self.heading.setProperty("role", "title")
        row.addWidget(self.heading, 1)
        self.back = self._button("Back", "Back to the source before", self._go_back)
        self.close_button = self._button("Close", "Close the source", self.hide)
        row.addWidget(self.back)
        row.addWidget(self.close_button)
        outer.addLayout(row)
        self.browser = SafeBrowser("Source of a citation")
        outer.addWidget(self.browser, 1)

    def _button(self, text: str, name: str, slot: Any) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setProperty("role", "link")
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda _checked=False: slot())
        return button

    def set_index(self, index: Any) -> None:
        self._index, self._ties, self.claims = index, None, {}
        self._history.clear()
        self.shown = None
        self.hide()

    def set_ties(self, ties: dict[str, list[RelationshipRow]]) -> None:
        """The relationships of each title, heaviest first, made on a worker thread (see `ties_by_title`)."""
        self._ties = ties
        self.refresh()

    def show_entity(self, entity: EntityRow) -> None:
        self.show_citation(Citation("Entities", entity.number))

    def show_citation(self, citation: Citation) -> None:
        """Show what a citation names."""
        if self.shown is not None and citation != self.shown:
            self._history.append(self.shown)
            del self._history[:-_REMEMBERED]
        self._show(citation)

    def refresh(self) -> None:
        if self.shown is not None:
            at = self.browser.verticalScrollBar().value()
            self._show(self.shown)
            self.browser.verticalScrollBar().setValue(at)

    def _show(self, citation: Citation) -> None:
        self.shown = citation
        self.heading.setText(f"{citation.kind} {citation.number}")
        self.back.setEnabled(bool(self._history))
        self.browser.show_html(self._page(citation))

    def _page(self, citation: Citation) -> str:
        index, number = self._index, citation.number
        if index is None:
            return ""
        if citation.kind == "Entities" and number in index.entity_by_number:
            entity = index.entity_by_number[number]
            return entity_page(self._theme, index, entity, self._ties_of(entity.title))
        if citation.kind == "Relationships" and number in index.relationship_by_number:
            return relationship_page(self._theme, index, index.relationship_by_number[number])
        if citation.kind == "Sources" and number in index.unit_by_number:
            unit = index.unit_by_number[number]
            return unit_page(self._theme, index, unit, self._names_in(unit.entity_ids))
        if citation.kind == "Claims" and number in self.claims:
            return claim_page(self._theme, index, number, self.claims[number])
        return unresolved_page(self._theme, citation.kind, number)

    def _names_in(self, entity_ids: tuple[str, ...]) -> list[str]:
        """The names to mark in a text: those of the chosen community that stand in it, or all that do."""
        community = self._index.community_by_number.get(self.community)
        members = set(community.entity_ids) if community is not None else set()
        chosen = [id for id in entity_ids if id in members] or list(entity_ids)
        return [self._index.entity_by_id[id].title for id in chosen if id in self._index.entity_by_id]

    def _ties_of(self, title: str) -> list[RelationshipRow]:
        if self._ties is not None:
            return self._ties.get(title, [])
        return sorted(
            (tie for tie in self._index.relationships if title in (tie.source, tie.target)), key=_heaviest_first
        )

    def _go_back(self) -> None:
        if self._history:
            self._show(self._history.pop())


def ties_by_title(index: Any) -> dict[str, list[RelationshipRow]]:
    """The relationships of each title, heaviest first. For a worker thread: linear in the relationships."""
    ties: dict[str, list[RelationshipRow]] = {}
    for place, tie in enumerate(index.relationships):
        if place % _A_BREATH == 0:
            time.sleep(0.001)
        ties.setdefault(tie.source, []).append(tie)
        if tie.target != tie.source:
            ties.setdefault(tie.target, []).append(tie)
    for place, some in enumerate(ties.values()):
        if place % _A_BREATH == 0:
            time.sleep(0.001)
        some.sort(key=_heaviest_first)
    return ties


def _heaviest_first(tie: RelationshipRow) -> tuple[float, int]:
    return (-tie.weight if tie.weight == tie.weight else 0.0, tie.number)
