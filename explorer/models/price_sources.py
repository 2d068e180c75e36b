"""Where the prices that ship come from, and when they were read."""

from __future__ import annotations

import datetime
import tomllib
from dataclasses import dataclass

from explorer.base.paths import resource


@dataclass(frozen=True)
class PriceSource:
    """`name` says where the price stood, `date` when it was read there."""

    name: str
    date: datetime.date


def price_sources() -> dict[str, PriceSource]:
    """The source of each price that ships, by model."""
    table = tomllib.loads(resource("prices.toml").read_text("utf-8"))
    sources = {key: PriceSource(value["name"], value["date"]) for key, value in table["sources"].items()}
    return {model: sources[entry["source"]] for model, entry in table["models"].items()}
