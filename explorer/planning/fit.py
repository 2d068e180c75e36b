"""A number that depends on what is known of a text unit or a prompt, learnt from a few of them.

Of several features the one is taken whose line foretells each observation best from all others (leave one out:
M. Stone, Cross-validatory choice and assessment of statistical predictions, J. R. Stat. Soc. B 36, 1974), and none
where no line does better than the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

Features = Mapping[str, float]

_BETTER = 0.95  # of the mean's own error: what a line must come below
_FEW = 6  # observations below which only the mean is taken


@dataclass(frozen=True)
class Fit:
    """`base + slope × feature`, never below 0; without a feature the base alone. `error` is the standard deviation of
    what was seen about it, `seen` how many observations it was learnt from (0: it is assumed)."""

    base: float
    slope: float = 0.0
    feature: str = ""
    error: float = 0.0
    seen: int = 0

    def at(self, features: Features) -> float:
        return max(0.0, self.base + self.slope * features.get(self.feature, 0.0))


def best_fit(points: Sequence[tuple[Features, float]], names: Sequence[str]) -> Fit:
    """The fit of some observations on the best of the named features. Raises ValueError where there are none."""
    if not points:
        raise ValueError("nothing was seen that could be fitted")
    values = [value for _, value in points]
    best = Fit(sum(values) / len(values), seen=len(values))
    least = _left_out(points, "") * _BETTER
    if len(points) >= _FEW:
        for name in names:
            error = _left_out(points, name)
            if error < least:
                best, least = _line(points, name), error
    off = sum((value - best.at(features)) ** 2 for features, value in points)
    return Fit(best.base, best.slope, best.feature, sqrt(off / max(1, len(points) - 1)), len(points))


def _line(points: Sequence[tuple[Features, float]], name: str) -> Fit:
    """The least-squares line, neither falling nor below nothing where the feature is 0; flat without a feature."""
    n = len(points)
    mean_y = sum(value for _, value in points) / n
    if not name:
        return Fit(mean_y)
    xs = [features.get(name, 0.0) for features, _ in points]
    mean_x = sum(xs) / n
    spread = sum((x - mean_x) ** 2 for x in xs)
    if spread <= 1e-9 * n * (1 + mean_x * mean_x):
        return Fit(mean_y)
    slope = sum((x - mean_x) * (value - mean_y) for x, (_, value) in zip(xs, points, strict=True)) / spread
    slope = min(max(slope, 0.0), mean_y / mean_x if mean_x > 0 else 0.0)
    return Fit(mean_y - slope * mean_x, slope, name)


def _left_out(points: Sequence[tuple[Features, float]], name: str) -> float:
    """The sum of squared errors of each observation under the line of all others."""
    if len(points) < 2:
        return 0.0
    total = 0.0
    for place, (features, value) in enumerate(points):
        total += (value - _line([*points[:place], *points[place + 1 :]], name).at(features)) ** 2
    return total
