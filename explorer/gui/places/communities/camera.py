"""Where the canvas stands on the page: centre, scale, its limits, and the way from one place to another. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.gui.places.communities.level_of_detail import View
from explorer.gui.places.communities.scene import Scene

_MARGIN = 22.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A centre on the page and pixels per unit."""

    x: float
    y: float
    scale: float


class Camera:
    """Moves over a scene; the canvas tells its size in pixels with each question."""

    def __init__(self) -> None:
        self.spot = Spot(0.0, 0.0, 1.0)
        self._bounds = (-1.0, -1.0, 1.0, 1.0)
        self._smallest = 1.0

    def set_scene(self, scene: Scene | None) -> None:
        self._bounds = scene.bounds if scene is not None else (-1.0, -1.0, 1.0, 1.0)
        radii = [disc[2] for disc in scene.discs.values()] if scene is not None else []
        self._smallest = min(radii, default=1.0)

    def view(self, width: float, height: float) -> View:
        return View(width, height, self.spot.x, self.spot.y, self.spot.scale, self.fit_scale(width, height))

    def fit_scale(self, width: float, height: float) -> float:
        """The scale at which the whole page fits with a margin."""
        left, top, right, bottom = self._bounds
        room_x, room_y = max(width - 2 * _MARGIN, 40), max(height - 2 * _MARGIN, 40)
        return min(room_x / max(right - left, 1e-9), room_y / max(bottom - top, 1e-9))

    def whole(self, width: float, height: float) -> Spot:
        """The spot that shows the whole page."""
        left, top, right, bottom = self._bounds
        return Spot((left + right) / 2, (top + bottom) / 2, self.fit_scale(width, height))

    def on_circle(self, x: float, y: float, radius: float, width: float, height: float) -> Spot:
        """The spot that shows a circle in the middle, its radius a third of the canvas."""
        scale = min(width, height) * 0.33 / max(radius, 1e-9)
        return Spot(x, y, self.clamped(scale, width, height))

    def zoomed(self, factor: float, px: float, py: float, width: float, height: float) -> Spot:
        """The spot after zooming about a pixel, which keeps its place on the page."""
        x, y = self.view(width, height).to_page(px, py)
        scale = self.clamped(self.spot.scale * factor, width, height)
        return Spot(x - (px - width / 2) / scale, y - (py - height / 2) / scale, scale)

    def panned(self, dx: float, dy: float) -> Spot:
        return Spot(self.spot.x - dx / self.spot.scale, self.spot.y - dy / self.spot.scale, self.spot.scale)

    def clamped(self, scale: float, width: float, height: float) -> float:
        """From half the size of the whole page to the smallest community as large as the canvas."""
        fit = self.fit_scale(width, height)
        closest = max(fit * 8, 0.6 * min(width, height) / max(self._smallest, 1e-9))
        return min(max(scale, fit * 0.5), closest)


def between(start: Spot, end: Spot, part: float) -> Spot:
    """A spot on the way, `part` of 0 to 1. The centre follows the scale, so that the goal stays in sight."""
    scale = start.scale * (end.scale / start.scale) ** part
    if abs(end.scale - start.scale) < 1e-9 * end.scale:
        share = part
    else:
        share = (1 / start.scale - 1 / scale) / (1 / start.scale - 1 / end.scale)
    return Spot(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share, scale)
