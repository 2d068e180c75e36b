"""Windows of tokens: against units that GraphRAG itself made, and rules that hold for any text."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.base.errors import InputError
from explorer.base.tokens import encoding
from explorer.corpus.chunk import chunk
from explorer.corpus.identity import distinct_units
from explorer.corpus.material import Document, TextUnit


def document(text: str, pages: tuple[tuple[int, int], ...] = ()) -> Document:
    return Document(id="d", title="t", text=text, path="t.txt", creation_date="", pages=pages)


def units(text: str, size: int = 1200, overlap: int = 100) -> list[TextUnit]:
    return chunk(document(text), size=size, overlap=overlap)


def words(count: int) -> str:
    """A text of that many tokens: " a" is one token of o200k."""
    text = " a" * count
    assert len(encoding("o200k_base").encode_ordinary(text)) == count
    return text


def test_the_units_of_a_real_index_to_the_byte(shared: Path) -> None:
    output = next((shared / "indexes" / "microsoft" / "dulce-v3.0.0").rglob("text_units.parquet")).parent
    documents = pd.read_parquet(output / "documents.parquet")
    expected = pd.read_parquet(output / "text_units.parquet")
    made = [unit for text in documents["text"] for unit in units(text)]
    assert [unit.text for unit in made] == list(expected["text"])
    assert [unit.id for unit in made] == list(expected["id"])
    assert [unit.n_tokens for unit in made] == list(expected["n_tokens"])


@pytest.mark.parametrize(
    ("count", "windows"),
    [(0, []), (1, [1]), (1200, [1200]), (1201, [1200, 101]), (2300, [1200, 1200]), (2301, [1200, 1200, 101])],
)
def test_where_windows_end(count: int, windows: list[int]) -> None:
    assert [unit.n_tokens for unit in units(words(count))] == windows


@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 101), (0, 0), (100, -1)])
def test_windows_that_never_end_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(InputError):
        units("a", size, overlap)


def test_special_tokens_are_ordinary_text() -> None:
    text = "before <|endoftext|> after <|fim_prefix|>"
    assert [unit.text for unit in units(text)] == [text]


def test_pages_follow_the_start() -> None:
    text = words(300)
    made = chunk(document(text, ((0, 1), (150, 3), (400, 4))), size=100, overlap=0)
    assert [(unit.start, unit.page) for unit in made] == [(0, 1), (200, 3), (400, 4)]


def test_equal_windows_get_ids_of_their_own() -> None:
    made = distinct_units(units(words(300), 100, 0))
    assert len({unit.text for unit in made}) == 1 and len({unit.id for unit in made}) == 3
    assert made[0].id == units(words(100))[0].id


# Letters of 1 to 4 bytes, and some that the tokenizer splits inside their bytes (rare scripts, emoji with joiners).
LETTERS = st.sampled_from(list("ab \n.é雪語𓀀𒀀👩🏽\u200d🚀ꙮ\u0301﷽𝔊<|>\ud800"))
TEXTS = st.one_of(st.text(LETTERS, max_size=120), st.text(max_size=80))


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, size=st.integers(1, 12), data=st.data())
def test_windows_cover_the_text_and_cut_between_characters(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    made = units(text, size, overlap)
    reached = 0
    for unit in made:
        assert text[unit.start : unit.end] == unit.text != ""
        assert unit.start <= reached
        readable = unit.text.replace("\ud800", "\ufffd") if "\ud800" in unit.text else unit.text
        assert unit.n_tokens == len(encoding("o200k_base").encode_ordinary(readable))
        reached = max(reached, unit.end)
    assert reached == len(text)
    assert [unit.start for unit in made] == sorted(unit.start for unit in made)
    assert [unit.end for unit in made] == sorted(unit.end for unit in made)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, size=st.integers(1, 12), data=st.data())
def test_windows_are_the_tokens_windows_up_to_the_character(text: str, size: int, data: st.DataObject) -> None:
    """Beside the cut characters, a window is the decoded window of tokens, as GraphRAG would write it."""
    text = text.replace("\ud800", "")
    overlap = data.draw(st.integers(0, size - 1))
    codec = encoding("o200k_base")
    tokens = codec.encode_ordinary(text)
    made = {unit.text for unit in units(text, size, overlap)}
    for first in range(0, len(tokens), size - overlap):
        piece = codec.decode_bytes(tokens[first : first + size])
        if "\ufffd" not in piece.decode("utf-8", "replace"):
            assert piece.decode("utf-8") in made
        if first + size >= len(tokens):
            break
