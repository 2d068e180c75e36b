"""Every price that ships says where it stood and when it was read."""

from __future__ import annotations

import datetime

from explorer.models.price_sources import price_sources
from explorer.models.prices import shipped_prices


def test_every_shipped_price_has_a_source_and_a_date() -> None:
    sources = price_sources()
    assert set(sources) == set(shipped_prices())
    for source in sources.values():
        assert "." in source.name and datetime.date(2025, 1, 1) < source.date
