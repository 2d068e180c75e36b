"""The prompts of a GraphRAG project, offered: which of them this program can send, as what, and what of them it lacks.

GraphRAG fills `{field}`, this program `$field`. A prompt can be sent here where every field of it is one that is filled
here, where it has a place for the data, and where it asks for the reply that is read here. Nothing is imposed: a prompt
that is taken over becomes the edited prompt of one index, as if it had been typed, and can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

from explorer.analysts.prompt_files import PromptText, keep_prompt, load_prompts
from explorer.analysts.prompts import INDEX_PROMPTS, LONGEST, check_prompt, prompt_fields, prompt_names, shipped_text
from explorer.base.errors import InputError

if TYPE_CHECKING:
    from explorer.tables.settings import GraphragSettings

MEANING = (
    "Taking a prompt over makes it this index's own in place of the one that ships: GraphRAG's {field} becomes $field, "
    "the rest of its text stays, and so does the project's file. Calls of it are made anew. The prompts that ship put "
    "the text of documents last, so that nothing in it can pass for an order; one of GraphRAG may not."
)
_OURS = {"entity_name": "title", "description_list": "descriptions"}  # what GraphRAG calls the same
_LIMITS = {  # fields that GraphRAG's older prompts have no place for: what is put before them
    "max_length": "Write at most $max_length words.",
    "max_report_length": "Write at most $max_report_length words.",
    "response_type": "The form of the answer: $response_type.",
}
_MARKS = ("<|>", "<|COMPLETE|>", "{tuple_delimiter}", "{record_delimiter}", "{completion_delimiter}")
_NOT_HERE = "It is sent while indexing, and GraphRAG made this index: take it over for the folder of documents."
_UNSENT = ("answer",)  # no method of asking sends it yet


@dataclass(frozen=True)
class PromptOffer:
    """One prompt of a project. `name` is ours ("" where nothing of ours does its work), `text` what would be kept.

    `fills` are the fields that it has a place for, `added` those it has none for and gets a line for; `wrong` says in
    one sentence why it cannot be taken over ("" where it can), and `taken` whether it is what the index has now.
    """

    name: str
    use: str
    path: Path
    text: str = ""
    fills: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    wrong: str = ""
    taken: bool = False

    @property
    def words(self) -> str:
        """What would happen to it, in one or two sentences."""
        if self.wrong:
            return self.wrong
        added = [f" It has no place for ${name}; a line is put before it: {_LIMITS[name]}" for name in self.added]
        state = " It is in use." if self.taken else ""
        fields = _and([f"${field}" for field in self.fills])
        return f"Can be sent as {self.name}; it fills {fields}.{''.join(added)}{state}"


def find_offers(
    settings: GraphragSettings | None, folder: Path | None, *, foreign: bool = False
) -> tuple[PromptOffer, ...]:
    """The prompts that a project's settings name, those with a counterpart here first, in the order of the pipeline.

    `folder` holds the edited prompts of the index in question, to say which are in use; `foreign` is one that GraphRAG
    made, which is asked and not indexed here. Files are read, nothing is written; one that cannot be read is an offer
    that says so. No settings give no offers.
    """
    if settings is None:
        return ()
    edited = {prompt.name: prompt.text for prompt in load_prompts(folder) if prompt.edited}
    offers = []
    for name, path in settings.prompts.items():
        if not path.exists():
            offers.append(PromptOffer(name, name, path, wrong=_not_there(settings)))
        elif name in prompt_names():
            elsewhere = foreign and name in INDEX_PROMPTS
            offer = PromptOffer(name, name, path, wrong=_NOT_HERE) if elsewhere else _offer(name, path)
            offers.append(replace(offer, taken=bool(offer.text) and edited.get(name) == offer.text))
    for use, path in settings.unused_prompts:
        missing = f" {_not_there(settings)}" if not path.exists() else ""
        offers.append(PromptOffer("", use, path, wrong=f"GraphRAG sends it for {use}; nothing here does.{missing}"))
    return tuple(offers)


def _not_there(settings: GraphragSettings) -> str:
    return f"{settings.path.name} names this file, and it does not exist."


def take_over(folder: Path, offer: PromptOffer) -> PromptText:
    """Keep an offered prompt as an index's own. Raises InputError where it cannot be, StorageError where the disk
    refuses."""
    if offer.wrong:
        raise InputError(f"{offer.path.name} was not taken over: {offer.wrong}")
    return keep_prompt(folder, offer.name, offer.text)


def _offer(name: str, path: Path) -> PromptOffer:
    def refused(sentence: str) -> PromptOffer:
        return PromptOffer(name, name, path, wrong=sentence)

    if name in _UNSENT:
        return refused("No method of asking sends such a prompt yet.")
    try:
        raw = _read(path)
        text, found, unknown = _converted(raw, prompt_fields(name))
    except InputError as error:
        return refused(error.sentence)
    marks = [mark for mark in _MARKS if mark in raw]
    if marks:
        return refused(
            f"It asks for a list with marks ({marks[0]}), and this program reads JSON: take what you want of its words "
            f"into the prompt {name}."
        )
    if unknown:
        return refused(f"It has {_and([f'{{{field}}}' for field in unknown])}, which nothing here fills.")
    missing = [field for field in prompt_fields(name) if field not in found]
    data = [field for field in missing if field not in _LIMITS]
    if data:
        theirs = {ours: name for name, ours in _OURS.items()}
        return refused(f"It has no place for {_and([f'{{{theirs.get(field, field)}}}' for field in data])}.")
    unnamed = [field for field in _reply_fields(name) if not re.search(rf"\b{field}\b", raw)]
    if unnamed:
        return refused(f"It does not ask for {_and(unnamed)}, which this program reads in the reply.")
    text = "\n".join([*(_LIMITS[field] for field in missing), text])
    try:
        check_prompt(name, text)
    except InputError as error:
        return refused(error.sentence)
    if text == shipped_text(name):
        return refused("It is the prompt that ships, word for word.")
    return PromptOffer(name, name, path, text, tuple(found), tuple(missing))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LONGEST:
            raise InputError(f"It has more than {LONGEST:,} characters.")
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"It cannot be read as text ({type(error).__name__}).") from None
    if len(text) > LONGEST - 1_000:
        raise InputError(f"It has more than {LONGEST - 1_000:,} characters.")
    if "\0" in text or not text.strip():
        raise InputError("It is empty." if not text.strip() else "It is no text.")
    return text


def _converted(raw: str, ours: Sequence[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """The text with our fields, the fields in the order they come, and fields of GraphRAG that nothing here fills."""
    parts, found, unknown = [], list[str](), list[str]()
    try:
        for literal, field, form, turn in Formatter().parse(raw):
            parts.append(literal.replace("$", "$$"))
            if field is None:
                continue
            known = _OURS.get(field, field)
            if known not in ours or form or turn:
                unknown.append(field)
            elif known not in found:
                found.append(known)
            parts.append(f"${{{known}}}")
    except ValueError:
        raise InputError("It has a brace that belongs to no field: GraphRAG could not fill it either.") from None
    return "".join(parts).strip("\n"), tuple(found), list(dict.fromkeys(unknown))


def _reply_fields(name: str) -> list[str]:
    """The names that a JSON reply to a prompt must have; none for a prompt whose reply is plain text."""
    from explorer.analysts.model.schemas import ALL

    def names(part: object) -> list[str]:
        if not isinstance(part, dict):
            return []
        fields = part.get("properties", {})
        below = [deep for value in fields.values() for deep in names(value)]
        return [*fields, *below, *names(part.get("items"))]

    schema = next((schema.schema for schema in ALL if schema.name == name), None)
    return list(dict.fromkeys(names(dict(schema)))) if schema is not None else []


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "nothing"
