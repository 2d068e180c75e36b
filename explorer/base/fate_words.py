"""The fates as a person reads them, in the window and in a terminal; files and `--json` keep the names themselves."""

from __future__ import annotations

from collections.abc import Mapping

FATE_WORDS: Mapping[str, str] = {
    "read": "read",
    "batch_lost": "lost with their batch",
    "not_at_level": "not at this level",
    "below_threshold": "below the threshold",
    "not_visited": "not visited",
    "superseded_by_child": "superseded by a child",
    "no_report": "without a report",
    "duplicate": "doubled",
    "below_min_rank": "below the lowest rank",
    "relevant": "relevant",
    "nothing_relevant": "nothing relevant",
    "malformed": "malformed",
    "failed": "failed",
    "cancelled": "cancelled",
    "kept": "kept",
    "zero_score": "score zero",
    "cut_by_budget": "cut by the budget",
    "would_have_fitted": "cut, would have fitted",
    "ok": "ok",
    "cached": "from the store",
    "repaired": "repaired",
}


def fate_words(fate: str) -> str:
    """The words for a fate; a name without words stands as it is."""
    return FATE_WORDS.get(fate, fate)
