"""Names are looked through by native code, and found as a search of the strings would find them."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.gui.places.communities.names import Names

NAMES = ["Anna Karenina", "ANNA", "Straße nach Annaberg", "", "two\nlines", "İstanbul", "\ud800 half", "a" * 5_000]


@pytest.mark.parametrize("words", [["anna"], ["anna", "nach"], ["STRASSE"], ["istanbul"], ["q"], ["a"], ["\n"], []])
def test_the_places_are_those_where_python_finds_every_word(words: list[str]) -> None:
    folded = [name.casefold() for name in NAMES]
    wanted = [place for place, name in enumerate(folded) if all(word.casefold() in name for word in words)]
    names = Names(NAMES)
    assert names.holding(words).tolist() == wanted
    assert np.flatnonzero(names.mask(words)).tolist() == wanted
    assert names.holding(words, 2).tolist() == wanted[:2]
    begins = " ".join(words)
    assert names.beginning_with(begins).tolist() == [
        place for place, name in enumerate(folded) if name.startswith(begins.casefold())
    ]


def test_no_names_and_half_a_letter_are_looked_for_without_a_fault() -> None:
    assert len(Names([])) == 0 and not len(Names([]).holding(["a"])) and not len(Names([]).beginning_with(""))
    assert Names(NAMES).holding(["\ud800"]).tolist() == [6]


def test_names_in_later_pieces_are_found_at_their_places() -> None:
    names = Names(f"name {k}" for k in range(50_000))
    assert names.holding(["49999"]).tolist() == [49_999]
    assert names.holding(["e 2", "name"], 5_000).tolist() == names.holding(["e 2", "name"]).tolist()[:5_000]
    assert names.holding(["0name"], 3).tolist() == [], "from one name into the next"
    assert names.holding(["name", "9999"], 3).tolist() == [9_999, 19_999, 29_999]
