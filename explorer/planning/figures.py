"""From what is known and rehearsed to the figures of each stage: low, likeliest, high, in calls, tokens and money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt

from explorer.models.connection import Connection
from explorer.models.prices import price_for
from explorer.planning.duration import call_seconds, stage_seconds
from explorer.planning.estimated import Middle, StageEstimate, span
from explorer.planning.experience import Experience, Sizes
from explorer.planning.fit import Features
from explorer.planning.quantities import Quantities, embedding_calls
from explorer.planning.server_count import ServerCount


@dataclass(frozen=True)
class Three:
    """A figure: the least, the likeliest, the most that it may be."""

    low: float
    middle: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Three:
        return cls(value, value, value)

    @classmethod
    def about(cls, middle: float, share: float) -> Three:
        """A middle that may be off by that share of itself, either way."""
        return cls(middle * max(0.0, 1 - share), middle, middle * (1 + share))

    def __add__(self, other: Three) -> Three:
        return Three(self.low + other.low, self.middle + other.middle, self.high + other.high)


@dataclass(frozen=True)
class Reading:
    """A call about one text unit that is still to be made: the unit's features and the tokens of the prompt, of a
    gleaning those without the reply that stands in it."""

    features: Features
    prompt_tokens: int


def as_counted(server: ServerCount, calls: Three, prompt: Three) -> Three:
    """Prompt tokens as the server will count them, from those counted here."""
    return Three(
        max(0.0, prompt.low * server.least + calls.low * server.frame),
        max(0.0, prompt.middle * server.share + calls.middle * server.frame),
        max(0.0, prompt.high * server.most + calls.high * server.frame),
    )


def stage_figures(
    stage: str,
    calls: Three,
    prompt: Three,
    output: Three,
    connection: Connection,
    *,
    cached: int = 0,
    sizes: Sizes | None = None,
    rounds: int = 1,
) -> StageEstimate:
    """The estimate of a stage from its three figures: what retries charge, the money and the time come to it here."""
    model = connection.model_for(stage)
    extra = max(0.0, sizes.charged - 1.0) if sizes is not None else 0.0
    if extra:  # replies that were charged and could not be used: as often as they were seen, or twice as often
        prompt = Three(prompt.low, prompt.middle * (1 + extra), prompt.high * (1 + 2 * extra))
        output = Three(output.low, output.middle * (1 + extra), output.high * (1 + 2 * extra))
    first, middle, last = (
        (floor(calls.low), floor(prompt.low), floor(output.low)),
        (round(calls.middle), round(prompt.middle), round(output.middle)),
        (ceil(calls.high), ceil(prompt.high), ceil(output.high)),
    )
    price = price_for(connection, model)
    if not last[0]:
        costs = (0.0, 0.0, 0.0)
    elif price is not None:
        costs = (price.cost(*first[1:]), price.cost(*middle[1:]), price.cost(*last[1:]))
    each = output.middle / calls.middle if calls.middle else 0.0
    if sizes is not None and sizes.seconds:
        fast, usual, slow = 0.6 * sizes.seconds, sizes.seconds, 2.0 * sizes.seconds
    else:
        fast, slow = call_seconds(each)
        usual = sqrt(fast * slow)
    times = [
        stage_seconds(counted[0], counted[1] + counted[2], one, connection, rounds)
        for counted, one in ((first, fast), (middle, usual), (last, slow))
    ]
    known = price is not None or not last[0]
    return StageEstimate(
        model=model,
        calls=span(first[0], last[0]),
        cached=cached,
        prompt_tokens=span(first[1], last[1]),
        output_tokens=span(first[2], last[2]),
        cost=(round(costs[0], 9), round(costs[2], 9)) if known else None,
        seconds=(round(times[0], 1), round(times[2], 1)),
        middle=Middle(
            calls=middle[0],
            prompt_tokens=middle[1],
            output_tokens=middle[2],
            cost=round(costs[1], 9) if known else None,
            seconds=round(times[1], 1),
        ),
    )


def reply_tokens(readings: Sequence[Reading], sizes: Sizes) -> Three:
    """Output tokens of calls about text units, by the units' length.

    The mean that was seen may be off by 2.6 of its standard errors, and the sum of the replies that come by as many
    of its own; 1 % is added for what no sample shows.
    """
    n = len(readings)
    middle = sum(sizes.output.at(reading.features) for reading in readings)
    off = 2.6 * sizes.output.error * (n / sqrt(sizes.calls) + sqrt(n)) + 0.01 * middle
    return Three(max(0.0, middle - off), middle, middle + off)


def later_stages(
    low: Quantities, middle: Quantities, high: Quantities, experience: Experience, unknown: float, is_known: bool
) -> dict[str, tuple[Three, Three, Three]]:
    """(calls, prompt tokens, output tokens) of the stages after extraction.

    Parameters
    ----------
    low, middle, high: the same three times after a pilot, three rehearsals before one.
    unknown: the share of the text units that no model has read.
    is_known: whether the habit was learnt.
    """
    found = {}
    for stage, base in (("describe", 0.45), ("reports", 0.35)):
        one = 1.0 / max(1.0, getattr(middle, f"{stage}_calls"))  # of a few calls one more or less is a large share
        widths = (0.05 + base * unknown + one, 0.08 + 1.1 * base * unknown + one) if is_known else (0.3, 0.35)
        calls, prompt, output = (
            _three([getattr(run, f"{stage}_{name}") for run in (low, middle, high)], width)
            for name, width in (("calls", widths[0]), ("prompt", widths[1]), ("output", widths[1]))
        )
        sizes = experience.sizes.get(stage)
        if sizes is not None:
            share = widths[1] + min(0.6, sizes.doubt)
            output = Three.about(getattr(middle, f"{stage}_output"), share)
        found[stage] = (calls, prompt, output)
    return found


def embedding(
    low: Quantities, middle: Quantities, high: Quantities, units: int, tokens: int, unknown: float, is_known: bool
) -> tuple[Three, Three]:
    """(calls, tokens) of the vectors: of text units exactly, of entities and reports as rehearsed."""
    width = 0.1 + 0.4 * unknown if is_known else 0.35
    more = _three([one.text_tokens for one in (low, middle, high)], width)
    count = _three([one.texts for one in (low, middle, high)], width)
    whole = Three.about(tokens, 0.03) + more  # long texts are cut with an overlap; servers count a little otherwise
    most = embedding_calls(count.high + units, whole.high) * 1.3 + 3  # batches are seldom full
    calls = Three(
        ceil(embedding_calls(count.low + units, whole.low) * 0.1), embedding_calls(count.middle + units, whole.middle),
        most,
    )  # fmt: skip
    return calls, whole


def _three(values: Sequence[float], width: float) -> Three:
    low, middle, high = values
    return Three(min(values) * max(0.0, 1 - width), middle, max(low, middle, high) * (1 + width))
