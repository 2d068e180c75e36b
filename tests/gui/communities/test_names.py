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
    begins = " ".join(words)
    assert names.beginning_with(begins).tolist() == [
        place for place, name in enumerate(folded) if name.startswith(begins.casefold())
    ]


def test_no_names_and_half_a_letter_are_looked_for_without_a_fault() -> None:
    assert len(Names([])) == 0 and not len(Names([]).holding(["a"])) and not len(Names([]).beginning_with(""))
    assert Names(NAMES).holding(["\ud800"]).tolist() == [6]
