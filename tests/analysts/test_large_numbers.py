"""Numbers of text units as a foreign index or a model's citation may have them: any of 64 bits."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from explorer.analysts.offline.chosen import Chosen
from explorer.analysts.offline.word_index import ReportText, build_words, open_words

FAR = 2**63 - 1
TEXT = "# Harbour\n\n## The mill\n\nThe mill by the harbour grinds barley for the bakers [Data: Sources ({numbers})]."


def worth(folder: Path, numbers: str, unit: int) -> dict[int, float]:
    """What is chosen for a question from one report that cites `numbers`, with one text unit."""
    folder.mkdir()
    reports = [ReportText(0, 0, True, TEXT.format(numbers=numbers), 5.0)]
    build_words(folder, "made", reports, [(unit, "The mill by the harbour grinds barley for the bakers.")])
    words = open_words(folder, "made")
    assert words is not None
    with closing(words):
        return Chosen("Who grinds barley by the harbour?", words).statements([0])


def test_a_number_of_64_bits_counts_as_any_other(tmp_path: Path) -> None:
    small = worth(tmp_path / "small", "7", 7)
    assert small  # the statement is a point
    assert worth(tmp_path / "large", str(FAR), FAR) == small


def test_a_citation_of_a_unit_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    assert worth(tmp_path / "stray", f"7, 2000000000, {FAR}", 7) == worth(tmp_path / "plain", "7", 7)
