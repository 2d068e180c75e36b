"""Singular and plural."""

from __future__ import annotations

from explorer.base.words import agree, counted, share


def test_one_and_many() -> None:
    assert [counted(number, "document") for number in (0, 1, 2, 1234)] == [
        "0 documents", "1 document", "2 documents", "1,234 documents",
    ]  # fmt: skip
    assert counted(31, "entity without a relationship", "entities without a relationship") == (
        "31 entities without a relationship"
    )
    assert (agree(1, "is", "are"), agree(0, "is", "are"), agree(2, "it", "them")) == ("is", "are", "them")
    assert (share(1, 1, "batch", "batches"), share(1, 3, "batch", "batches")) == ("1 of 1 batch", "1 of 3 batches")
