"""What indexing a folder will take before it runs: documents, text units, calls, tokens, money and time.

Known exactly are the files, the text units and what extraction sends, because those messages can be built. What a model
will find is not known: the stages after extraction are rehearsed with a stand-in for it (`rehearsal`), before a pilot
with several habits that a model may have, from terse to talkative (`assumed`), after one with the habit that it showed.
Calls that the call store knows are counted as cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path

from explorer.analysts.judgements import UnitText
from explorer.analysts.model.analyst import ModelAnalyst
from explorer.analysts.prompts import PROMPTS_NAME, Prompts
from explorer.base.cancel import CancelScope
from explorer.base.events import Event, EventSink, FileSettled, StageFinished, StageProgress, StageStarted, ignore
from explorer.base.paths import HOME_NAME, user_home_for
from explorer.base.token_cache import TokenCounter
from explorer.corpus.material import TextUnit
from explorer.indexing.model import models_in_words, report_budget
from explorer.indexing.options import IndexOptions
from explorer.indexing.pilot_result import PilotResult
from explorer.models.call_store import CALLS_NAME, CallStore
from explorer.models.client import ModelClient
from explorer.models.connection import OFFLINE, Connection
from explorer.models.loop import ModelLoop
from explorer.models.tokenizers import tokenizer_of
from explorer.planning.asked import Asked
from explorer.planning.assumed import USUAL, assumed_habits
from explorer.planning.candidates import Candidate, find_candidates
from explorer.planning.estimated import Estimate, StageEstimate, total
from explorer.planning.experience import Experience, gather
from explorer.planning.figures import Three, as_counted, embedding, later_stages, stage_figures
from explorer.planning.folder import FolderContents, read_folder
from explorer.planning.habit import Habit, learn
from explorer.planning.quantities import Quantities, grown, measure
from explorer.planning.rehearsal import read_units, rehearse
from explorer.planning.sample import choose_sample, features_of_all, stretches
from explorer.planning.stand_in import NOTHING, StandIn
from explorer.planning.unit_stages import unit_stages

MOST_UNITS = 320  # of a rehearsal; more are extrapolated from these and from half of them
MOST_BEFORE = 80  # of each of the rehearsals before a pilot
LEARNT_FROM = 5  # text units that a model has read before its habit counts as known


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
    home: where the index is or will be, by default in the folder, or with the user: its call store and edited
        prompts are looked at.
    pilot: what a pilot of the same folder saw; with it the likeliest figures are close, the ranges narrow.
    vectors: whether embeddings are made by the connection's embedding model, where it has one.
    sink, scope: progress under the stages read, chunk, names, rehearse; cancel holds at the next checkpoint.

    Raises InputError for a folder without anything readable, a bad option or an edited prompt that cannot be used,
    StorageError for a call store that cannot be read, Cancelled.
    """
    options, scope = options or IndexOptions(), scope or CancelScope()
    folder = Path(folder).expanduser().absolute()
    home = _home(folder) if home is None else home.expanduser().absolute()
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
        sample = choose_sample(self.contents.units, read, MOST_UNITS if is_known else MOST_BEFORE)
        candidates = find_candidates(_texts(sample), sink=sink, scope=self.scope)
        self.features = features_of_all(self.contents.units, candidates)
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
        stages = unit_stages(
            first.calls, self.features, experience, self.connection,
            max_gleanings=self.options.max_gleanings, empty=self.counter.count(NOTHING),
        )  # fmt: skip
        for stage, figures in later_stages(low, middle, high, experience, unknown, is_known).items():
            counted, prompt, output = figures
            prompt = as_counted(experience.counted(stage), counted, prompt)
            stages[stage] = stage_figures(
                stage, counted, prompt, output, self.connection, cached=round(getattr(middle, f"{stage}_cached")),
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
        return assumed_habits()

    def _quantities(self, habit: Habit, sample: Sequence[TextUnit], candidates: Candidates) -> Quantities:
        whole = self._rehearsed(habit, sample, candidates)
        if len(sample) == len(self.units):
            return whole
        half = [unit for stretch in stretches(sample)[::2] for unit in stretch]
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
        if self.pilot is not None and not is_known:
            notes.insert(0, f"The pilot was too small to learn from: it takes {LEARNT_FROM} text units that were read.")
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


def _home(folder: Path) -> Path:
    """Where the index of a folder is, or will be; what tells them apart is looked at, never tried out."""
    ours, elsewhere = folder / HOME_NAME, user_home_for(folder)
    return elsewhere if not ours.is_dir() and elsewhere.is_dir() else ours


def _rehearsal_only(made: Estimate, as_model: str | None) -> Estimate:
    """The estimate of a folder that the offline analyst would index."""
    notes = [
        "The offline analyst makes no calls and costs nothing: these are the calls of a language model.",
        *made.notes,
    ]
    if as_model is None:
        notes = [notes[0], "No model is named: the money is unknown (--as-model NAME takes the prices of a model)."]
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


def _each(pick: Callable[[Iterable[float]], float], runs: Sequence[Quantities]) -> Quantities:
    """The least or the most of every quantity."""
    return Quantities(**{field.name: pick(getattr(run, field.name) for run in runs) for field in fields(Quantities)})


async def _client(connection: Connection, store: CallStore | None) -> ModelClient:
    """A client that knows keys of calls; it is asked to make none, so it needs no secret."""
    return ModelClient(connection, None, store)


def _texts(units: Sequence[TextUnit]) -> list[UnitText]:
    return [UnitText(unit.id, unit.text, unit.document_id) for unit in units]


def _without_files(sink: EventSink) -> EventSink:
    """Progress, without the fates of files: nothing has become of them yet."""

    def inner(event: Event, /) -> None:
        if not isinstance(event, FileSettled):
            sink(event)

    return inner
