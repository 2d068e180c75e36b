"""The picture under the page is painted once while nothing of it changes."""

from __future__ import annotations

from typing import Any

from explorer.gui.places.communities.ground import Ground


def test_a_frame_that_stays_is_painted_once_and_one_put_together_is_painted_anew(qapp: Any) -> None:
    painted: list[tuple[float, float]] = []
    ground = Ground()

    def show(make: Any, key: str, x: float) -> None:
        make(key, (x, 0.0), (200, 100), 1.0, lambda painter, area: painted.append((area.x, area.width)))

    show(ground.whole, "a", 0)
    show(ground.whole, "a", 0)
    assert len(painted) == 1
    show(ground.whole, "a", 10)  # at another place
    show(ground.whole, "b", 10)  # another level
    assert len(painted) == 3
    show(ground.shifted, "b", 20)
    assert len(painted) == 4 and painted[-1][1] < 20  # a strip
    show(ground.whole, "b", 20)
    assert len(painted) == 5 and painted[-1][1] > 200
