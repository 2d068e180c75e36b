"""The knobs of indexing that a GraphRAG project's settings.yaml decides, for the command line and the window alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from explorer.base.errors import InputError
from explorer.corpus.chunk import check_chunking
from explorer.indexing.options import IndexOptions
from explorer.tables.settings import GraphragSettings
from explorer.tables.settings_taken import Taken, take_settings

_CHUNKING = ("chunk_size", "chunk_overlap")


def index_settings(settings: GraphragSettings, given: Mapping[str, Any] | None = None) -> Taken:
    """What the settings say of indexing, without what a person has `given` as flags.

    A size of text units that cannot go with their overlap is left out with it, and said; so is a value that an option
    does not allow.
    """
    given = given or {}
    taken = take_settings(settings, IndexOptions, IndexOptions.model_fields, given)
    chunking = {name: value for name in _CHUNKING if (value := taken.values.get(name)) is not None}
    if not chunking:
        return taken
    usual = IndexOptions()
    size, overlap = (given.get(name, chunking.get(name, getattr(usual, name))) for name in _CHUNKING)
    try:
        check_chunking(size, overlap)
    except InputError as error:
        words = " and ".join(f"{name} {value}" for name, value in chunking.items())
        kept = {name: value for name, value in taken.values.items() if name not in _CHUNKING}
        sentence = f"{words} in {settings.path.name} cannot be used and was left out: {error.sentence}"
        return replace(taken, values=kept, left_out=(*taken.left_out, sentence))
    return taken


def options_with(taken: Taken | None, given: Mapping[str, Any] | None = None) -> IndexOptions:
    """The options: what was given, then what was taken, then the defaults. Raises ValidationError for what is given."""
    return IndexOptions.model_validate({**(taken.values if taken is not None else {}), **(given or {})})
