"""What a rehearsal comes to, and what it would come to over more text units than were rehearsed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import log

from explorer.base.token_cache import TokenCounter
from explorer.planning.rehearsal import Rehearsal

CALL_TEXTS, CALL_TOKENS = 16, 8191  # of one embedding call, as GraphRAG batches them
_FLATTEST, _STEEPEST = 0.2, 1.4  # growth of a quantity with the number of text units, as an exponent


@dataclass(frozen=True)
class Quantities:
    """Sums over the calls that are still to be made; `texts` and `text_tokens` are of entities and reports that get a
    vector. The output tokens are those of the stand-in's replies."""

    describe_calls: float = 0.0
    describe_prompt: float = 0.0
    describe_output: float = 0.0
    reports_calls: float = 0.0
    reports_prompt: float = 0.0
    reports_output: float = 0.0
    texts: float = 0.0
    text_tokens: float = 0.0
    entities: float = 0.0
    relationships: float = 0.0
    reports: float = 0.0
    levels: float = 0.0
    describe_cached: float = 0.0
    reports_cached: float = 0.0


def measure(rehearsal: Rehearsal, counter: TokenCounter) -> Quantities:
    """The sums of a rehearsal."""
    sums: dict[str, float] = {}
    for call in rehearsal.calls:
        if call.stage not in ("describe", "reports"):
            continue
        if not call.to_make:
            sums[f"{call.stage}_cached"] = sums.get(f"{call.stage}_cached", 0) + 1
            continue
        for name, value in (("calls", 1), ("prompt", call.prompt_tokens), ("output", call.output_tokens)):
            sums[f"{call.stage}_{name}"] = sums.get(f"{call.stage}_{name}", 0) + value
    return Quantities(
        **sums,
        texts=len(rehearsal.texts),
        text_tokens=sum(counter.count_all(rehearsal.texts)),
        entities=rehearsal.entities,
        relationships=rehearsal.relationships,
        reports=rehearsal.reports,
        levels=rehearsal.levels,
    )


def grown(part: Quantities, whole: Quantities, between: float, times: float) -> Quantities:
    """What `whole` becomes with `times` as many text units; `part` is that of `between` times fewer of them.

    Every quantity grows as a power of the number of units, with the exponent that it shows from the part to the whole:
    distinct names by Heaps' law (H. S. Heaps, Information Retrieval, 1978, section 7.5), calls and tokens in a line.
    """
    values = {}
    for field in fields(Quantities):
        small, large = getattr(part, field.name), getattr(whole, field.name)
        if field.name == "levels" or not small or not large:
            values[field.name] = large
            continue
        exponent = min(_STEEPEST, max(_FLATTEST, log(large / small) / log(between)))
        values[field.name] = large * times**exponent
    return Quantities(**values)


def embedding_calls(texts: float, tokens: float) -> float:
    """Calls for so many texts: batches that are full by number or by tokens."""
    return max(texts / CALL_TEXTS, tokens / CALL_TOKENS)
