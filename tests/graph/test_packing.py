"""Discs inside discs of very many levels become so small that their areas are nothing."""

from __future__ import annotations

import numpy as np

from explorer.graph.packing import pack


def test_discs_whose_areas_are_nothing_lie_as_larger_ones_do() -> None:
    small, radius = pack([1e-200, 1e-200, 5e-201])
    large, wide = pack([1.0, 1.0, 0.5])
    assert np.allclose(small * 1e200, large) and np.isclose(radius * 1e200, wide)
    assert np.isfinite(pack([1e-320, 1e-320, 1e-323])[0]).all()
    assert (pack([0.0, 0.0, 0.0])[0] == 0).all()
