"""What is said of an index's vectors: whether they are there, whose they are, and whether they fit the tables."""

from __future__ import annotations

from explorer.base.errors import OpenError
from explorer.base.words import agree, counted
from explorer.health.report import Defect, TableLine
from explorer.indexing.vector_texts import vector_texts
from explorer.tables.index import Index
from explorer.tables.vectors import open_vectors
from explorer.tables.vectors_file import VectorsInfo, load_vectors_info
from explorer.tables.write_vectors import read_contents

NAME = "vectors"
_AGAIN = "Index the folder again with graphrag-explorer index, or open it in the window: they are made anew."


def check_vectors(index: Index) -> tuple[TableLine, list[Defect]]:
    """The line about the vectors beside an index's tables, and what is wrong with them. Having none is no defect."""
    try:
        vectors = open_vectors(index.output)
        info = load_vectors_info(index.home) if not index.foreign else None
    except OpenError as error:
        defect = Defect(kind="vectors_unreadable", count=1, example=error.sentence, remedy=_AGAIN)
        return TableLine(name=NAME, state="unreadable", reason=error.sentence), [defect]
    if vectors is None:
        return TableLine(name=NAME, state="missing", reason="there are none (they are optional)"), []
    rows = {name: table.count for name, table in vectors.tables.items()}
    of_each = ", ".join(f"{name} {count:,}" for name, count in rows.items())
    whose = _whose(info, vectors.dimension)
    defects = _stale(index) if info is not None else []
    return TableLine(name=NAME, state="read", rows=sum(rows.values()), reason=f"{whose}: {of_each}"), defects


def _whose(info: VectorsInfo | None, dimension: int | None) -> str:
    length = f"{dimension} numbers each" if dimension else "of several lengths"
    return f"{info.model} ({info.connection}, {length})" if info is not None else f"of another program ({length})"


def _stale(index: Index) -> list[Defect]:
    wanted, there = vector_texts(index).contents, read_contents(index.home)
    lacking = [table for (table, name), digest in wanted.items() if there.get((table, name)) != digest]
    gone = [table for table, name in there if (table, name) not in wanted]
    if not lacking and not gone:
        return []
    example = (
        f"{counted(len(lacking), 'text has', 'texts have')} no vector of {agree(len(lacking), 'its', 'their')} present "
        f"wording, {counted(len(gone), 'vector is of a text', 'vectors are of texts')} that went"
    )
    return [Defect(kind="vectors_stale", count=len(lacking) + len(gone), example=example, remedy=_AGAIN)]
