"""Map, reduce and rate of the offline analyst over an index on disk that is written here."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.analysts.judgements import IndexAnalyst, KeptPoint, ReportBatch, SearchAnalyst
from explorer.analysts.offline.analyst import OfflineAnalyst, open_or_build
from explorer.analysts.prompts import count_messages, map_messages, reduce_messages
from explorer.base.tokens import count_tokens
from explorer.tables.rows import ReportRow, UnitRow

UNITS = {
    0: "The lighthouse keeper Ada Brook kept a red lamp. " + "Waves broke on the rocks below her window. " * 8,
    1: "Tom Reed repaired the harbour crane in March. " + "The crane carried coal and timber for the town. " * 8,
    2: "The mayor opened a school on the hill. " + "Children came from the valley every morning. " * 8,
}
REPORTS = {
    4: "# Ada Brook\n\nThe keeper.\n\n## Ada and the lamp\n\nAda Brook kept a red lamp. "
    "[Data: Entities (1, 2); Sources (0)]",
    5: "# Tom Reed\n\nThe crane.\n\n## Tom and the crane\n\nTom Reed repaired the harbour crane in March. "
    "[Data: Entities (3, 4); Relationships (9); Sources (1)]",
    6: "# The mayor\n\nThe school.\n\n## Mayor and school\n\nThe mayor opened a school on the hill. "
    "[Data: Sources (2)]",
}


@dataclass
class SmallIndex:
    """What the analyst needs of an index."""

    output: Path
    home: Path
    reports: list[ReportRow] = field(default_factory=list)
    text_units: list[UnitRow] = field(default_factory=list)


def make(folder: Path, reports: dict[int, str] = REPORTS) -> SmallIndex:
    output = folder / "output"
    output.mkdir(exist_ok=True)
    pq.write_table(pa.table({"full_content": list(reports.values())}), output / "community_reports.parquet")
    pq.write_table(pa.table({"text": list(UNITS.values())}), output / "text_units.parquet")
    index = SmallIndex(output, folder)
    index.reports = [
        ReportRow(f"r{n}", n, 0, -1, (), text.split("\n")[0][2:], "", text, 5.0) for n, text in reports.items()
    ]
    index.text_units = [UnitRow(f"u{number}", number, text, 9, "d") for number, text in UNITS.items()]
    return index


def batch(reports: dict[int, str] = REPORTS, prompt_tokens: int | None = None) -> ReportBatch:
    text = "id|title|content\n" + "".join(f"{n}|x|{text}\n" for n, text in reports.items())
    return ReportBatch(text, tuple(reports), tuple(reports.values()), prompt_tokens)


def points(analyst: OfflineAnalyst, question: str, of: ReportBatch | None = None) -> list[dict[str, object]]:
    reply = asyncio.run(analyst.map(question, of or batch()))
    found: list[dict[str, object]] = json.loads(reply.text)["points"]
    return found


@pytest.fixture
def analyst(tmp_path: Path) -> OfflineAnalyst:
    return OfflineAnalyst.for_index(make(tmp_path))  # type: ignore[arg-type]


def test_it_keeps_both_protocols() -> None:
    assert isinstance(OfflineAnalyst(), IndexAnalyst) and isinstance(OfflineAnalyst(), SearchAnalyst)


def test_a_point_is_the_statement_that_answers_with_its_references(analyst: OfflineAnalyst) -> None:
    (point,) = points(analyst, "Who repaired the crane in the harbour?")
    assert point["description"] == (
        "Tom Reed repaired the harbour crane in March. "
        "[Data: Reports (5); Entities (3, 4); Relationships (9); Sources (1)]"
    )
    assert point["score"] == 100


@pytest.mark.parametrize("question", ["Who won the marathon in Oslo?", "What is the depth of the crater lake?"])
def test_what_the_collection_does_not_tell_finds_nothing(analyst: OfflineAnalyst, question: str) -> None:
    assert points(analyst, question) == []


def test_an_unknown_word_counts_against_a_known_one(analyst: OfflineAnalyst) -> None:
    assert points(analyst, "Who kept the lamp?") and not points(analyst, "Who kept the zeppelin?")


def test_one_mark_for_all_batches(analyst: OfflineAnalyst) -> None:
    """A batch whose best statement is far from the best of the run brings nothing."""
    question = "Which red lamp did the keeper Ada Brook keep?"
    assert points(analyst, question, batch({4: REPORTS[4]}))
    assert points(analyst, question, batch({5: REPORTS[5], 6: REPORTS[6]})) == []


def test_a_question_for_the_whole_gets_overviews(analyst: OfflineAnalyst) -> None:
    found = points(analyst, "What are the main topics of these documents?")
    assert {str(point["description"]) for point in found} == {
        "The keeper. [Data: Reports (4)]", "The crane. [Data: Reports (5)]", "The school. [Data: Reports (6)]",
    }  # fmt: skip


def test_texts_that_the_index_does_not_hold_are_read_as_they_are(analyst: OfflineAnalyst) -> None:
    other = {5: "# Other\n\nNo.\n\n## A\n\nThe smith shod nine horses. [Data: Sources (2)]", 6: "# B\n\nNothing here."}
    (point,) = points(analyst, "How many horses did the smith shoe?", batch(other))
    assert point["description"] == "The smith shod nine horses. [Data: Reports (5); Sources (2)]"


def test_without_an_index_words_are_weighed_in_the_batch() -> None:
    (point,) = points(OfflineAnalyst(), "Who repaired the crane?")
    assert "Reports (5)" in str(point["description"])


def test_the_word_index_is_made_once_and_again_for_other_tables(tmp_path: Path) -> None:
    index = make(tmp_path)
    open_or_build(index).close()  # type: ignore[arg-type]
    made = (tmp_path / "words.sqlite").stat().st_mtime_ns
    open_or_build(index).close()  # type: ignore[arg-type]
    assert (tmp_path / "words.sqlite").stat().st_mtime_ns == made
    other = make(tmp_path, {7: "# New\n\nNew.\n\n## X\n\nThe baker moved to Lund. [Data: Sources (2)]"})
    words = open_or_build(other)  # type: ignore[arg-type]
    assert words.bounds(7, other.reports[0].full_content) == (0, 2)
    words.close()


def test_a_damaged_word_index_is_made_again(tmp_path: Path) -> None:
    index = make(tmp_path)
    (tmp_path / "words.sqlite").write_bytes(b"not a database, and long enough to be looked at" * 50)
    open_or_build(index).close()  # type: ignore[arg-type]


def test_tokens_are_those_of_what_a_model_would_be_sent(analyst: OfflineAnalyst) -> None:
    reply = asyncio.run(analyst.map("Who repaired the crane?", batch()))
    assert reply.messages == map_messages("Who repaired the crane?", batch().text)
    assert reply.prompt_tokens == sum(count_tokens(message.content) for message in reply.messages)
    assert reply.output_tokens == count_tokens(reply.text)
    assert asyncio.run(analyst.map("Who?", batch(prompt_tokens=77))).prompt_tokens == 77


def test_the_answer_holds_the_points_in_order_each_said_once(analyst: OfflineAnalyst) -> None:
    kept = [
        KeptPoint(0, "Ada kept a red lamp at night. [Data: Reports (4); Sources (0)]", 90, 1),
        KeptPoint(1, "Ada kept a red lamp at night. [Data: Reports (9); Sources (0)]", 80, 2),
        KeptPoint(1, "Tom repaired the crane. [Data: Reports (5); Sources (1)]", 70, 3),
    ]
    reply = asyncio.run(analyst.reduce("Who did what?", kept[::-1], "data"))
    assert "Ada kept a red lamp at night. [Data: Reports (4, 9); Sources (0)]" in reply.text
    assert reply.text.count("red lamp") == 1 and reply.text.index("lamp") < reply.text.index("crane")
    assert reply.prompt_tokens == count_messages(reduce_messages("Who did what?", "data"))


def test_a_rating_says_its_reason(analyst: OfflineAnalyst) -> None:
    good = json.loads(asyncio.run(analyst.rate("Who repaired the crane?", REPORTS[5])).text)
    bad = json.loads(asyncio.run(analyst.rate("Who repaired the crane?", REPORTS[6])).text)
    assert good["rating"] == 5 and bad["rating"] == 0 and "words" in good["reason"]


def test_an_answer_from_rows_holds_the_sentences_that_answer(analyst: OfflineAnalyst) -> None:
    reply = asyncio.run(analyst.answer("Who repaired the crane?", "\n".join(UNITS.values())))
    assert "Tom Reed repaired the harbour crane" in reply.text and "school" not in reply.text
    assert "do not answer" in asyncio.run(analyst.answer("Who discovered penicillin?", UNITS[0])).text


def test_descriptions_are_joined_each_sentence_once_in_any_order() -> None:
    told = ["Ada kept the lamp. She left in May.", "Ada kept the lamp.", "The rocks are near Ada."]
    joined = OfflineAnalyst().describe("Ada", told)
    assert joined.count("Ada kept the lamp.") == 1 and "She left in May." in joined and "rocks" in joined
    assert OfflineAnalyst().describe("Ada", told[::-1]) == joined
