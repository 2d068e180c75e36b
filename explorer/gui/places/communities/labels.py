"""Labels that never overlap: the most important first, each where its rectangle is free. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Measure = Callable[[str, bool], float]
"""The width of a text in pixels, in the bold face or the ordinary one."""

_CELL = 96.0


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """A label that would like to stand in one of its `options` (lines and where), tried in order."""

    options: tuple[tuple[tuple[str, ...], Box], ...]
    bold: bool
    kind: str  # "community" or "entity"
    key: int  # community number, or row of the entity
    alpha: float = 1.0


@dataclass(frozen=True, slots=True)
class Label:
    lines: tuple[str, ...]
    box: Box
    bold: bool
    kind: str
    key: int
    alpha: float = 1.0


class Placer:
    """Takes boxes one after another and refuses those that come nearer than `air` pixels to one taken before."""

    def __init__(self, taken: Iterable[Box] = (), air: float = 0.0) -> None:
        self._air = air
        self._cells: dict[tuple[int, int], list[Box]] = {}
        for box in taken:
            self._add(box)

    def take(self, boxes: Iterable[Box]) -> int | None:
        """The place of the first box that is free, which is then taken; None where none is."""
        for place, box in enumerate(boxes):
            wide = Box(box.x - self._air, box.y - self._air / 2, box.width + 2 * self._air, box.height + self._air)
            if not any(wide.overlaps(other) for cell in self._touched(wide) for other in self._cells.get(cell, ())):
                self._add(box)
                return place
        return None

    def _touched(self, box: Box) -> list[tuple[int, int]]:
        left, right = int(box.x // _CELL), int((box.x + box.width) // _CELL)
        top, bottom = int(box.y // _CELL), int((box.y + box.height) // _CELL)
        return [(column, row) for column in range(left, right + 1) for row in range(top, bottom + 1)]

    def _add(self, box: Box) -> None:
        for cell in self._touched(box):
            self._cells.setdefault(cell, []).append(box)


def place_labels(wanted: Iterable[Wanted], taken: Iterable[Box] = (), most: int = 200) -> list[Label]:
    """Place labels in the order given (most important first), at most `most`, none over another or over `taken`."""
    placer, placed = Placer(taken, air=3.0), []
    for want in wanted:
        if len(placed) >= most:
            break
        place = placer.take(box for _, box in want.options)
        if place is not None:
            lines, box = want.options[place]
            placed.append(Label(lines, box, want.bold, want.kind, want.key, want.alpha))
    return placed


def wrap(text: str, widths: Callable[[int, int], float], most: int, measure: Measure, bold: bool) -> tuple[str, ...]:
    """Break a text into at most `most` lines; `widths(line, lines)` is the room of a line when there are `lines`.

    The last line ends with an ellipsis where words are left over; () where not even a whole word fits.
    """
    # A long word may be parted behind its hyphens; such a piece is put to the one before it without a space.
    words = [piece for word in text.split() for piece in _pieces(word)]
    best: tuple[str, ...] = ()
    for count in range(1, most + 1):
        lines: list[str] = []
        rest = list(words)
        for number in range(count):
            room, line = widths(number, count), ""
            while rest and measure(_joined(line, rest[0]), bold) <= room:
                line = _joined(line, rest.pop(0))
            lines.append(line)
            if not line:
                break
        if all(lines) and not rest:
            return tuple(lines)
        if all(lines):
            room, cut = widths(count - 1, count), f"{lines[-1]}…"
            best = (*lines[:-1], cut if measure(cut, bold) <= room else shorten(lines[-1] + "…", room, measure, bold))
    return best


def _pieces(word: str) -> list[str]:
    parts = word.split("-")
    if len(parts) == 1 or not all(parts):
        return [word]
    return [f"{part}-" for part in parts[:-1]] + [parts[-1]]


def _joined(line: str, piece: str) -> str:
    return line + piece if line.endswith("-") else f"{line} {piece}".strip()


def shorten(text: str, room: float, measure: Measure, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits with an ellipsis; "" where nothing does."""
    if measure(text, bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle].rstrip() + "…", bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…" if low else ""
