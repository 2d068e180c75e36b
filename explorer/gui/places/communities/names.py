"""Hundreds of thousands of names, looked through by native code in some milliseconds. No Qt here.

Asked one by one, as Python strings, they would hold the window for a tenth of a second with every key.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from explorer.gui.places.communities.scene import Bools, Ints


class Names:
    """Names in an order, folded for case. Make it on a worker thread: it takes in every name."""

    def __init__(self, names: Iterable[str]) -> None:
        import pyarrow

        letters, ends = bytearray(), array("q", [0])
        for name in names:
            # Half of a surrogate pair has no UTF-8: it is looked for, and found, as a question mark.
            letters += name.casefold().encode("utf-8", "replace")
            ends.append(len(letters))
        # Arrow looks at these bytes where they are: an array of its own would take several times the room.
        buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(letters)]
        self._names = pyarrow.Array.from_buffers(pyarrow.large_binary(), len(ends) - 1, buffers)

    def __len__(self) -> int:
        return len(self._names)

    def beginning_with(self, text: str) -> Ints:
        """The places of the names that begin with a text, ascending; the case does not matter."""
        import pyarrow.compute as compute

        return _true(compute.starts_with(self._names, _pattern(text)))

    def holding(self, words: Sequence[str]) -> Ints:
        """The places of the names that hold each of the words somewhere, ascending; all places for no word."""
        import pyarrow.compute as compute

        places, names = np.arange(len(self._names), dtype=np.int64), self._names
        for word in sorted(words, key=len, reverse=True):  # the longest leaves fewest for the others
            held = _true(compute.match_substring(names, _pattern(word)))
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
