"""The stages whose calls are each about one text unit: what they send is known from the unit, exactly or nearly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.models.connection import Connection
from explorer.planning.assumed import TALKATIVE, TERSE, USUAL, reply_length
from explorer.planning.estimated import StageEstimate
from explorer.planning.experience import Experience
from explorer.planning.figures import Reading, Three, as_counted, reply_tokens, stage_figures
from explorer.planning.fit import Features
from explorer.planning.stand_in import Rehearsed

STAGES = ("extract", "glean", "claims")


def unit_stages(
    calls: Sequence[Rehearsed],
    features: Mapping[str, Features],
    experience: Experience,
    connection: Connection,
    *,
    max_gleanings: int,
    empty: int,
) -> dict[str, StageEstimate]:
    """The estimates of extract, glean and claims, of those that there are.

    Parameters
    ----------
    calls: of a first pass over all units with a model that finds nothing; `empty` are the tokens of its reply, which
        stand in the prompts of gleanings.
    """
    replies: dict[str, Three] = {}
    stages = {}
    for stage in STAGES:
        made = [call for call in calls if call.stage == stage]
        if not made:
            continue
        to_make = [call for call in made if call.to_make]
        readings = [
            Reading(features[call.subject], call.prompt_tokens - (empty if stage == "glean" else 0)) for call in to_make
        ]
        replies[stage] = _replies(stage, readings, experience)
        counted = Three.exact(len(readings))
        prompt = Three.exact(sum(reading.prompt_tokens for reading in readings))
        if stage == "glean":
            first = sum(call.stage == "extract" and call.to_make for call in calls)
            share = len(readings) / first if first else 0.0  # where the first reply is known it is in the prompt
            counted, prompt = _gleanings(counted, prompt, replies["extract"], share, max_gleanings - 1)
        prompt = as_counted(experience.counted(stage), counted, prompt)
        stages[stage] = stage_figures(
            stage, counted, prompt, replies[stage], connection, cached=len(made) - len(to_make),
            sizes=experience.sizes.get(stage),
        )  # fmt: skip
    return stages


def _replies(stage: str, readings: Sequence[Reading], experience: Experience) -> Three:
    sizes = experience.sizes.get(stage)
    if sizes is not None:
        return reply_tokens(readings, sizes)
    low, middle, high = (
        sum(reply_length(stage, habit, reading.features) for reading in readings) for habit in (TERSE, USUAL, TALKATIVE)
    )
    return Three(low, middle, high)


def _gleanings(calls: Three, prompt: Three, replies: Three, share: float, more: int) -> tuple[Three, Three]:
    """A gleaning sends what extraction sent and its reply; further ones follow while the last found something."""
    whole = prompt + Three(replies.low * share, replies.middle * share, replies.high * share)
    # A unit that cannot be read is not asked again: one in ten at worst.
    return (
        Three(0.9 * calls.low, calls.middle * (1 + 0.3 * more), calls.high * (1 + more)),
        Three(0.9 * whole.low, whole.middle * (1 + 0.4 * more), whole.high * (1 + 1.5 * more)),
    )
