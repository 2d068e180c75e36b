"""The connections in words. Until language models come there is one: the offline analyst, in one of two grades."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Connection:
    """`label` for the status bar; `sentence` says what that means; `full` whether the better grade is installed."""

    label: str
    sentence: str
    full: bool


def offline_connection() -> Connection:
    """Which grade of the offline analyst this installation has."""
    from explorer.analysts.offline.tagged import model_name

    name = model_name()
    if name is not None:
        return Connection(
            "offline analyst · English grade",
            f"The offline analyst works without a language model and sends nothing anywhere. Names are found by spaCy "
            f"({name}) in English texts, and by patterns and statistics in every language.",
            True,
        )
    return Connection(
        "offline analyst · patterns grade",
        "The offline analyst works without a language model and sends nothing anywhere. Names are found by patterns "
        "and statistics, in every language. For better names in English: pip install 'graphrag-explorer[offline]'.",
        False,
    )
