"""Who would make calls of an index again, and whether that would be these calls alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from explorer.analysts.prompts import INDEX_PROMPTS, PROMPTS_NAME, Prompts
from explorer.base.errors import InputError
from explorer.indexing.model import model_signature
from explorer.indexing.options import IndexOptions
from explorer.indexing.state import fingerprint
from explorer.models.connection import OFFLINE, Connection
from explorer.models.connections import load_connections
from explorer.tables.index_file import IndexInfo


@dataclass(frozen=True)
class Again:
    """`connection` is the one that the index remembers; `sentence` says why there is none ("" where there is).

    `options` are those that made the index, where they are found and the connection and the prompts are still the
    same: a run with them makes failed calls again and nothing else. None: most calls would be others, paid anew.
    """

    connection: Connection | None = None
    options: IndexOptions | None = None
    sentence: str = ""


def who_again(index: Any, candidates: Iterable[IndexOptions] = ()) -> Again:
    """Of an index of ours, as the connections stand now.

    Parameters
    ----------
    candidates: options that may have made it, besides our defaults and what index.json remembers of them.

    Raises InputError where the file of the connections cannot be read.
    """
    if index.info is None:
        return Again(
            sentence="Which connection made this index is not known: its index.json cannot be read. Index the folder "
            "again; what is in the call store costs nothing. Nothing was begun."
        )
    name = index.info.connection
    if name == OFFLINE:
        return Again(sentence="The offline analyst made this index last: it makes no calls. Nothing was begun.")
    connection = load_connections().get(name)
    if connection is None:
        return Again(
            sentence=f"The connection {name!r} that made this index is not there any more. Set one up under that name "
            "in Connections, then make the calls again. Nothing was begun."
        )
    try:
        prompts = Prompts(index.home / PROMPTS_NAME).fingerprint(*INDEX_PROMPTS)
    except InputError as error:
        return Again(sentence=f"{error.sentence} Nothing was begun.")
    signature = model_signature(connection, prompts)
    for options in (IndexOptions(), _remembered(index.info), *candidates):
        if fingerprint(options, signature, is_model=True) == index.info.fingerprint:
            return Again(connection, options)
    return Again(connection)


def _remembered(info: IndexInfo) -> IndexOptions:
    return IndexOptions(
        chunk_size=info.chunk_size,
        chunk_overlap=info.chunk_overlap,
        seed=info.seed,
        max_cluster_size=info.leiden.max_cluster_size,
        use_lcc=info.leiden.use_lcc,
        claims="covariates" in info.counts,
    )
