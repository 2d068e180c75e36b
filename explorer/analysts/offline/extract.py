"""Extraction: text units in, entities and relationships out, with what was left out and what a model would have cost.

Two grades: "spacy" where spaCy, its small English model and an English text are there, else "patterns", which needs
nothing. Each unit is read alone in a spawned process and its reading is stored; the choice over all units comes after.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from explorer.analysts import prompts
from explorer.analysts.judgements import CallCount, Extraction, UnitText
from explorer.analysts.offline.characters import with_terms
from explorer.analysts.offline.choosing import Corpus
from explorer.analysts.offline.language import function_words, is_english, is_german
from explorer.analysts.offline.merge import Merged, merge
from explorer.analysts.offline.readings import VERSION, Reading, decode, encode, read_unit
from explorer.analysts.offline.sentences import has_han
from explorer.analysts.offline.tagged import model_name
from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import EventSink, Notice, StageProgress, ignore
from explorer.base.processes import map_in_processes
from explorer.base.tokens import count_tokens
from explorer.models.call_store import CallStore, StoredCall, call_key

STAGE = "extract"
TYPES = "organization, person, geo, event"
_BATCH = 4  # units a task: their order in it changes nothing, each is read alone
_INLINE = 6  # units that are read here: a process takes longer to start than they take


def extract(
    units: Sequence[UnitText],
    *,
    grade: str = "auto",
    store: CallStore | None = None,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
) -> Extraction:
    """Entities and relationships of text units.

    Parameters
    ----------
    units: in a settled order; text_unit_ids come in that order.
    grade: "auto", "patterns" or "spacy". "auto" takes spacy where it can, and a Notice says which it was.
    store: keeps the reading of each unit, so that a stopped run goes on where it was.

    Raises InputError for a grade that cannot run, Cancelled where the scope was cancelled (readings made are kept).
    The calls are those of a language model that is asked once a unit; `cached` of them came from the store.
    """
    scope = scope or CancelScope()
    chosen = choose_grade([unit.text for unit in units], grade, sink)
    readings, cached = _readings(units, chosen, store, sink, scope)
    tokens = [count_tokens(unit.text) for unit in units]
    scope.checkpoint()
    if any(has_han(unit.text) for unit in units):
        readings = with_terms([unit.text for unit in units], readings)
    merged = merge(units, readings, _corpus([unit.text for unit in units], sum(tokens)))
    scope.checkpoint()
    head = count_tokens(prompts.render("entity_extraction", entity_types=TYPES, input_text=""))
    calls = CallCount(
        count=len(units),
        cached=cached,
        prompt_tokens=head * len(units) + sum(tokens),
        output_tokens=sum(count_tokens(reply) for reply in _replies(units, merged)),
    )
    return Extraction(merged.entities, merged.relationships, merged.dropped, calls)


def _corpus(texts: Sequence[str], tokens: int) -> Corpus:
    if is_english(texts):
        return Corpus(tokens, len(texts))
    return Corpus(tokens, len(texts), is_german(texts), function_words(texts))


def choose_grade(texts: Sequence[str], grade: str, sink: EventSink = ignore) -> str:
    """The grade that runs: patterns, or spacy: and the model's package. A Notice says which. Raises InputError."""
    if grade not in ("auto", "patterns", "spacy"):
        raise InputError(f"There is no grade {grade!r} of the offline analyst: choose auto, patterns or spacy.")
    if grade == "patterns":
        return "patterns"
    model = model_name()
    if model is None:
        if grade == "spacy":
            raise InputError(
                "The grade spacy needs spaCy and its small English model, which are not here; nothing was changed. "
                "Install graphrag-explorer[offline], or choose the grade patterns."
            )
        sink(Notice("Names are found by patterns: spaCy's small English model is not installed."))
        return "patterns"
    if grade == "auto" and not is_english(texts):
        sink(
            Notice(
                "Names are found by patterns and statistics: the text is not English, and the model knows only English."
            )
        )
        return "patterns"
    sink(Notice("Names are found by spaCy's small English model and by patterns."))
    return f"spacy:{model}"


def _readings(
    units: Sequence[UnitText], grade: str, store: CallStore | None, sink: EventSink, scope: CancelScope
) -> tuple[list[Reading], int]:
    """The reading of each unit, from the store or made now, and how many the store had."""
    keys = [
        call_key(base_url="offline:", model=grade, messages=[("user", unit.text)], parameters={"rules": VERSION})
        for unit in units
    ]
    found: dict[str, Reading] = {}
    for key in keys if store is not None else ():
        scope.checkpoint()
        stored = store.get(key) if store is not None and key not in found else None
        if stored is not None:
            try:
                found[key] = decode(stored.reply)
            except ValueError:
                continue  # read again: what cannot be read is worth nothing
    cached = sum(key in found for key in keys)
    done = cached
    sink(StageProgress(STAGE, done, len(units)))
    missing = {key: unit.text for key, unit in zip(keys, units, strict=True) if key not in found}
    for batch in _read_all(missing, grade, scope):
        if store is not None:
            store.put_all([StoredCall(key, STAGE, reply, model=grade) for key, reply in batch])
        for key, reply in batch:
            found[key] = decode(reply)
        done = min(len(units), done + len(batch))
        sink(StageProgress(STAGE, done, len(units)))
    sink(StageProgress(STAGE, len(units), len(units)))
    return [found[key] for key in keys], cached


def _read_all(texts: dict[str, str], grade: str, scope: CancelScope) -> Iterator[list[tuple[str, str]]]:
    items = list(texts.items())
    batches = [items[at : at + _BATCH] for at in range(0, len(items), _BATCH)]
    read: Callable[[list[tuple[str, str]]], list[tuple[str, str]]] = partial(_read_batch, grade)
    if len(items) <= _INLINE and grade == "patterns":
        for batch in batches:
            scope.checkpoint()
            yield read(batch)
    elif items:
        yield from map_in_processes(read, batches, scope=scope)


def _read_batch(grade: str, batch: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(key, encode(read_unit(text, grade))) for key, text in batch]


def _replies(units: Sequence[UnitText], merged: Merged) -> Iterator[str]:
    """For each unit the JSON that a model would have sent: a sentence is quoted in the unit that shows it first."""
    entities: dict[str, list[dict[str, object]]] = defaultdict(list)
    links: dict[str, list[dict[str, object]]] = defaultdict(list)
    for entity in merged.entities:
        for unit_id in entity.text_unit_ids:
            description = entity.description if unit_id == entity.text_unit_ids[0] else ""
            entities[unit_id].append({"title": entity.title, "type": entity.type, "description": description})
    for link in merged.relationships:
        row = {"source": link.source, "target": link.target, "description": link.description, "strength": 5}
        links[link.text_unit_ids[0]].append(row)
    for unit in units:
        reply = {"entities": entities.get(unit.id, []), "relationships": links.get(unit.id, [])}
        yield json.dumps(reply, ensure_ascii=False)
