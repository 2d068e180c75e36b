"""How much of a question a text must hold before it counts as an answer."""

from __future__ import annotations

from explorer.analysts.offline.relevance import LEAST, weigh
from explorer.analysts.offline.terms import stem


def test_the_verb_of_a_question_may_stand_in_no_text_where_a_thing_may_not() -> None:
    known = {stem("fishing"): 12, stem("cooperative"): 18}
    verb = weigh("What threatens the fishing cooperative?", known, 27)
    thing = weigh("Which dragon has the fishing cooperative?", known, 27)
    text = "The fishing cooperative owes the bank."
    assert verb.coverage(text) > LEAST > thing.coverage(text)


def test_a_name_behind_who_is_no_verb() -> None:
    known = {stem("harbour"): 20}
    assert weigh("Who Ahab met in the harbour?", known, 27).coverage("The harbour is shut.") < LEAST
