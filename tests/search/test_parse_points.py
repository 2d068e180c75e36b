"""Map replies as models really give them."""

from __future__ import annotations

import pytest
from servers.scripted_analyst import points

from explorer.search.parse_points import parse_points


def _read(reply: str) -> tuple[str, list[tuple[str, int | None]]]:
    parsed = parse_points(reply)
    return parsed.outcome, [(point.text, point.score) for point in parsed.points]


@pytest.mark.parametrize(
    ("reply", "outcome", "found"),
    [
        (points(("a", 70), ("b", 0)), "strict", [("a", 70), ("b", 0)]),
        (points(), "strict", []),
        (points(("", 0)), "strict", [("", 0)]),
        ('```json\n{"points": [{"description": "a\\nb", "score": 3}]}\n```', "repaired", [("a\nb", 3)]),
        ('```\n{"points": []}\n```', "repaired", []),
        ('Here you are: {"points": [{"description": "a", "score": 3}]} Good luck!', "repaired", [("a", 3)]),
        ('I think {so}: {"points": [{"description": "a", "score": 3}]}', "repaired", [("a", 3)]),
        ("{'points': [{'description': 'a', 'score': 70},]}", "repaired", [("a", 70)]),
        ('{"points": [{"description": "a "b" c", "score": 8}]}', "repaired", [('a "b" c', 8)]),
        ('{"points": [{"description": "a\nb", "score": 8}]}', "repaired", [("a\nb", 8)]),
        ('[{"description": "a", "score": 7}]', "repaired", [("a", 7)]),
    ],
)
def test_replies_with_readable_points(reply: str, outcome: str, found: list[tuple[str, int | None]]) -> None:
    assert _read(reply) == (outcome, found)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "I am sorry, I cannot help with that.",
        "{",
        "null",
        "{}",
        "[]",
        "12",
        '{"points": null}',
        '{"points": {}}',
        '{"points": "none"}',
        '{"points": [',
        '{"points": [{"description": "cut in its score", "score": 8',
        '{"points": [{"description": "nothing", "score": 0}, {"descr',
        '{"points": [{"description": "nothing", "score": 0}',
        points(("a", None)),
        points(("a", "high")),
        points(("a", True)),
        points(("a", [1])),
        points(("", 50)),
        '{"points": [{"score": 50}]}',
        '{"points": [{"description": "a"}]}',
        '{"points": ["a", 3, null]}',
        '{"points": [{"description": "a", "score": NaN}]}',
        '{"points": [{"description": "a", "score": 1e999}]}',
        "[" * 100_000,
    ],
)
def test_a_reply_from_which_no_point_can_be_read_is_malformed_and_says_why(reply: str) -> None:
    parsed = parse_points(reply)
    assert parsed.outcome == "malformed"
    assert parsed.reason.endswith(".")
    assert all(point.score is None and point.reason for point in parsed.points)


def test_of_a_reply_that_was_cut_off_the_whole_points_stay(caplog: pytest.LogCaptureFixture) -> None:
    parsed = parse_points('{"points": [{"description": "whole", "score": 60}, {"description": "half", "score": 9')
    assert parsed.outcome == "repaired"
    assert [(point.text, point.score) for point in parsed.points] == [("whole", 60), ("half", None)]
    assert "cut off" in parsed.points[1].reason


@pytest.mark.parametrize(
    ("given", "score"),
    [(85.9, 85), ("70", 70), ("85.5", 85), (" 40 % ", 40), (140, 100), (-3, 0), (100.0, 100), (0.9, 0), (10**400, 100)],
)
def test_scores_are_whole_from_0_to_100_and_what_was_given_is_kept(given: object, score: int) -> None:
    (point,) = parse_points(points(("a", given))).points
    assert point.score == score
    assert point.given is not None


def test_a_whole_score_needs_no_second_figure() -> None:
    (point,) = parse_points(points(("a", 85))).points
    assert (point.score, point.given) == (85, None)


def test_halves_of_characters_become_the_replacement_character() -> None:
    (point,) = parse_points('{"points": [{"description": "x\\ud83dy", "score": 5}]}').points
    assert point.text == "x\ufffdy"
