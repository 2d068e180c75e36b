"""What colour means on the page: the community, the type or the degree; and the words of its legend."""

from __future__ import annotations

from collections import Counter

import numpy as np
from PySide6.QtGui import QColor

from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.scene import Bools, Ints
from explorer.gui.theme import COMMUNITY_COLOURS, HUES, Theme

MODES = ("community", "type", "degree")
_TYPES = 8  # the most frequent types have a colour of their own
# Degrees from few to many: an ordered scale, dark to light, that stays one for colour-blind eyes.
_SCALE = ("#443a83", "#31688e", "#21908c", "#35b779", "#b5c92f")
_STEPS = (1, 3, 6, 12)  # upper ends, inclusive; above the last is the fifth colour


class Colouring:
    """Colours of one page: of discs by place, of dots by key, of lines by rank, and the legend's rows."""

    def __init__(self, theme: Theme, grouping: Grouping, mode: str = "community", allowed: Bools | None = None) -> None:
        self._theme, self._grouping, self.mode = theme, grouping, mode
        scene = grouping.scene
        if mode == "type":
            self._names, self._named, self._key = _type_keys(scene.types)
        elif mode == "degree":
            self._key = np.searchsorted(np.array(_STEPS), scene.degree, side="left").astype(np.int64)
        else:
            home = grouping.home
            self._key = np.where(home >= 0, grouping.rank[home] if len(grouping) else -1, -1)
        self.disc_keys = self._keys_of_discs()
        self._faint = np.zeros(len(grouping), dtype=np.bool_)
        if allowed is not None:
            self._faint = grouping.highest(allowed.astype(np.int64), 0) == 0

    def disc(self, place: int) -> QColor:
        """The colour of a disc: its community's, or that of most of its members, or of the highest degree in it."""
        return self.dot(int(self.disc_keys[place]))

    def faint(self, place: int) -> bool:
        """Whether the filters let none of its members through."""
        return bool(self._faint[place])

    def dot_keys(self, rows: Ints) -> Ints:
        return self._of_one_colour(self._key[rows])

    def tiny_keys(self, places: Ints) -> Ints:
        """The keys of discs, for drawing those of one colour at once."""
        return self._of_one_colour(self.disc_keys[places])

    def _of_one_colour(self, keys: Ints) -> Ints:
        """One key a colour: hundreds of communities share some dozens."""
        return np.where(keys < 0, keys, keys % COMMUNITY_COLOURS) if self.mode == "community" else keys

    def dot(self, key: int) -> QColor:
        if self.mode == "community":
            return self._theme.community_colour(key)
        if self.mode == "degree":
            return QColor(_SCALE[key])
        return QColor(HUES[key]) if key < _TYPES else self._theme.colour("muted")

    def line(self, rank: int) -> QColor:
        return self._theme.community_colour(rank) if self.mode == "community" else self._theme.colour("edge")

    def legend(self) -> list[tuple[QColor, str]]:
        """Colours and their words; empty where the colour names nothing beyond the discs' own labels."""
        if self.mode == "type":
            return [(self.dot(key if key < self._named else _TYPES), name) for key, name in enumerate(self._names)]
        if self.mode == "degree":
            words = ["degree 0–1", "2–3", "4–6", "7–12", "13 and more"]
            return [(self.dot(key), word) for key, word in enumerate(words)]
        return []

    def caption(self) -> str:
        """What the legend says about the discs."""
        return {
            "type": "a disc: the type of most of its members",
            "degree": "a disc: the highest degree in it",
        }.get(self.mode, "")

    def _keys_of_discs(self) -> Ints:
        grouping = self._grouping
        if self.mode == "community":
            return grouping.rank
        return grouping.commonest(self._key) if self.mode == "type" else grouping.highest(self._key, 0)


def _type_keys(types: tuple[str, ...]) -> tuple[list[str], int, Ints]:
    """The legend's names, how many of them are types of their own (the most frequent, ties by name), and the keys."""
    counts = Counter(types)
    named = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
    key = {name: place for place, name in enumerate(named[:_TYPES])}
    names = [f"{name.lower()} ({counts[name]:,})" for name in named[:_TYPES]]
    rest = len(named) - len(names)
    untyped = counts.get("", 0)
    if rest or untyped:
        words = [f"{rest} more types" if rest > 1 else "1 more type"] if rest else []
        names.append(" · ".join([*words, *([f"no type ({untyped:,})"] if untyped else [])]))
    return names, len(key), np.array([key.get(name, _TYPES) for name in types], dtype=np.int64)
