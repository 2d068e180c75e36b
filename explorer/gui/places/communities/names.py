"""Hundreds of thousands of names, looked through by native code in some milliseconds. No Qt here.

Asked one by one, as Python strings, they would hold the window for a tenth of a second with every key.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from explorer.gui.places.communities.scene import Bools, Ints

_TRIES = 2_000
_PIECE = 20_000  # names that are looked through before one asks whether enough were found


class Names:
    """Names in an order, folded for case. Make it on a worker thread: it takes in every name."""

    def __init__(self, names: Iterable[str]) -> None:
        import pyarrow
        import pyarrow.compute  # here, off the GUI thread: it takes a while when it is first wanted

        letters, ends = bytearray(), array("q", [0])
        for name in names:
            # Half of a surrogate pair has no UTF-8: it is looked for, and found, as a question mark.
            letters += name.casefold().encode("utf-8", "replace")
            ends.append(len(letters))
        self._letters, self._ends = bytes(letters), ends
        # Arrow looks at these bytes where they are: an array of its own would take several times the room.
        buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(self._letters)]
        self._names = pyarrow.Array.from_buffers(pyarrow.large_binary(), len(ends) - 1, buffers)
        self._held(pyarrow.array([b"a", b"b"], type=pyarrow.large_binary()), ["a"])  # what is made at the first look

    def __len__(self) -> int:
        return len(self._names)

    def beginning_with(self, text: str) -> Ints:
        """The places of the names that begin with a text, ascending; the case does not matter."""
        import pyarrow.compute as compute

        return _true(compute.starts_with(self._names, _pattern(text)))

    def holding(self, words: Sequence[str], most: int | None = None) -> Ints:
        """The places of the names that hold each of the words somewhere, ascending, at most `most` of them; those of
        all names for no word."""
        longest_first = sorted({word.casefold() for word in words}, key=lambda word: (-len(word), word))
        places: list[int] = []
        first = 0
        if most is not None and longest_first:
            places, first = self._first_holding([_pattern(word) for word in longest_first], most)
        found, count = [np.array(places, dtype=np.int64)], len(places)
        for start in range(first, len(self._names), _PIECE):
            if most is not None and count >= most:
                break
            found.append(start + self._held(self._names.slice(start, _PIECE), longest_first))
            count += len(found[-1])
        return np.concatenate(found)[:most]

    def _first_holding(self, words: Sequence[bytes], most: int) -> tuple[list[int], int]:
        """The first places, found by looking for the longest word in all letters at once, which is fast where it is
        rare; and the place from which the others have to be looked for where it is common."""
        letters, ends, at = self._letters, self._ends, 0
        found: list[int] = []
        for _ in range(_TRIES):
            at = letters.find(words[0], at)
            if at < 0 or len(found) == most:
                return found, len(self._names)
            place = bisect_right(ends, at) - 1
            name = letters[ends[place] : ends[place + 1]]
            if words[0] not in name:  # from the end of one name to the beginning of the next
                at += 1
                continue
            if all(word in name for word in words):
                found.append(place)
            at = ends[place + 1]
        return found, bisect_right(ends, at) - 1

    @staticmethod
    def _held(names: Any, words: Sequence[str]) -> Ints:
        import pyarrow.compute as compute

        places = np.arange(len(names), dtype=np.int64)
        for word in words:  # the first leaves fewest for the others
            held = _true(compute.match_substring(names, _pattern(word)))
            if len(held) < len(places):
                places, names = places[held], names.take(held)
        return places

    def mask(self, words: Sequence[str]) -> Bools:
        """Whether each name holds all of the words."""
        mask = np.zeros(len(self._names), dtype=np.bool_)
        mask[self.holding(words)] = True
        return mask


def _pattern(text: str) -> bytes:
    return text.casefold().encode("utf-8", "replace")


def _true(mask: Any) -> Ints:
    """The places where an Arrow array of truths is true."""
    import pyarrow.compute as compute

    return np.asarray(compute.indices_nonzero(mask).to_numpy(), dtype=np.int64)
