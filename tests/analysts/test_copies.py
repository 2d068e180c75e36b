"""Copies of one document, and rows of a table: what is found in them."""

from __future__ import annotations

from explorer.analysts.judgements import UnitText
from explorer.analysts.offline.extract import extract
from explorer.analysts.offline.sentences import split_sentences

TEXT = (
    "Hester Quill runs the Harbour Office in Port Ansel. Tobias Renn keeps Garrick Light for Hester Quill. "
    "Tobias Renn met Hester Quill at Garrick Light."
)


def test_copies_of_a_document_hide_nothing() -> None:
    many = extract([UnitText(f"u{n}", TEXT, f"d{n}") for n in range(6)], grade="patterns")
    assert {"Hester Quill", "Tobias Renn"} <= {entity.title for entity in many.entities}


def test_a_row_of_a_table_is_a_sentence_a_column() -> None:
    text = "name: John Smith\nplace: Rome\nyear: 1900"
    assert [text[start:end] for start, end in split_sentences(text)] == text.split("\n")
