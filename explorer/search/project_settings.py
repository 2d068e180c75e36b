"""The knobs of asking that a GraphRAG project's settings.yaml decides, for the command line and the window alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from explorer.search.options import GlobalOptions
from explorer.tables.settings_taken import Taken, take_settings

if TYPE_CHECKING:
    from explorer.tables.settings import GraphragSettings

BUDGETS = ("max_context_tokens", "data_max_tokens", "map_max_length", "reduce_max_length")


def search_settings(settings: GraphragSettings, given: Collection[str] = ()) -> Taken:
    """What the settings say of a global search, without what a person has `given` as flags."""
    return take_settings(settings, GlobalOptions, BUDGETS, given)
