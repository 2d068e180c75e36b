"""What is known of an index's vectors before any are made: missing, stale, current, or another model's."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from explorer.base.errors import ExplorerError
from explorer.base.words import share
from explorer.indexing.vector_journal import has_journal
from explorer.indexing.vector_texts import VectorTexts
from explorer.tables.index import Index
from explorer.tables.vector_columns import VECTOR_TABLES
from explorer.tables.vectors import vector_folders
from explorer.tables.vectors_file import VectorsInfo, load_vectors_info
from explorer.tables.write_vectors import read_contents

State = Literal["missing", "stale", "current", "other_model"]


class VectorState(BaseModel):
    """`state` in one word and `sentence` for people; `to_embed` texts lack a vector of this model, of `texts` in all.

    `model`, `connection` and `dimension` are those of the vectors that are there ("" and None where that is unknown).
    """

    state: State
    sentence: str
    texts: int = 0
    to_embed: int = 0
    model: str = ""
    connection: str = ""
    dimension: int | None = None


class OtherVectors(ExplorerError):
    """A question: the vectors that are there are of another model or length. Nothing was changed.

    `question` is the sentence without the flags of the command line; `there` says what is there, `wanted` is the model
    that would make them anew, `dimension` the length of its vectors where it is known.
    """

    def __init__(self, there: VectorState, wanted: str, dimension: int | None) -> None:
        length = f" ({dimension} numbers each)" if dimension else ""
        self.question = (
            f"The vectors of this index are {_whose(there)}; those of {wanted}{length} cannot stand beside them, so "
            "nothing was changed."
        )
        super().__init__(
            f"{self.question} Give --renew-vectors to make all {there.texts} again, --no-vectors to leave them."
        )
        self.there, self.wanted, self.dimension = there, wanted, dimension

    def __reduce__(self) -> tuple[type[OtherVectors], tuple[VectorState, str, int | None]]:
        return OtherVectors, (self.there, self.wanted, self.dimension)


def state_of(index: Index, texts: VectorTexts, model: str, dimension: int | None) -> VectorState:
    """The state of the vectors in the index's home against its texts and the model that would make them.

    `dimension` is the length of that model's vectors, None where it is not known yet. Opens no vector table. Raises
    OpenError where a newer program made them.
    """
    wanted = texts.contents
    info = load_vectors_info(index.home)
    folders = vector_folders(index.home / "output")
    if info is None and folders and not has_journal(index.home):
        return _state("other_model", texts, len(wanted), None)
    if info is None or set(folders) != set(VECTOR_TABLES):
        return _state("missing", texts, len(wanted), None)
    if info.model != model or dimension not in (None, info.dimension):
        return _state("other_model", texts, len(wanted), info)
    there = read_contents(index.home)
    lacking = sum(there.get(key) != digest for key, digest in wanted.items())
    return _state("current" if there == wanted else "stale", texts, lacking, info)


def _state(state: State, texts: VectorTexts, lacking: int, info: VectorsInfo | None) -> VectorState:
    total = len(texts.contents)
    result = VectorState(
        state=state,
        sentence="",
        texts=total,
        to_embed=lacking,
        model=info.model if info else "",
        connection=info.connection if info else "",
        dimension=info.dimension if info else None,
    )
    sentence = {
        "missing": "There are no vectors yet; search by likeness needs them.",
        "stale": f"The vectors are not those of the tables: {share(lacking, total, 'text')} changed or failed.",
        "current": f"The vectors are {_whose(result)}, and up to date.",
        "other_model": f"The vectors are {_whose(result)}, not this model's.",
    }[state]
    return result.model_copy(update={"sentence": sentence})


def _whose(state: VectorState) -> str:
    if not state.model:
        return "another program's"
    return f"those of {state.model} ({state.connection}, {state.dimension} numbers each)"
