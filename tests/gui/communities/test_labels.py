"""Labels: the most important first, none over another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.gui.places.communities.labels import Box, Wanted, place_labels, shorten, wrap


def measure(text: str, bold: bool) -> float:
    return 10.0 * len(text)


def want(key: int, *boxes: Box) -> Wanted:
    return Wanted(tuple(((f"label {key}",), box) for box in boxes), False, "entity", key)


def test_the_first_wins_and_the_next_takes_its_second_place() -> None:
    here, there = Box(0, 0, 50, 10), Box(0, 40, 50, 10)
    placed = place_labels([want(1, here), want(2, here, there), want(3, here, there)])
    assert [(label.key, label.box) for label in placed] == [(1, here), (2, there)]


def test_places_taken_by_other_widgets_stay_free() -> None:
    assert place_labels([want(1, Box(10, 10, 20, 10))], taken=[Box(0, 0, 100, 100)]) == []


@given(
    st.lists(st.tuples(st.floats(-50, 900), st.floats(-50, 700), st.floats(1, 300), st.floats(5, 40)), max_size=60),
    st.integers(1, 40),
)
def test_no_two_labels_ever_overlap(boxes: list[tuple[float, float, float, float]], most: int) -> None:
    placed = place_labels([want(key, Box(*box)) for key, box in enumerate(boxes)], most=most)
    assert len(placed) <= most
    for place, label in enumerate(placed):
        assert not any(label.box.overlaps(other.box) for other in placed[place + 1 :])


def test_a_title_is_broken_at_words_and_ends_with_an_ellipsis_where_words_are_left() -> None:
    assert wrap("The Cratchit family", lambda line, lines: 100, 3, measure, True) == ("The", "Cratchit", "family")
    assert wrap("The Cratchit family", lambda line, lines: 130, 2, measure, True) == ("The Cratchit", "family")
    assert wrap("The Cratchit family", lambda line, lines: 130, 1, measure, True) == ("The Cratchit…",)
    assert wrap("Incomprehensibilities", lambda line, lines: 50, 3, measure, True) == ()


def test_shortening_keeps_what_fits() -> None:
    assert shorten("Scrooge", 70, measure) == "Scrooge"
    assert shorten("Scrooge", 50, measure) == "Scro…"
    assert shorten("Scrooge", 5, measure) == ""
