"""A stand-in for the language model: replies of the right form and length, made from a habit, with no call made.

The real analyst asks it, so that every prompt of a rehearsal is built by the code that builds the real ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.base.fates import CallFate
from explorer.corpus.material import TextUnit
from explorer.models.calls import CallResult, ChatRequest
from explorer.models.stored_call import StoredCall
from explorer.planning.candidates import Candidate
from explorer.planning.fit import Features
from explorer.planning.habit import Habit, choose_pairs, choose_titles

NOTHING = json.dumps({"entities": [], "relationships": []})
_CLAIMLESS = json.dumps({"claims": []})


@dataclass(frozen=True)
class Rehearsed:
    """A call that the run would make. `output_tokens` are those of the stand-in's reply; `known` is what the call store
    has for it; one that asks the same as one before it is `again`: it is made and paid once."""

    stage: str
    subject: str
    prompt_tokens: int
    output_tokens: int
    known: StoredCall | None = None
    again: bool = False

    @property
    def to_make(self) -> bool:
        """Whether the run will make it and pay it."""
        return self.known is None and not self.again


@dataclass
class StandIn:
    """Implements Caller; `calls` are those that went by.

    Parameters
    ----------
    habit: how to reply; None gives empty replies.
    count: tokens of a request as it would be sent, and of a text.
    find: the stored call that the run would be served, or None.
    """

    habit: Habit | None
    units: Mapping[str, TextUnit]
    candidates: Mapping[str, Sequence[Candidate]]
    features: Mapping[str, Features]
    count_request: Callable[[ChatRequest], int]
    count: Callable[[str], int]
    find: Callable[[ChatRequest], StoredCall | None]
    calls: list[Rehearsed] = field(default_factory=list)
    _replies: dict[tuple[object, ...], str] = field(default_factory=dict)
    _chosen: dict[str, tuple[list[str], list[tuple[str, str]]]] = field(default_factory=dict)

    async def chat(self, request: ChatRequest) -> CallResult:
        known = self.find(request)
        reading = None if known is None or request.read is None else request.read(known.reply)
        if reading is not None and reading.fate is CallFate.MALFORMED:
            known = None  # read by other rules now: the run makes it again
        asked = (request.stage, request.messages, request.repeat)
        again = asked in self._replies
        text = known.reply if known is not None else self._replies.get(asked) or self._write(request)
        self._replies[asked] = text
        if known is None and request.read is not None:
            reading = request.read(text)
        prompt = self.count_request(request)
        output = known.output_tokens if known is not None else self._length(request, text)
        self.calls.append(Rehearsed(request.stage, request.subject, prompt, output, known, again))
        return CallResult(
            key="",
            stage=request.stage,
            subject=request.subject,
            text=text,
            fate=CallFate.CACHED if known is not None else reading.fate if reading is not None else CallFate.OK,
            model="",
            messages=request.messages,
            value=reading.value if reading is not None else text,
            prompt_tokens=prompt,
            output_tokens=output,
        )

    def _length(self, request: ChatRequest, text: str) -> int:
        """Output tokens of a made-up reply: as many as the habit has for such a prompt, else those of the text."""
        fit = None if self.habit is None else self.habit.length_of(request.stage)
        if fit is None:
            return self.count(text)
        return round(fit.at({"prompt": self.count(request.messages[0][1]) if request.messages else 0}))

    def _write(self, request: ChatRequest) -> str:
        habit, unit = self.habit, self.units.get(request.subject)
        if request.stage in ("extract", "glean"):
            return NOTHING if habit is None or unit is None else self._extraction(habit, unit, request.stage == "glean")
        if request.stage == "claims":
            return _CLAIMLESS if habit is None or unit is None else self._claims(habit, unit)
        source = request.messages[0][1] if request.messages else ""
        length = 1 if habit is None else max(1, self._length(request, ""))
        return (self._report if request.stage == "reports" else self._prose)(source[-4000:], length)

    def _extraction(self, habit: Habit, unit: TextUnit, gleaning: bool) -> str:
        titles, pairs = self._names(habit, unit)
        cut = len(titles) - round(len(titles) * habit.gleaned)
        first = set(titles[:cut])
        shown = titles[cut:] if gleaning else titles[:cut]
        linked = [pair for pair in pairs if first.issuperset(pair) != gleaning]
        entities = [
            {"title": title, "type": "thing", "description": _said(unit, title, habit.entity_tokens)} for title in shown
        ]
        relationships = [
            {"source": one, "target": other, "description": _said(unit, other, habit.pair_tokens), "strength": 5}
            for one, other in linked
        ]
        return json.dumps({"entities": entities, "relationships": relationships}, ensure_ascii=False)

    def _claims(self, habit: Habit, unit: TextUnit) -> str:
        titles, _ = self._names(habit, unit)
        claims = [
            {
                "subject": title,
                "object": "NONE",
                "type": "EVENT",
                "status": "TRUE",
                "description": _said(unit, title, habit.entity_tokens),
                "start_date": "NONE",
                "end_date": "NONE",
                "source_text": _said(unit, title, habit.entity_tokens),
            }
            for title in titles[: round(habit.claims.at(self._features(unit)))]
        ]
        return json.dumps({"claims": claims}, ensure_ascii=False)

    def _report(self, source: str, tokens: int) -> str:
        each = max(5, (tokens - 80) // 7)  # a summary and five findings of about the same length
        prose = self._prose(source, each)
        findings = [{"summary": prose[: len(prose) // 5], "explanation": prose} for _ in range(5)]
        report = {
            "title": prose[:40],
            "summary": prose,
            "findings": findings,
            "rating": 5.0,
            "rating_explanation": prose[:80],
        }
        return json.dumps(report, ensure_ascii=False)

    def _names(self, habit: Habit, unit: TextUnit) -> tuple[list[str], list[tuple[str, str]]]:
        if unit.id not in self._chosen:
            features = self._features(unit)
            titles = choose_titles(habit, unit.id, features, self.candidates.get(unit.id, ()))
            self._chosen[unit.id] = (titles, choose_pairs(habit, unit.id, features, titles, unit.text))
        return self._chosen[unit.id]

    def _features(self, unit: TextUnit) -> Features:
        return self.features.get(unit.id) or {"tokens": unit.n_tokens}

    def _prose(self, source: str, tokens: int) -> str:
        """So many tokens of a source, which is repeated where it is shorter."""
        sample = " ".join(source.split()) or "text"
        characters = round(tokens * len(sample) / max(1, self.count(sample)))
        return (sample * (characters // len(sample) + 1))[:characters]


def _said(unit: TextUnit, title: str, tokens: int) -> str:
    """So many tokens of the unit's own text, from where the title stands: in its language, unlike other units'."""
    characters = max(1, round(tokens * len(unit.text) / max(1, unit.n_tokens)))
    at = max(0, min(unit.text.find(title), len(unit.text) - characters))
    return " ".join(unit.text[at : at + characters].split()) or title
