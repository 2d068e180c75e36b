"""What indexing a folder will take before it runs: documents, text units, calls, tokens, money and time.

Known exactly are the files, the text units and what extraction sends, because those messages can be built. What a model
will find is not known: the stages after extraction are rehearsed with a stand-in for it (`rehearsal`), before a pilot
with several habits that a model may have, from terse to talkative (measured on published GraphRAG indexes that four
models made), after one with the habit that it showed. Calls that the call store knows are counted as cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path

from explorer.analysts.judgements import UnitText
from explorer.analysts.model.analyst import ModelAnalyst
from explorer.analysts.prompts import Prompts
from explorer.base.cancel import CancelScope
from explorer.base.events import Event, EventSink, FileSettled, StageFinished, StageProgress, StageStarted, ignore
from explorer.base.paths import HOME_NAME
from explorer.base.token_cache import TokenCounter
from explorer.corpus.material import TextUnit
from explorer.indexing.model import PROMPTS_NAME, models_in_words, report_budget
from explorer.indexing.offline import CALLS_NAME
from explorer.indexing.options import IndexOptions
from explorer.indexing.pilot import spread
from explorer.indexing.pilot_result import PilotResult
from explorer.models.call_store import CallStore
from explorer.models.client import ModelClient
from explorer.models.connection import OFFLINE, Connection
from explorer.models.loop import ModelLoop
from explorer.models.tokenizers import tokenizer_of
from explorer.planning.asked import Asked
from explorer.planning.candidates import FEATURES, Candidate, features_of, find_candidates
from explorer.planning.estimated import Estimate, StageEstimate, total
from explorer.planning.experience import Experience, gather
from explorer.planning.figures import Reading, Three, embedding, later_stages, reply_tokens, stage_figures
from explorer.planning.fit import Fit
from explorer.planning.folder import FolderContents, read_folder
from explorer.planning.habit import Habit, learn
from explorer.planning.quantities import Quantities, grown, measure
from explorer.planning.rehearsal import read_units, rehearse
from explorer.planning.stand_in import NOTHING, Rehearsed, StandIn

MOST_UNITS = 320  # of a rehearsal; more are extrapolated from these and from half of them
MOST_BEFORE = 120  # of each of the rehearsals before a pilot
LONGEST = 20  # units of a stretch of one document that are rehearsed together
LEARNT_FROM = 5  # text units that a model has read before its habit counts as known

# Names and links a text unit, and tokens of what is said of each: from the tersest to the most talkative of the
# published indexes (7 to 19 names, 6 to 26 links, 15 to 36 tokens in units of 1,200), and as much again beyond.
TERSE = Habit(
    Fit(0.5, 0.0035, "tokens"), Fit(0.3, 0.003, "tokens"), entity_tokens=10, pair_tokens=8, joined_tokens=Fit(30),
    report_tokens=Fit(300),
)  # fmt: skip
USUAL = Habit(Fit(3.0, 0.008, "tokens"), Fit(2.0, 0.009, "tokens"))
TALKATIVE = Habit(
    Fit(8.0, 0.014, "tokens"), Fit(7.0, 0.018, "tokens"), order="spread", entity_tokens=50, pair_tokens=40,
    joined_tokens=Fit(300), report_tokens=Fit(1400),
)  # fmt: skip


def estimate(
    folder: Path,
    *,
    connection: Connection | None,
    home: Path | None = None,
    options: IndexOptions | None = None,
    pilot: PilotResult | None = None,
    vectors: bool = True,
    as_model: str | None = None,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
) -> Estimate:
    """Say what indexing a folder will take. Nothing is written and no call is made.

    Parameters
    ----------
    connection: the one that would be used. None for the offline analyst, which makes no calls: the estimate is then
        that of a language model, without a price unless `as_model` names one.
    home: where the index is or will be, by default in the folder: its call store and edited prompts are looked at.
    pilot: what a pilot of the same folder saw; with it the likeliest figures are close, the ranges narrow.
    vectors: whether embeddings are made by the connection's embedding model, where it has one.
    sink, scope: progress under the stages read, chunk, names, rehearse; cancel holds at the next checkpoint.

    Raises InputError for a folder without anything readable, a bad option or an edited prompt that cannot be used,
    StorageError for a call store that cannot be read, Cancelled.
    """
    options, scope = options or IndexOptions(), scope or CancelScope()
    folder = Path(folder).expanduser().absolute()
    home = folder / HOME_NAME if home is None else home.expanduser().absolute()
    contents = read_folder(folder, home if home.is_dir() else None, options, sink=_without_files(sink), scope=scope)
    offline = connection is None
    if connection is None:
        connection = Connection(name="a language model", kind="openai", chat_model=as_model or "", concurrency=8)
    store_path = home / CALLS_NAME
    with (
        CallStore(store_path) if store_path.is_file() else nullcontext() as store,
        ModelLoop() as loop,
        TokenCounter(tokenizer_of(connection, connection.chat_model)) as counter,
    ):
        client = loop.run(_client(connection, store))
        work = _Work(contents, connection, home, options, pilot, vectors, client, loop, counter, scope)
        try:
            made = work.estimate(sink)
            return _rehearsal_only(made, as_model) if offline else made
        finally:
            loop.run(client.aclose())


@dataclass
class _Work:
    """One estimate while its store and loop are open."""

    contents: FolderContents
    connection: Connection
    home: Path
    options: IndexOptions
    pilot: PilotResult | None
    vectors: bool
    client: ModelClient
    loop: ModelLoop
    counter: TokenCounter
    scope: CancelScope

    def __post_init__(self) -> None:
        self.units = {unit.id: unit for unit in self.contents.units}
        self.prompts = Prompts(self.home / PROMPTS_NAME)
        self.asked = Asked(self.connection, self.client.store, self.client.key_of, self.counter)
        self.features: dict[str, dict[str, float]] = {}
        self.budget = report_budget(self.options, self.connection, ignore)

    def estimate(self, sink: EventSink) -> Estimate:
        """Read all units with a model that says nothing, learn from what is known, rehearse the rest."""
        first = self._stand_in(None, {})
        known = read_units(self._analyst(first), self.contents.units, self.scope)
        read = {call.subject for call in first.calls if call.stage == "extract" and call.known is not None}
        is_known = len(read) >= LEARNT_FROM
        sample = self._sample(read, MOST_UNITS if is_known else MOST_BEFORE)
        candidates = find_candidates(_texts(sample), sink=sink, scope=self.scope)
        self.features = self._features(candidates)
        experience = gather(first.calls, known, self.features, self.pilot, self.counter.name)
        habits = self._habits(experience, candidates, is_known)
        sink(StageStarted("rehearse", len(habits)))
        runs = []
        for habit in habits:
            runs.append(self._quantities(habit, sample, candidates))
            sink(StageProgress("rehearse", len(runs), len(habits)))
        sink(StageFinished("rehearse", 0.0))
        low, middle, high = (runs * 3)[:3] if is_known else (_each(min, runs), runs[1], _each(max, runs))
        unknown = 1 - len(experience.seen) / len(self.units)
        stages = self._unit_stages(first.calls, experience, habits)
        for stage, figures in later_stages(low, middle, high, experience, unknown, is_known).items():
            stages[stage] = stage_figures(
                stage, *figures, self.connection, cached=round(getattr(middle, f"{stage}_cached")),
                sizes=experience.sizes.get(stage), rounds=max(1, round(middle.levels)) if stage == "reports" else 1,
            )  # fmt: skip
        if self.vectors and self.connection.embedding_model:
            tokens = sum(self.counter.count_all([unit.text for unit in self.contents.units]))
            calls, whole = embedding(low, middle, high, len(self.units), tokens, unknown, is_known)
            stages["embed"] = stage_figures("embed", calls, whole, Three.exact(0), self.connection)
        return self._result(stages, experience, (low, middle, high), unknown, is_known)

    def _habits(self, experience: Experience, candidates: Candidates, is_known: bool) -> list[Habit]:
        if is_known:
            texts = {unit.id: self.units[unit.id].text for unit in experience.seen}
            return [learn(experience.habit(USUAL), experience.seen, candidates, self.features, texts)]
        apart = replace(TALKATIVE, order="place", own=0.8, pair_order="sentence")  # names that hardly ever come again
        again = replace(TALKATIVE, supplies=("written",))  # every word with a capital, the commonest first
        return [TERSE, USUAL, TALKATIVE, apart, again, replace(TERSE, own=0.6)]

    def _features(self, candidates: Candidates) -> dict[str, dict[str, float]]:
        """Those of every unit; a unit that is not in the sample has as many names for its tokens as the sample has."""
        found = {unit: features_of(self.units[unit], names) for unit, names in candidates.items()}
        sums = {name: sum(features[name] for features in found.values()) for name in FEATURES}
        each = {name: value / max(1.0, sums["tokens"]) for name, value in sums.items()}
        for unit in self.contents.units:
            found.setdefault(unit.id, {name: each[name] * unit.n_tokens for name in FEATURES})
        return found

    def _sample(self, read: set[str], most: int) -> list[TextUnit]:
        """Units to rehearse: all, or those that a model has read and stretches of documents spread over the folder.

        Whole stretches, because what a document names stands in several of its units.
        """
        units = self.contents.units
        if len(units) <= most:
            return list(units)
        chosen = {unit.id for unit in spread([unit for unit in units if unit.id in read], most // 4)}
        stretches = _stretches(units)
        wanted = max(1, (most - len(chosen)) * len(stretches) // len(units))
        chosen.update(unit.id for stretch in spread(stretches, wanted) for unit in stretch)
        return [unit for unit in units if unit.id in chosen]

    def _quantities(self, habit: Habit, sample: Sequence[TextUnit], candidates: Candidates) -> Quantities:
        whole = self._rehearsed(habit, sample, candidates)
        if len(sample) == len(self.units):
            return whole
        half = [unit for stretch in _stretches(sample)[::2] for unit in stretch]
        part = self._rehearsed(habit, half, candidates)
        return grown(part, whole, len(sample) / len(half), len(self.units) / len(sample))

    def _rehearsed(self, habit: Habit, units: Sequence[TextUnit], candidates: Candidates) -> Quantities:
        stand_in = self._stand_in(habit, candidates)
        made = rehearse(stand_in, self._analyst, units, self.options, self.budget, self.scope)
        return measure(made, self.counter)

    def _stand_in(self, habit: Habit | None, candidates: Candidates) -> StandIn:
        return StandIn(
            habit, self.units, candidates, self.features, self.asked.tokens, self.counter.count, self.asked.find
        )

    def _analyst(self, caller: StandIn) -> ModelAnalyst:
        return ModelAnalyst(
            caller,
            self.loop,
            name=self.connection.name,
            grade=models_in_words(self.connection),
            entity_types=self.options.entity_types,
            max_gleanings=self.options.max_gleanings,
            claims=self.options.claims,
            max_report_length=self.options.max_report_length,
            prompts=self.prompts,
        )

    def _unit_stages(
        self, calls: Sequence[Rehearsed], experience: Experience, habits: Sequence[Habit]
    ) -> dict[str, StageEstimate]:
        """extract, glean and claims, whose prompts are known from the units' texts."""
        empty = self.counter.count(NOTHING)
        replies: dict[str, Three] = {}
        stages = {}
        for stage in ("extract", "glean", "claims"):
            made = [call for call in calls if call.stage == stage]
            if not made:
                continue
            to_make = [call for call in made if call.known is None]
            readings = [
                Reading(self.features[call.subject], call.prompt_tokens - (empty if stage == "glean" else 0))
                for call in to_make
            ]
            output = self._replies(stage, readings, experience, habits)
            replies[stage] = output
            counted = Three.exact(len(readings))
            prompt = Three.exact(sum(reading.prompt_tokens for reading in readings))
            if stage == "glean":
                counted, prompt = self._gleanings(counted, prompt, replies["extract"], len(readings), calls)
            stages[stage] = stage_figures(
                stage, counted, prompt, output, self.connection, cached=len(made) - len(to_make),
                sizes=experience.sizes.get(stage),
            )  # fmt: skip
        return stages

    def _replies(
        self, stage: str, readings: Sequence[Reading], experience: Experience, habits: Sequence[Habit]
    ) -> Three:
        sizes = experience.sizes.get(stage)
        if sizes is not None:
            return reply_tokens(readings, sizes)
        low, middle, high = (sum(_reply(stage, habit, one) for one in readings) for habit in (TERSE, USUAL, TALKATIVE))
        return Three(low, middle, high)

    def _gleanings(
        self, calls: Three, prompt: Three, replies: Three, units: int, made: Sequence[Rehearsed]
    ) -> tuple[Three, Three]:
        """A gleaning sends what extraction sent and its reply; further ones follow while the last found something."""
        waiting = sum(call.stage == "extract" and call.known is None for call in made)
        share = units / waiting if waiting else 0.0  # units whose first reply is known already have it in the prompt
        whole = prompt + Three(replies.low * share, replies.middle * share, replies.high * share)
        more = self.options.max_gleanings - 1
        # A unit that cannot be read is not asked again: one in ten at worst.
        return (
            Three(0.9 * calls.low, calls.middle * (1 + 0.3 * more), calls.high * (1 + more)),
            Three(0.9 * whole.low, whole.middle * (1 + 0.4 * more), whole.high * (1 + 1.5 * more)),
        )

    def _result(
        self,
        stages: dict[str, StageEstimate],
        experience: Experience,
        runs: tuple[Quantities, Quantities, Quantities],
        unknown: float,
        is_known: bool,
    ) -> Estimate:
        order = [name for name in ("extract", "glean", "claims", "describe", "reports", "embed") if name in stages]
        made = _fields(self.contents, self.connection.name, {name: stages[name] for name in order}, [])
        width = 0.05 + 0.3 * unknown if is_known else 0.3
        spans = {
            name: (
                max(0, int(min(getattr(one, name) for one in runs) * (1 - width))),
                int(max(getattr(one, name) for one in runs) * (1 + width)) + 1,
            )
            for name in ("entities", "relationships", "reports")
        }
        unpriced = [stage.model for stage in made.stages.values() if stage.cost is None]
        notes = [f"No price is known for {name}: the money is unknown." for name in dict.fromkeys(unpriced)]
        costs = [call.cost for stage in self.pilot.stages.values() for call in stage.calls] if self.pilot else []
        spent = sum(cost for cost in costs if cost is not None) if costs and None not in costs else None
        return made.model_copy(
            update={
                "basis": "pilot" if is_known else "folder",
                "pilot_units": len(experience.seen),
                "notes": notes,
                "spent": spent,
                **spans,
            }
        )


