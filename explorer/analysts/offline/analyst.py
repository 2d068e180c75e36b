"""The offline analyst: the judgements of the pipeline without a language model, counted as if they were charged."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.analysts import prompts
from explorer.analysts.judgements import (
    Extraction,
    KeptPoint,
    Reply,
    ReportBatch,
    ReportContext,
    UnitText,
    WrittenReport,
)
from explorer.analysts.message import Message
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.processes import run_in_process
from explorer.base.tokens import EncodingName, count_tokens

if TYPE_CHECKING:
    from explorer.analysts.offline.chosen import Chosen
    from explorer.analysts.offline.report import ReportWriter
    from explorer.analysts.offline.word_index import WordIndex
    from explorer.tables.index import Index

INLINE = 2_000_000  # bytes of the two tables up to which the word index is made without a process of its own


class OfflineAnalyst:
    """Implements IndexAnalyst and SearchAnalyst.

    Parameters
    ----------
    store: the call store in which extraction keeps what it read, or None.
    grade: "auto", "patterns" or "spacy", as extraction has them.
    tokenizer: by which prompts and replies are counted.
    max_length, reduce_max_length, response_type: what the prompts of map and reduce name.

    What a language model would have been charged is in each Reply and in the Extraction; the reports' calls are
    counted by the run that asks for them, from the contexts and the texts that it holds.
    """

    name = "offline"
    model = "offline"

    def __init__(
        self,
        store: Any = None,
        grade: str = "auto",
        *,
        tokenizer: EncodingName = "cl100k_base",
        max_length: int = 1000,
        reduce_max_length: int = 2000,
        response_type: str = "Multiple Paragraphs",
    ) -> None:
        self.grade = grade
        self._store = store
        self._tokenizer: EncodingName = tokenizer
        self._max_length = max_length
        self._reduce_max_length = reduce_max_length
        self._response_type = response_type
        self._writer: ReportWriter | None = None
        self._index: Index | None = None
        self._words: WordIndex | None = None
        self._chosen: dict[str, Chosen] = {}
        self._lock = threading.Lock()

    @classmethod
    def for_index(cls, index: Index, **parameters: Any) -> OfflineAnalyst:
        """The analyst for questions to one index; its word index is in `index.home`, made on the first question."""
        analyst = cls(**parameters)
        analyst._index = index
        return analyst

    def get_ready(self) -> None:
        """Make or open the word index now, beside other work, so that the first map calls need not wait for it.

        Raises StorageError where it cannot be written.
        """
        with self._lock:
            if self._index is not None and self._words is None:
                self._words = open_or_build(self._index)

    def hint(self, question: str) -> str:
        """Why nothing was found, where most words of a question stand nowhere in the documents; else ""."""
        words, chosen = self._hold(question)
        if words is None or chosen is None or not words.passages:
            return ""
        unknown, asked = len(chosen.question.unknown), len(chosen.question.weights)
        if 2 * unknown <= asked:
            return ""
        return (
            f"{'No word' if unknown == asked else 'Hardly a word'} of the question stands in the documents: "
            "the offline analyst compares words, so ask in the language of the documents."
        )

    def close(self) -> None:
        """Let go of the word index on disk."""
        with self._lock:
            if self._words is not None:
                self._words.close()
            self._words = None
            self._chosen.clear()

    def extract(self, units: Sequence[UnitText], *, sink: EventSink, scope: CancelScope) -> Extraction:
        """Entities and relationships of the text units; see `explorer.analysts.offline.extract`."""
        from explorer.analysts.offline.extract import extract

        return extract(units, grade=self.grade, store=self._store, sink=sink, scope=scope)

    def report(self, contexts: Sequence[ReportContext], *, sink: EventSink, scope: CancelScope) -> list[WrittenReport]:
        """Reports of one level, in the order of the contexts; called level by level, deepest first."""
        from explorer.analysts.offline.report import ReportWriter

        if self._writer is None:
            self._writer = ReportWriter()
        return self._writer.write(contexts, sink=sink, scope=scope)

    def prepare(self, output: Path, home: Path, *, scope: CancelScope) -> None:
        """Make the word index of new tables, so that the first question need not wait for it.

        Raises StorageError where the disk refuses, Cancelled.
        """
        from explorer.analysts.offline.word_index import fingerprint, open_words

        source = fingerprint(output)
        words = open_words(home, source)
        if words is None:
            run_in_process(build_for, output, home, source, scope=scope)
        else:
            words.close()

    def describe(self, title: str, descriptions: Sequence[str]) -> str:
        """Several descriptions of one thing as one, each sentence once."""
        from explorer.analysts.offline.describe import merge_descriptions

        return merge_descriptions(title, descriptions)

    async def map(self, question: str, batch: ReportBatch) -> Reply:
        """The points of one batch as JSON under the schema map_points; `{"points": []}` where nothing answers."""
        return await asyncio.to_thread(self._map, question, batch)

    async def reduce(self, question: str, points: Sequence[KeptPoint], data: str) -> Reply:
        """The kept points as an answer in plain text, with their references."""
        from explorer.analysts.offline.reduce import write_answer

        messages = prompts.reduce_messages(question, data, self._response_type, self._reduce_max_length)
        return self._reply(messages, lambda: write_answer(question, points, self._reduce_max_length))

    async def rate(self, question: str, report: str) -> Reply:
        """How far one report helps, as JSON under the schema community_rating: 0 to 5 and the reason."""
        return await asyncio.to_thread(self._rate, question, report)

    async def answer(self, question: str, context: str) -> Reply:
        """An answer in plain text from rows of an index (text units, entities, relationships)."""
        from explorer.analysts.offline.answer import answer_from_context

        messages = prompts.answer_messages(question, context, self._response_type)
        return await asyncio.to_thread(self._reply, messages, lambda: answer_from_context(question, context))

    def _map(self, question: str, batch: ReportBatch) -> Reply:
        from explorer.analysts.offline.map_points import find_points, reply_text

        return self._reply(
            prompts.map_messages(question, batch.text, self._max_length),
            lambda: reply_text(find_points(question, batch, *self._hold(question))),
            prompt_tokens=batch.prompt_tokens,
        )

    def _rate(self, question: str, report: str) -> Reply:
        from explorer.analysts.offline.rating import rate_report

        messages = prompts.rating_messages(question, report)

        def judge() -> str:
            rating, reason = rate_report(question, report, self._hold(question)[1])
            return json.dumps({"rating": rating, "reason": reason}, ensure_ascii=False)

        return self._reply(messages, judge)

    def _reply(
        self, messages: tuple[Message, ...], judge: Callable[[], str], *, prompt_tokens: int | None = None
    ) -> Reply:
        begun = time.perf_counter()
        text = judge()
        if prompt_tokens is None:
            prompt_tokens = prompts.count_messages(messages, self._tokenizer)
        output = count_tokens(text, self._tokenizer)
        seconds = time.perf_counter() - begun
        return Reply(text, messages, prompt_tokens, output, self.model, seconds=seconds)

    def _hold(self, question: str) -> tuple[WordIndex | None, Chosen | None]:
        """The word index, and the question held against it."""
        from explorer.analysts.offline.chosen import Chosen

        if self._index is None:
            return None, None
        with self._lock:  # many batches ask at once; the first one opens the file and weighs the question
            if self._words is None:
                self._words = open_or_build(self._index)
            if question not in self._chosen:
                self._chosen[question] = Chosen(question, self._words)
            return self._words, self._chosen[question]


def open_or_build(index: Index) -> WordIndex:
    """The word index of an index, made where it is missing or was made from other tables.

    Raises StorageError where it cannot be written.
    """
    from explorer.analysts.offline.word_index import fingerprint, open_words
    from explorer.base.errors import StorageError
    from explorer.tables.parts import part_files
    from explorer.tables.sources import find_tables

    source = fingerprint(index.output)
    words = open_words(index.home, source)
    if words is None:
        files = [part for file in find_tables(index.output).values() for part in part_files(file.path)]
        size = sum(path.stat().st_size for path in files if path.is_file())
        if size > INLINE:
            run_in_process(build_for, index.output, index.home, source)
        else:
            build_for(index.output, index.home, source, index)
        words = open_words(index.home, source)
    if words is None:
        raise StorageError(f"The word index in {index.home} cannot be read back; remove the file and ask again.")
    return words


def build_for(output: Path, home: Path, source: str, index: Index | None = None) -> None:
    """Make the word index of the tables in `output`; opens them where no index is given (in a process of its own)."""
    from explorer.analysts.offline.word_index import ReportText, build_words
    from explorer.tables.index import open_index

    index = index or open_index(output)
    reports = [
        ReportText(row.community, row.level, not row.children, row.full_content, row.rank or 0.0)
        for row in index.reports
    ]
    build_words(home, source, reports, [(unit.number, unit.text) for unit in index.text_units])
