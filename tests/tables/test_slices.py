"""Columns are made into Python values in slices, by rows and by bytes."""

from __future__ import annotations

import pyarrow as pa

from explorer.tables import slices


def test_the_values_are_those_of_the_column() -> None:
    texts = [None if k % 7 == 0 else "é" * (k % 50) for k in range(10_000)]
    lists = [[str(k)] * (k % 4) if k % 9 else None for k in range(10_000)]
    for wanted in (texts, lists, [], [None]):
        half = len(wanted) // 2
        kind = pa.list_(pa.string()) if wanted is lists else pa.string()
        column = pa.chunked_array([wanted[:half], wanted[half:]], type=kind)
        assert slices.values(column) == wanted


def test_slices_are_bounded_by_rows_and_by_bytes_wherever_the_long_rows_are() -> None:
    long = "x" * 10_000
    array = pa.array([long] * 300 + ["a"] * 20_000 + [long * 100] * 3)
    cut = list(slices.slices(array))
    assert [start for start, _ in cut] == [sum(length for _, length in cut[:k]) for k in range(len(cut))]
    assert sum(length for _, length in cut) == len(array)
    for start, length in cut:
        assert length <= slices.ROWS
        held = sum(len(text) for text in array.slice(start, length).to_pylist())
        assert length == 1 or held <= slices.BYTES
    assert len(cut) < 60  # short rows are not converted one by one


def test_texts_that_repeat_are_one_object_and_a_column_that_repeats_nothing_is_not_kept_twice() -> None:
    names = pa.chunked_array([[f"name {k % 50}" for k in range(9_000)]])
    ids = pa.chunked_array([[[f"id {k % 50}"] for k in range(9_000)]])
    assert len({id(text) for text in slices.values(names)}) == 50
    assert len({id(text) for (text,) in slices.values(ids)}) == 50
    known = slices._Known()
    for start in range(0, 40_000, slices.ROWS):
        known.shared([str(k) for k in range(start, start + slices.ROWS)])
    assert not known._texts