def _rehearsal_only(made: Estimate, as_model: str | None) -> Estimate:
    """The estimate of a folder that the offline analyst would index."""
    notes = [
        "The offline analyst makes no calls and costs nothing: these are the calls of a language model.",
        *made.notes,
    ]
    if as_model is None:
        notes = [notes[0], "No model is named: the money is unknown (--as-model NAME rehearses one)."]
    return made.model_copy(update={"connection": OFFLINE, "notes": notes})


Candidates = Mapping[str, Sequence[Candidate]]


def _fields(contents: FolderContents, connection: str, stages: dict[str, StageEstimate], notes: list[str]) -> Estimate:
    return total(
        stages,
        connection=connection,
        documents=contents.documents,
        files=contents.files,
        skipped=list(contents.lost),
        text_units=len(contents.units),
        text_tokens=sum(unit.n_tokens for unit in contents.units),
        notes=notes,
    )


def _reply(stage: str, habit: Habit, reading: Reading) -> float:
    """Tokens of one reply of a habit: its rows, each with its names and its description, and their frame."""
    names, pairs = habit.entities.at(reading.features), habit.pairs.at(reading.features)
    if stage == "claims":
        return 6 + names * 0.5 * (40 + 2 * habit.entity_tokens)
    whole = names * (18 + habit.entity_tokens) + pairs * (28 + habit.pair_tokens)
    share = habit.gleaned if stage == "glean" else 1 - habit.gleaned
    return 10 + whole * share


def _each(pick: Callable[[Iterable[float]], float], runs: Sequence[Quantities]) -> Quantities:
    """The least or the most of every quantity."""
    return Quantities(**{field.name: pick(getattr(run, field.name) for run in runs) for field in fields(Quantities)})


async def _client(connection: Connection, store: CallStore | None) -> ModelClient:
    """A client that knows keys of calls; it is asked to make none, so it needs no secret."""
    return ModelClient(connection, None, store)


def _stretches(units: Sequence[TextUnit]) -> list[list[TextUnit]]:
    """Units of one document that stand beside each other, at most `LONGEST` together."""
    found: list[list[TextUnit]] = []
    for unit in units:
        if found and found[-1][-1].document_id == unit.document_id and len(found[-1]) < LONGEST:
            found[-1].append(unit)
        else:
            found.append([unit])
    return found


def _texts(units: Sequence[TextUnit]) -> list[UnitText]:
    return [UnitText(unit.id, unit.text, unit.document_id) for unit in units]


def _without_files(sink: EventSink) -> EventSink:
    """Progress, without the fates of files: nothing has become of them yet."""

    def inner(event: Event, /) -> None:
        if not isinstance(event, FileSettled):
            sink(event)

    return inner
