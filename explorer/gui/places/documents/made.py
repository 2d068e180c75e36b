"""How the open index was made, in pairs of a name and a value."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from explorer.gui.calls_log import CallsLog
from explorer.gui.places.documents.calls_model import kind_order, kind_words
from explorer.gui.theme import tabular
from explorer.gui.widgets.status_bar import made_by
from explorer.gui.words import count, counts, money


def facts_of(index: Any, calls: CallsLog | None = None) -> list[tuple[str, str]]:
    """Pairs for the open index; what is not known is left out. `calls` are those that are shown beneath."""
    levels = dict.fromkeys(index.levels, 0)
    for row in index.communities:
        levels[row.level] += 1
    facts = [
        ("Made by", made_by(index).removeprefix("made by ")),
        ("Tables", str(index.output)),
        ("Contents", counts({
            "documents": len(index.documents), "text units": len(index.text_units), "entities": len(index.entities),
            "relationships": len(index.relationships), "reports": len(index.reports),
        }) or "nothing"),
        ("Communities", " · ".join(f"level {level}: {number:,}" for level, number in levels.items()) or "none"),
    ]  # fmt: skip
    info = index.info
    if info is not None:
        facts.insert(1, ("Day", info.created))
        facts.append(("Text units", f"{info.chunk_size:,} tokens, {info.chunk_overlap:,} shared with the one before"))
        leiden = info.leiden
        facts.append(
            (
                "Leiden",
                f"{leiden.algorithm or 'unknown'} · seed {info.seed} · clusters of {leiden.max_cluster_size} and more "
                f"are split · modularity of level 0 {leiden.modularity:.3f} · best of {leiden.runs}",
            )
        )
        facts.extend(_cost(index))
        if calls is not None and calls.kinds:
            facts.append(("Calls", _by_stage(calls)))
        left_out = counts({**info.dropped, **leiden.dropped})
        if left_out:
            facts.append(("Left out", left_out))
    told = (table for table in index.tables if table.reason and "optional" not in table.reason)
    less = [f"{table.name}: {table.reason}" for table in told]
    if less:
        facts.append(("Tables that say less", "; ".join(less)))
    return facts


def _cost(index: Any) -> list[tuple[str, str]]:
    """What the last run was charged, and what had been said before."""
    made = [sums for sums in index.info.bill.values() if sums.count > sums.cached]
    if not made:
        return []
    from explorer.planning.bill import load_bill

    unknown = any(sums.cost is None for sums in made)
    cost = None if unknown else sum(sums.cost or 0.0 for sums in made)
    tokens = sum(sums.prompt_tokens + sums.output_tokens for sums in made)
    words = f"{count(sum(sums.count - sums.cached for sums in made), 'call')}, {tokens:,} tokens, {money(cost)}"
    bill = load_bill(index.home)
    return [("Last run", words), *([("Estimate", bill.sentence)] if bill is not None else [])]


def _by_stage(calls: CallsLog) -> str:
    """What was charged for the calls of each stage."""
    return " · ".join(
        f"{kind_words(kind)}: {count(spent.calls, 'call')}"
        + (f" ({spent.lost:,} lost)" if spent.lost else "")
        + (f", {spent.tokens:,} tokens, {money(spent.cost)}" if spent.calls > spent.cached else "")
        for kind, spent in sorted(calls.kinds.items(), key=lambda item: kind_order(item[0]))
    )


class Facts(QWidget):
    """Shows pairs; the values can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        em = self.fontMetrics().height()
        self._grid.setHorizontalSpacing(em)
        self._grid.setVerticalSpacing(round(em * 0.3))
        self._rows: list[tuple[QLabel, QLabel]] = []

    def show_facts(self, facts: list[tuple[str, str]]) -> None:
        """Show these pairs instead of those that were shown."""
        for row in range(len(self._rows), len(facts)):
            self._rows.append(self._add_row(row))
        for row, (left, right) in enumerate(self._rows):
            name, value = facts[row] if row < len(facts) else ("", "")
            for label, words in ((left, name), (right, value)):
                if label.text() != words:  # a label that is made anew is laid out anew, and with it the page
                    label.setText(words)
                label.setVisible(row < len(facts))

    def _add_row(self, row: int) -> tuple[QLabel, QLabel]:
        left, right = QLabel(), QLabel()
        for label in (left, right):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            label.setFont(tabular(label.font()))
        left.setProperty("role", "muted")
        right.setWordWrap(True)
        right.setMinimumWidth(1)
        right.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(left, row, 0)
        self._grid.addWidget(right, row, 1)
        return left, right
