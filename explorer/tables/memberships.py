"""Which entity is in which community and in which text units, as arrays: what weights and the roll-up ask for.

Read from the columns of the tables, or made from their rows where these are in memory already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from explorer.tables.rows import DEEPEST, ROOT

if TYPE_CHECKING:
    import pyarrow as pa

    from explorer.tables.index import Index

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Memberships:
    """`number` and `level` by place of a community; `place` and `entity` of each membership, in the order of the table.

    Entities below `known` are rows of the table of entities; the others are ids that no entity has. `unit` are the
    text units of the known entities, one after the other, those of an entity from `unit_start[entity]` to the next.
    """

    number: Ints
    level: Ints
    place: Ints
    entity: Ints
    known: int
    unit_start: Ints
    unit: Ints

    def units_of(self, wanted: Collection[int], level: int | None) -> dict[int, int] | None:
        """How many text units the entities of each wanted community at or below a level stand in.

        None where no entity of the table is in any community at or below it. Communities without one are left out.
        """
        inside = np.zeros(len(self.number), dtype=np.bool_)
        inside[self.place[self.entity < self.known]] = True
        if level is not None:
            inside &= self.level <= level
        if not inside.any():
            return None
        asked = inside & np.isin(self.number, np.fromiter(wanted, np.int64, len(wanted)))
        found = np.flatnonzero(asked & (self.unit_counts > 0))
        return dict(zip(self.number[found].tolist(), self.unit_counts[found].tolist(), strict=True))

    @cached_property
    def unit_counts(self) -> Ints:
        """In how many text units the entities of each community stand, by place of the community."""
        here = self.entity < self.known
        place, entity = self.place[here], self.entity[here]
        length = self.unit_start[entity + 1] - self.unit_start[entity]
        first = np.repeat(self.unit_start[entity] - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
        unit = self.unit[np.arange(len(first)) + first]
        width = int(self.unit.max(initial=0)) + 1
        pairs = np.repeat(place, length) * width + unit
        narrow = len(self.number) * width < 2**31  # half the width sorts twice as fast
        pairs = np.sort(pairs.astype(np.int32)).astype(np.int64) if narrow else np.sort(pairs)
        pairs = pairs[np.diff(pairs, prepend=-1) != 0]
        return np.bincount(pairs // width, minlength=len(self.number)).astype(np.int64)

    def deepest(self, level: int | None) -> tuple[set[int], int]:
        """The communities that are some entity's deepest at or below a level (of two at one depth, the one of higher
        number), and how many entities of the table are in none."""
        order = np.lexsort((self.number, self.level))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        here = np.ones(len(self.place), dtype=np.bool_) if level is None else self.level[self.place] <= level
        most = max(self.known, int(self.entity.max(initial=-1)) + 1)
        best = np.full(most, -1, dtype=np.int64)
        np.maximum.at(best, self.entity[here], rank[self.place[here]])
        found = np.unique(best[best >= 0])
        return set(self.number[order[found]].tolist()), int((best[: self.known] < 0).sum())


def read_memberships(index: Index) -> Memberships | None:
    """The memberships from the columns of the tables; None where they are not plain: numbers or ids that are missing,
    doubled, or of another type than today's tables have."""
    entities = index.arrow("entities", ("id", "text_unit_ids"))
    communities = index.arrow("communities", ("community", "level", "entity_ids"))
    if entities is None or communities is None:
        return None
    import pyarrow as pa

    ids = _column(entities, "id", pa.string())
    number, level = (_column(communities, name, pa.int64()) for name in ("community", "level"))
    members, units = _lists(communities, "entity_ids"), _lists(entities, "text_unit_ids")
    if ids is None or number is None or level is None or members is None or units is None:
        return None
    coded = _numbers(pa.concat_arrays([ids, members[1]]).dictionary_encode().indices)
    known = len(ids)
    if not np.array_equal(coded[:known], np.arange(known)) or len(set(number.to_pylist()) - {ROOT}) < len(number):
        return None
    if not np.diff(_numbers_at(ids.buffers()[1], "int32", ids.offset, known + 1)).all():
        return None  # an empty id is replaced by the number of its row
    if not all(0 <= depth <= DEEPEST for depth in level.to_pylist()):
        return None  # levels that are derived
    return Memberships(
        _numbers(number),
        _numbers(level),
        np.repeat(np.arange(len(number)), np.diff(members[0])),
        coded[known:],
        known,
        units[0],
        _numbers(units[1].dictionary_encode().indices),
    )


def memberships_of_rows(index: Any) -> Memberships | None:
    """The same from rows; None where two entities or two communities bear one id."""
    codes = {row.id: code for code, row in enumerate(index.entities)}
    known = len(codes)
    if known < len(index.entities) or len({row.community for row in index.communities}) < len(index.communities):
        return None
    units: dict[str, int] = {}
    for row in index.communities:
        for entity in row.entity_ids:
            codes.setdefault(entity, len(codes))
    return Memberships(
        _array(row.community for row in index.communities),
        _array(row.level for row in index.communities),
        np.repeat(np.arange(len(index.communities)), [len(row.entity_ids) for row in index.communities]),
        _array(codes[entity] for row in index.communities for entity in row.entity_ids),
        known,
        np.concatenate([[0], np.cumsum([len(row.text_unit_ids) for row in index.entities], dtype=np.int64)]),
        _array(units.setdefault(unit, len(units)) for row in index.entities for unit in row.text_unit_ids),
    )


def _array(numbers: Iterable[int]) -> Ints:
    return np.array(list(numbers), dtype=np.int64)


def _numbers(array: pa.Array) -> Ints:
    """Whole numbers without nulls. (`to_numpy` would import pandas, 0.2 s.)"""
    return _numbers_at(array.buffers()[1], str(array.type), array.offset, len(array))


def _numbers_at(buffer: pa.Buffer | None, kind: str, offset: int, count: int) -> Ints:
    if buffer is None or buffer.size == 0 or not count:
        return np.zeros(0, dtype=np.int64)
    width = np.dtype(kind).itemsize
    return np.frombuffer(buffer, dtype=kind, count=count, offset=offset * width).astype(np.int64)


def _column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Array | None:
    """A column as one array; None where it is missing, has nulls or is of another type."""
    if name not in table.column_names or table[name].type != kind or table[name].null_count:
        return None
    return _whole(table[name])


def _lists(table: pa.Table, name: str) -> tuple[Ints, pa.Array] | None:
    """Where the list of each row begins, and the items of all; None where they are no lists of texts, or have nulls."""
    import pyarrow as pa

    if name not in table.column_names or table[name].null_count:
        return None
    array = _whole(table[name])
    if not pa.types.is_list(array.type) or not pa.types.is_string(array.type.value_type):
        return None
    starts = _numbers(array.offsets)
    items = array.values.slice(int(starts[0]), int(starts[-1] - starts[0])) if len(starts) else array.values
    if items.null_count:
        return None
    return starts - starts[0], items


def _whole(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], type=column.type)
