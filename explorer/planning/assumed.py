"""Habits that a model may have, before anything is known of the one that will be asked.

Names and links a text unit, and the tokens of what is said of each, were measured on the indexes that GraphRAG's own
repository and two others publish, made by four models: 7 to 19 names, 6 to 26 links and 15 to 36 tokens in units of
1,200, reports of 760 to 1,140. The tersest and the most talkative habit lie as far again beyond these.
"""

from __future__ import annotations

from dataclasses import replace

from explorer.planning.fit import Features, Fit
from explorer.planning.habit import Habit

TERSE = Habit(
    Fit(0.5, 0.0035, "tokens"), Fit(0.3, 0.003, "tokens"), entity_tokens=10, pair_tokens=8, joined_tokens=Fit(30),
    report_tokens=Fit(300),
)  # fmt: skip
USUAL = Habit(Fit(3.0, 0.008, "tokens"), Fit(2.0, 0.009, "tokens"))
TALKATIVE = Habit(
    Fit(8.0, 0.014, "tokens"), Fit(7.0, 0.018, "tokens"), order="spread", entity_tokens=50, pair_tokens=40,
    joined_tokens=Fit(300), report_tokens=Fit(1400),
)  # fmt: skip


def assumed_habits() -> list[Habit]:
    """The tersest, the usual and the most talkative one, and those that repeat names as little or as much as may be."""
    apart = replace(TALKATIVE, order="place", own=0.8, pair_order="sentence")  # names that hardly ever come again
    again = replace(TALKATIVE, supplies=("written",))  # every word with a capital, the commonest first
    return [TERSE, USUAL, TALKATIVE, apart, again, replace(TERSE, own=0.6)]


def reply_length(stage: str, habit: Habit, features: Features) -> float:
    """Tokens of a reply about one text unit: its rows, each with its names and its description, and their frame."""
    names, pairs = habit.entities.at(features), habit.pairs.at(features)
    if stage == "claims":
        return 6 + names * 0.5 * (40 + 2 * habit.entity_tokens)
    whole = names * (18 + habit.entity_tokens) + pairs * (28 + habit.pair_tokens)
    share = habit.gleaned if stage == "glean" else 1 - habit.gleaned
    return 10 + whole * share
