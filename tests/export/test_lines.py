"""Lines of text: nothing lost, nothing too wide, breaks where a reader expects them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.export.lines import Run, break_lines


def letters(text: str, style: str) -> float:
    return float(len(text))


def lines(*runs: str, width: int) -> list[str]:
    return ["".join(run.text for run in line) for line in break_lines([Run(text) for text in runs], width, letters)]


def test_breaks_at_spaces_between_wide_letters_and_inside_words_that_are_too_long() -> None:
    assert lines("one two three", width=7) == ["one two", "three"]
    assert lines("abcdefghij", width=4) == ["abcd", "efgh", "ij"]
    assert lines("东方玻璃厂。", width=5) == ["东方玻璃", "厂。"]  # a full stop does not begin a line
    assert lines("", width=5) == [] and lines("  \n ", width=5) == []


def test_a_run_that_ends_inside_a_word_does_not_break_it() -> None:
    broken = break_lines([Run("see ("), Run("12", link=3), Run("), then")], 9, letters)
    assert [[(run.text, run.link) for run in line] for line in broken] == [
        [("see (", None), ("12", 3), ("),", None)],
        [("then", None)],
    ]


@given(st.lists(st.text("ab 东。\n"), max_size=6), st.integers(2, 12))
def test_nothing_is_lost_and_no_line_is_too_wide(texts: list[str], width: int) -> None:
    made = lines(*texts, width=width)
    assert "".join("".join(made).split()) == "".join("".join(texts).split())
    assert all(0 < len(line) <= max(width, 2) for line in made)
