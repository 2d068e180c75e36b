"""Merging: worked by hand after GraphRAG's rules, with the differences that the module names."""

from __future__ import annotations

import random
from collections import Counter

from explorer.analysts.judgements import CallCount
from explorer.analysts.model.extract import UnitReading
from explorer.analysts.model.merge_graph import merge_graph
from explorer.analysts.model.read_claims import FoundClaim
from explorer.analysts.model.read_extraction import Found, FoundEntity, FoundRelationship


def reading(unit: str, *found: FoundEntity | FoundRelationship, claims: tuple[FoundClaim, ...] = ()) -> UnitReading:
    return UnitReading(
        unit,
        Found(
            tuple(item for item in found if isinstance(item, FoundEntity)),
            tuple(item for item in found if isinstance(item, FoundRelationship)),
        ),
        claims,
        "",
        Counter(),
        CallCount(),
    )


def claim(subject: str, description: str) -> FoundClaim:
    return FoundClaim(subject, "", "FACT", "TRUE", description, "", "", "")


READINGS = [
    reading(
        "u0",
        FoundEntity("A", "PERSON", "One."),
        FoundEntity("A", "ROLE", "Two."),
        FoundEntity("B", "PLACE", ""),
        FoundRelationship("B", "A", "Links.", 2.0),
        FoundRelationship("A", "A", "Alone.", 2.0),
        FoundRelationship("A", "NOBODY", "Lost.", 2.0),
        claims=(claim("A", "first"), claim("A", "second")),
    ),
    reading(
        "u1",
        FoundEntity("A", "PERSON", "One."),
        FoundEntity("B", "AREA", "Bee."),
        FoundRelationship("A", "B", "Links.", 0.1),
        FoundRelationship("B", "A", "Again.", 0.2),
        claims=(claim("SOMEBODY", "third"),),
    ),
    reading("u2", FoundEntity("A", "", "Three.")),
]


def test_one_entity_a_title_and_the_type_that_most_units_give() -> None:
    a, b = merge_graph(READINGS).entities
    assert (a.title, a.type, a.frequency, a.text_unit_ids) == ("A", "PERSON", 3, ("u0", "u1", "u2"))
    assert a.descriptions == ("One.", "Three.", "Two.") and a.description == "One.\nThree.\nTwo."
    assert (b.type, b.description, b.descriptions) == ("AREA", "Bee.", ())  # one vote each: the first in the alphabet


def test_a_pair_is_one_relationship_whatever_its_direction_and_its_weight_the_sum() -> None:
    (pair,) = merge_graph(READINGS).relationships
    assert (pair.source, pair.target, pair.weight, pair.text_unit_ids) == ("A", "B", 2.3, ("u0", "u1"))
    assert pair.descriptions == ("Again.", "Links.")


def test_what_is_left_out_or_overruled_is_counted() -> None:
    assert merge_graph(READINGS).dropped == {
        "relationships_to_itself": 1,
        "relationships_with_unknown_end": 1,
        "types_outvoted": 2,
        "claims_of_no_entity": 1,
    }
    assert merge_graph(READINGS, ["person", " Place "]).dropped["types_not_listed"] == 1


def test_claims_stand_in_the_order_of_the_units() -> None:
    assert [(item.subject, item.description, item.text_unit_id) for item in merge_graph(READINGS).claims] == [
        ("A", "first", "u0"),
        ("A", "second", "u0"),
        ("SOMEBODY", "third", "u1"),
    ]


def test_an_end_may_be_named_as_an_entity_in_another_unit() -> None:
    merged = merge_graph(
        [reading("u0", FoundRelationship("B", "A", "x", 1.0)), reading("u1", *READINGS[0].found.entities)]
    )
    assert [(pair.source, pair.target) for pair in merged.relationships] == [("A", "B")]


def test_nothing_in_nothing_out() -> None:
    merged = merge_graph([])
    assert merged.entities == () and merged.relationships == () and merged.claims == () and not merged.dropped


def test_sums_of_many_strengths_do_not_depend_on_their_order() -> None:
    entities = (FoundEntity("A", "X", ""), FoundEntity("B", "X", ""))
    strengths = [0.1, 1e-9, 7.3, 0.2, 99.99, 3.14] * 20
    weights = set()
    for seed in range(5):
        random.Random(seed).shuffle(strengths)
        links = [FoundRelationship("A", "B", "", strength) for strength in strengths]
        weights.add(merge_graph([reading("u", *entities, *links)]).relationships[0].weight)
    assert len(weights) == 1
