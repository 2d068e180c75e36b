"""Discs inside discs of very many levels become so small that their areas are nothing."""

from __future__ import annotations

import numpy as np

from explorer.graph.packing import pack


def test_discs_whose_areas_are_nothing_have_places_all_the_same() -> None:
    places, radius = pack([1e-200, 1e-200, 1e-200])
    assert np.isfinite(places).all() and np.isfinite(radius)
