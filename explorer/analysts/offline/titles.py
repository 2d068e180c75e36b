"""Titles of reports: members of highest inner degree, never the same twice in an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.analysts.offline.words import fold


class Titles:
    """The titles taken so far in one index."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, names: Sequence[str], community: int) -> str:
        """A title that no report has yet.

        `names` are the members, highest inner degree first. Where the first names are taken together already, a
        member further down tells the communities apart; where no choice of members does, the community's number.
        """
        for title in _candidates(names):
            if fold(title) not in self._taken:
                self._taken.add(fold(title))
                return title
        title = f"{listed(names[:3]) or 'No members'} (community {community})"
        self._taken.add(fold(title))
        return title


def _candidates(names: Sequence[str]) -> Iterator[str]:
    """Titles in order of preference. Each begins with the first name."""
    if not names:
        return
    yield listed(names[:3])
    for other in names[3:40]:
        yield listed([*names[:2], other])
    for at in range(2, min(len(names), 12)):
        for other in names[at + 1 : 40]:
            yield listed([names[0], names[at], other])
    if len(names) > 1:
        yield listed(names[:2])
    yield names[0]
    for count in range(4, min(len(names), 8) + 1):
        yield listed(names[:count])


def listed(names: Sequence[str]) -> str:
    """Names as English lists them: `A`, `A and B`, `A, B and C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
