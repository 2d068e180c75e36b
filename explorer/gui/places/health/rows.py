"""The tables of the Health place: what each column of the index, its defects and its losses shows."""

from __future__ import annotations

from explorer.gui.widgets.rows_model import Column
from explorer.health.report import Defect, Loss
from explorer.health.words import kind_words

_WIDE = 72  # letters of an example that leave room for the remedy
STATE_WORDS = {"read": "✓ read", "missing": "– missing", "unreadable": "✕ unreadable"}


def words(row: Defect | Loss) -> str:
    """The kind of a defect or a loss in words, as its count asks for it."""
    kind = kind_words(row.kind, row.count)
    return kind[:1].upper() + kind[1:]


def shortened(text: str) -> str:
    """A text in one line; of a long one the middle is left out, for what is missing stands at the end."""
    line = " ".join(text.split())
    return line if len(line) <= _WIDE else f"{line[: _WIDE - 22]} … {line[-18:]}"


TABLE_COLUMNS = (
    Column("Table", lambda row: row.name),
    Column("State", lambda row: STATE_WORDS.get(row.state, row.state)),
    Column("Rows", lambda row: f"{row.rows:,}" if row.state == "read" else "", lambda row: row.rows, number=True),
    Column("Remark", lambda row: row.reason),
)
DEFECT_COLUMNS = (
    Column("Defect", words),
    Column("Count", lambda row: f"{row.count:,}", lambda row: row.count, number=True),
    Column("Example", lambda row: shortened(row.example)),
    Column("Remedy", lambda row: row.remedy, tip=lambda row: f"{row.example}\n{row.remedy}"),
)
LOSS_COLUMNS = (
    Column("What GraphRAG left out", words),
    Column("Count", lambda row: f"{row.count:,}", lambda row: row.count, number=True),
    Column("Of", lambda row: f"{row.of:,}", lambda row: row.of, number=True),
    Column("What that means", lambda row: row.sentence),
)
