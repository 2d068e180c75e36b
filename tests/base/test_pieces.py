"""Long sorts in short steps give what one sort gives."""

from __future__ import annotations

import random

from explorer.base.pieces import ROWS, pieces, sorted_in_pieces


def test_a_sort_in_pieces_is_the_sort() -> None:
    chance = random.Random(7)
    items = [(chance.randrange(50), place) for place in range(3 * ROWS + 11)]
    assert sorted_in_pieces(items) == sorted(items)
    by_first = sorted_in_pieces(items, key=lambda item: -item[0])
    assert by_first == sorted(items, key=lambda item: -item[0])  # equal ones stay in their order
    assert sorted_in_pieces({"b", "a"}) == ["a", "b"]
    assert sorted_in_pieces([]) == []


def test_pieces_hold_every_item_once() -> None:
    assert [len(piece) for piece in pieces(range(7), 3)] == [3, 3, 1]
    assert list(pieces([], 3)) == []
