"""A reply that should be the report of one community."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.analysts.judgements import Finding
from explorer.analysts.model.load_reply import load_reply
from explorer.analysts.model.map_citations import map_citations
from explorer.analysts.model.reading import Fields, Notes, drop_cut_item, items_of, only_object
from explorer.analysts.model.report_context import without_citations
from explorer.analysts.model.texts import LONGEST_TEXT, clean_paragraphs, read_number
from explorer.models.calls import Reading

HIGHEST = 10.0

_TITLE = ("title", "name", "report_title")
_SUMMARY = ("summary", "executive_summary", "abstract", "overview")
_FINDINGS = ("findings", "detailed_findings", "insights", "key_findings")
_RATING = ("rating", "impact_severity_rating", "importance_rating", "impact_rating", "rank", "score")
_REASON = ("rating_explanation", "rank_explanation", "rating_reason", "explanation_of_rating")
_NAMES = frozenset(_FINDINGS)
_HEADING = ("summary", "title", "heading", "finding")
_BODY = ("explanation", "description", "details", "text")
_LONGEST_HEADING = 200  # characters of a title or heading that is made from a longer text


@dataclass(frozen=True)
class ReadReport:
    """A report as its reply gives it, its citations mapped to the numbers of the tables."""

    title: str
    summary: str
    findings: tuple[Finding, ...]
    rating: float
    rating_explanation: str


def read_report(text: str, numbers: Mapping[str, Sequence[int]]) -> Reading:
    """Read a reply under the schema community_report; `value` is ReadReport. Never raises.

    Parameters
    ----------
    numbers: what the local ids of the context stand for, as `render_context` gives them.

    A reply without summary and findings is MALFORMED. A rating outside 0 to 10 is held inside, one that is no number
    is 0; both are counted, as are citations of rows that were not sent.
    """
    loaded = load_reply(text, _NAMES)
    notes = Notes(loaded)
    if loaded.reason:
        return notes.malformed(loaded.reason)
    value = loaded.value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        notes.mended["list around the report"] += 1
        value = value[0]
    value = only_object(value, _NAMES, notes)
    if not isinstance(value, dict):
        return notes.malformed(
            "The reply is a list, no report: retry it; if it happens often, choose a model that follows a JSON schema."
        )
    if loaded.ending == "cut" and drop_cut_item(value):
        notes.lost["findings_cut_off"] += 1
    fields = Fields(value, notes)
    write = _Writer(notes, numbers)
    summary = write.text(fields.get(_SUMMARY))
    items = items_of(fields.get(_FINDINGS), "summary", notes)
    findings = tuple(found for item in items if (found := write.finding(item)) is not None)
    if not heading(summary) and not any(heading(finding.summary) for finding in findings):
        return notes.malformed(
            "The reply has neither a summary nor findings: retry it; if it happens often, raise the model's limit of "
            "output tokens, or choose a model that follows a JSON schema."
        )
    if not findings and loaded.ending != "closed":
        return notes.malformed(
            "The reply was cut off before its first finding was whole: raise the model's limit of output tokens or "
            "lower the words that a report may have, then retry it."
        )
    if not findings:
        notes.lost["reports_without_findings"] += 1
    if not summary:
        notes.lost["summaries_missing"] += 1
        summary = "\n".join(finding.summary for finding in findings)
    title = " ".join(write.text(fields.get(_TITLE)).split())
    if not title:
        notes.lost["titles_missing"] += 1
        title = heading(summary) or next(filter(None, (heading(finding.summary) for finding in findings)))
    reason = write.text(fields.get(_REASON))
    return notes.reading(ReadReport(title, summary, findings, _rating(fields.get(_RATING), notes), reason))


def heading(text: str) -> str:
    """The first sentence of a text without its citations, or as many of its first words as a heading may have."""
    first = next(filter(None, map(without_citations, text.split("\n"))), "")
    stop = first.find(". ")
    if stop > 0:
        first = first[:stop]
    if len(first) <= _LONGEST_HEADING:
        return first
    return first[:_LONGEST_HEADING].rsplit(" ", 1)[0] + " …"


class _Writer:
    """The texts of one report, cleaned and with their citations mapped."""

    def __init__(self, notes: Notes, numbers: Mapping[str, Sequence[int]]) -> None:
        self._notes = notes
        self._numbers = numbers

    def text(self, value: Any) -> str:
        if isinstance(value, str):
            paragraphs = clean_paragraphs(value)
            if len(paragraphs) > LONGEST_TEXT:
                self._notes.lost["texts_cut_to_length"] += 1
                paragraphs = paragraphs[:LONGEST_TEXT].rstrip()
        else:
            paragraphs = self._notes.text(value)
        return map_citations(paragraphs, self._numbers, self._notes.lost)

    def finding(self, item: Any) -> Finding | None:
        if isinstance(item, str) and item.strip():
            self._notes.mended["text in place of a finding"] += 1
            body = self.text(item)
            return Finding(heading(body), body)
        if not isinstance(item, dict):
            self._notes.lost["items_of_wrong_type"] += 1
            return None
        fields = Fields(item, self._notes)
        summary, body = " ".join(self.text(fields.get(_HEADING)).split()), self.text(fields.get(_BODY))
        if not summary and not body:
            self._notes.lost["findings_without_text"] += 1
            return None
        if not summary:
            self._notes.mended["finding without a summary"] += 1
        return Finding(summary or heading(body), body)


def _rating(given: Any, notes: Notes) -> float:
    number = read_number(given)
    if number is None:
        notes.lost["ratings_not_readable"] += 1
        return 0.0
    if not isinstance(given, int | float):
        notes.mended["rating given as text"] += 1
    if not 0 <= number <= HIGHEST:
        notes.lost["ratings_held_between_0_and_10"] += 1
    return max(0.0, min(HIGHEST, number))
