"""What is drawn at one place and scale of the page: discs far out, their members close in, and what is left out.

Everything here is counted from what it returns, so that the line under the graph cannot say anything else than what
is on the screen. No Qt here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.gui.places.communities.grouping import Grouping, Links
from explorer.gui.places.communities.scene import Bools, Floats, Ints

MOST_DOTS = 10_000  # with more a raster falls under 30 frames a second
MOST_LINES = 30_000
MOST_LINKS = 300

# A disc opens while its radius grows from the first to the second of these, in pixels …
OPEN_RADIUS = (36.0, 60.0)
# … but never on the page as a whole: how much closer than the whole page one must be.
OPEN_ZOOM = (1.12, 1.32)
_SMALLEST_DOT, _BIGGEST_DOT = 1.8, 26.0


@dataclass(frozen=True, slots=True)
class View:
    """A window on the page: its size in pixels, the point of the page at its middle, pixels per unit, and the scale
    at which the whole page fits."""

    width: float
    height: float
    x: float
    y: float
    scale: float
    fit: float

    def to_screen(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        return (x - self.x) * self.scale + self.width / 2, (y - self.y) * self.scale + self.height / 2

    def to_page(self, px: float, py: float) -> tuple[float, float]:
        return (px - self.width / 2) / self.scale + self.x, (py - self.height / 2) / self.scale + self.y


@dataclass(frozen=True, slots=True)
class DrawnDisc:
    """One disc on the screen, in pixels. `open` is 0 (closed) to 1 (its members are drawn in full)."""

    community: int
    level: int
    carried: bool
    x: float
    y: float
    r: float
    open: float
    place: int


@dataclass(frozen=True)
class Drawn:
    """All that one frame shows. `places` are those of the discs in `grouping.numbers`, biggest first, `disc_x`,
    `disc_y`, `disc_r` and `disc_open` theirs; dots and lines are rows of entities and relationships of the scene."""

    grouping: Grouping
    places: Ints
    disc_x: Floats
    disc_y: Floats
    disc_r: Floats
    disc_open: Floats
    dots: Ints
    dot_x: Floats
    dot_y: Floats
    dot_r: Floats
    dot_alpha: Floats
    lines: Ints
    links: Links
    heaviest: float  # the weight of the heaviest link of the page: the thickest pen
    links_left_out: int  # links and lines in view beyond what is drawn at once: the lightest
    dots_left_out: int
    relationships_drawn: int  # inside open discs as lines, and between discs in their links

    def disc(self, k: int) -> DrawnDisc:
        """The k-th disc of the frame."""
        grouping, place = self.grouping, int(self.places[k])
        number = int(grouping.numbers[place])
        return DrawnDisc(
            number, grouping.scene.hierarchy.nodes[number].level, bool(grouping.carried[place]),
            float(self.disc_x[k]), float(self.disc_y[k]), float(self.disc_r[k]), float(self.disc_open[k]), place,
        )  # fmt: skip

    @cached_property
    def discs(self) -> list[DrawnDisc]:
        """All discs, one by one; made when they are first asked for."""
        return [self.disc(k) for k in range(len(self.places))]

    def find(self, community: int | None) -> DrawnDisc | None:
        """The disc of a community, or None where it is not in the frame."""
        place = self.grouping.place.get(community, -1) if community is not None else -1
        found = np.flatnonzero(self.places == place)
        return self.disc(int(found[0])) if len(found) else None


def dot_unit(grouping: Grouping) -> float:
    """The radius, in units of the page, of a dot of degree 1: the same for the whole page, so that areas compare.

    In the community in the middle (by room per member) a member of ordinary degree takes a fifth of its room.
    """
    scene = grouping.scene
    counts = np.diff(grouping._starts)
    filled = counts > 0
    if not filled.any():
        return 1.0
    room = grouping.r[filled] / np.sqrt(counts[filled])
    ordinary = float(np.sqrt(np.median(np.maximum(scene.degree[grouping._rows], 1))))
    return float(np.median(room)) * 0.24 / ordinary


def what_is_drawn(grouping: Grouping, view: View, unit: float, allowed: Bools | None = None) -> Drawn:
    """The discs, dots, lines and links of a view. `allowed` (by entity) is what the filters let through."""
    x, y = view.to_screen(grouping.x, grouping.y)
    r = grouping.r * view.scale
    seen = (x + r > 0) & (x - r < view.width) & (y + r > 0) & (y - r < view.height)
    opening = _ramp(r, *OPEN_RADIUS) * _ramp(np.float64(view.scale / view.fit), *OPEN_ZOOM)
    open_places = np.flatnonzero(seen & (opening > 0))
    shown = np.flatnonzero(seen)
    dots, dot_x, dot_y, left_out = _dots(grouping, view, open_places, allowed)
    home = grouping.home[dots]
    dot_r = np.clip(
        unit * view.scale * np.sqrt(np.maximum(grouping.scene.degree[dots], 1)), _SMALLEST_DOT, _BIGGEST_DOT
    )
    if len(dots):
        # No dot crosses the rim of its community.
        inside = r[home] - np.hypot(dot_x - x[home], dot_y - y[home]) - 1.0
        dot_r = np.minimum(dot_r, np.maximum(inside, 0.8))
    lines, lines_cut = _lines(grouping, open_places, dots, allowed)
    known = grouping.links(allowed)
    links, drawn_in_links, links_cut = _links(grouping, known, x, y, view)
    return Drawn(
        grouping, shown, x[shown], y[shown], r[shown], opening[shown],
        dots, dot_x, dot_y, dot_r, opening[home] if len(dots) else np.zeros(0), lines, links,
        float(known.weight[0]) if len(known.a) else 0.0, lines_cut + links_cut, left_out, len(lines) + drawn_in_links,
    )  # fmt: skip


def _ramp(value: Floats | np.float64, low: float, high: float) -> Floats:
    return np.clip((np.asarray(value) - low) / (high - low), 0.0, 1.0)


def _dots(grouping: Grouping, view: View, places: Ints, allowed: Bools | None) -> tuple[Ints, Floats, Floats, int]:
    scene = grouping.scene
    rows = grouping.members_of(places)
    if allowed is not None:
        rows = rows[allowed[rows]]
    x, y = view.to_screen(scene.x[rows], scene.y[rows])
    here = (
        (x > -_BIGGEST_DOT) & (x < view.width + _BIGGEST_DOT) & (y > -_BIGGEST_DOT) & (y < view.height + _BIGGEST_DOT)
    )
    rows, x, y = rows[here], x[here], y[here]
    # Small ones first, so that the hubs lie on top; the cut takes the smallest.
    order = np.lexsort((-rows, scene.degree[rows]))
    cut = max(0, len(rows) - MOST_DOTS)
    order = order[cut:]
    return rows[order], x[order], y[order], cut


def _lines(grouping: Grouping, places: Ints, dots: Ints, allowed: Bools | None) -> tuple[Ints, int]:
    scene = grouping.scene
    lines = grouping.inner_of(places)
    if not len(lines):
        return lines, 0
    a, b = scene.source[lines], scene.target[lines]
    drawn = np.zeros(len(scene.ids), dtype=np.bool_)
    drawn[dots] = True
    # A line stays while one of its ends is on the screen.
    keep = (drawn[a] | drawn[b]) & ~(np.isnan(scene.x[a]) | np.isnan(scene.x[b]))
    if allowed is not None:
        keep &= allowed[a] & allowed[b]
    lines = lines[keep]
    cut = max(0, len(lines) - MOST_LINES)
    if cut:
        heaviest = np.argpartition(-scene.weight[lines], MOST_LINES)[:MOST_LINES]
        lines = lines[np.sort(heaviest)]
    return lines, cut


def _links(grouping: Grouping, links: Links, x: Floats, y: Floats, view: View) -> tuple[Links, int, int]:
    ax, ay, bx, by = x[links.a], y[links.a], x[links.b], y[links.b]
    seen = (
        (np.maximum(ax, bx) > 0) & (np.minimum(ax, bx) < view.width)
        & (np.maximum(ay, by) > 0) & (np.minimum(ay, by) < view.height)
    )  # fmt: skip
    in_view = np.flatnonzero(seen)
    kept = in_view[:MOST_LINKS]
    drawn = Links(links.a[kept], links.b[kept], links.weight[kept], links.count[kept])
    return drawn, int(drawn.count.sum()), len(in_view) - len(kept)
