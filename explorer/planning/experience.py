"""What is known of a model's replies: from calls that the call store has, and from the samples of a pilot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from explorer.analysts.judgements import Extraction
from explorer.base.tokens import EncodingName, count_tokens
from explorer.indexing.pilot_result import PilotResult
from explorer.planning.candidates import FEATURES
from explorer.planning.fit import Features, Fit, best_fit
from explorer.planning.habit import Habit, UnitSeen
from explorer.planning.server_count import ServerCount, learn_count
from explorer.planning.stand_in import Rehearsed

ENOUGH = 3  # calls of a stage below which their mean says nothing


@dataclass(frozen=True)
class Sizes:
    """Of the calls of one stage that were seen: the output tokens (`mean`, and `output` by the features of the unit, or
    by the tokens of the prompt), the seconds of one, and what was charged for each token of a reply that stands (1
    without retries)."""

    calls: int
    mean: float
    output: Fit
    seconds: float
    charged: float = 1.0

    @property
    def doubt(self) -> float:
        """By which share of itself the mean may be off: 2.6 standard errors (99 of 100)."""
        return 2.6 * self.output.error / sqrt(self.calls) / self.mean if self.mean and self.calls else 1.0


@dataclass(frozen=True)
class Experience:
    """`seen` are the units that a model has read; `sizes` by stage, for stages of which enough was seen."""

    seen: tuple[UnitSeen, ...] = ()
    sizes: Mapping[str, Sizes] = field(default_factory=dict)
    entity_tokens: int | None = None
    pair_tokens: int | None = None
    counts: Mapping[str, ServerCount] = field(default_factory=dict)

    def counted(self, stage: str) -> ServerCount:
        """How the server counts the prompts of a stage; as those of extraction where nothing is known of it."""
        return self.counts.get(stage) or self.counts.get("extract") or ServerCount()

    def habit(self, usual: Habit) -> Habit:
        """The usual habit with the lengths that were seen."""
        first, more = self.sizes.get("extract"), self.sizes.get("glean")
        gleaned = more.mean / (first.mean + more.mean) if first and more and first.mean + more.mean else usual.gleaned
        claims = self.sizes.get("claims")
        return replace(
            usual,
            entity_tokens=self.entity_tokens or usual.entity_tokens,
            pair_tokens=self.pair_tokens or usual.pair_tokens,
            joined_tokens=self.sizes["describe"].output if "describe" in self.sizes else usual.joined_tokens,
            report_tokens=self.sizes["reports"].output if "reports" in self.sizes else usual.report_tokens,
            claims=Fit(claims.mean / 80) if claims else usual.claims,
            gleaned=gleaned,
        )


def gather(
    calls: Sequence[Rehearsed],
    extraction: Extraction,
    features: Mapping[str, Features],
    pilot: PilotResult | None,
    tokenizer: EncodingName,
) -> Experience:
    """All that is known.

    Parameters
    ----------
    calls: of extraction over all units; those that the store knows tell of the model.
    extraction: what the known replies found, descriptions still apart.
    features: of every text unit.
    pilot: its samples of descriptions and reports, if there was one.
    """
    known = [call for call in calls if call.known is not None]
    read = {call.subject for call in known if call.stage == "extract" and call.subject in features}
    points: dict[str, list[tuple[Features, float, float]]] = {}  # stage → (features, output tokens, seconds)
    paid: dict[str, list[tuple[int, int]]] = {}
    for call in known:
        stored = call.known
        assert stored is not None
        of_it = {**features.get(call.subject, {}), "prompt": call.prompt_tokens}
        points.setdefault(call.stage, []).append((of_it, stored.output_tokens, stored.seconds))
        whole = stored.prompt_tokens + stored.output_tokens
        billed = stored.billed_prompt_tokens + stored.billed_output_tokens
        paid.setdefault(call.stage, []).append((billed or whole, whole))
    counts = {stage: count for stage in points if (count := learn_count(calls, stage)) is not None}
    frames = counts.get("extract", ServerCount())
    for stage in ("describe", "reports", "embed"):
        sampled = pilot.stages.get(stage) if pilot is not None else None
        sample = [one for one in sampled.calls if one.output_tokens] if sampled is not None else []
        points.setdefault(stage, []).extend(
            ({"prompt": frames.ours(one.prompt_tokens)}, one.output_tokens, one.seconds) for one in sample
        )
        paid.setdefault(stage, []).extend(
            (
                max(one.billed_prompt_tokens + one.billed_output_tokens, one.prompt_tokens + one.output_tokens),
                one.prompt_tokens + one.output_tokens,
            )
            for one in sample
        )
    titles: dict[str, list[str]] = {}
    for entity in extraction.entities:
        for unit in set(entity.text_unit_ids):
            titles.setdefault(unit, []).append(entity.title)
    pairs: dict[str, list[tuple[str, str]]] = {}
    for link in extraction.relationships:
        for unit in set(link.text_unit_ids):
            pairs.setdefault(unit, []).append((link.source, link.target))
    return Experience(
        counts=counts,
        seen=tuple(UnitSeen(unit, tuple(titles.get(unit, ())), tuple(pairs.get(unit, ()))) for unit in sorted(read)),
        sizes={stage: _sizes(stage, rows, paid[stage]) for stage, rows in points.items() if len(rows) >= ENOUGH},
        entity_tokens=_mean_tokens([text for item in extraction.entities for text in _apart(item)], tokenizer),
        pair_tokens=_mean_tokens([text for item in extraction.relationships for text in _apart(item)], tokenizer),
    )


def _apart(item: object) -> tuple[str, ...]:
    texts: tuple[str, ...] = getattr(item, "descriptions", ()) or (getattr(item, "description", ""),)
    return tuple(text for text in texts if text)


def _mean_tokens(texts: Sequence[str], tokenizer: EncodingName) -> int | None:
    if not texts:
        return None
    return max(1, round(sum(count_tokens(text, tokenizer) for text in texts) / len(texts)))


def _sizes(stage: str, rows: Sequence[tuple[Features, float, float]], paid: Sequence[tuple[int, int]]) -> Sizes:
    names = ("prompt",) if stage in ("describe", "reports") else FEATURES
    billed, whole = sum(one for one, _ in paid), sum(other for _, other in paid)
    seconds = [took for *_, took in rows if took > 0]
    return Sizes(
        calls=len(rows),
        mean=sum(output for _, output, _ in rows) / len(rows),
        output=best_fit([(features, output) for features, output, _ in rows], names),
        seconds=sum(seconds) / len(seconds) if seconds else 0.0,
        charged=billed / whole if whole else 1.0,
    )
