"""Reading a reply item by item: what had to be mended and what was lost is kept count of, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.analysts.model.load_reply import Loaded, has_name
from explorer.analysts.model.texts import LONGEST_TEXT, clean_line
from explorer.base.fates import CallFate
from explorer.models.calls import Reading

_HOW = {
    "strict": "",
    "among_words": "the JSON was taken out of the words or marks around it",
    "mended": "broken JSON was mended",
}


class Notes:
    """What the reader of one reply had to do to it.

    `mended` counts, in words, what was read although it was not as asked for; `lost` counts by name what the reply
    held and could not be used.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.mended: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._loaded = loaded

    def reading(self, value: object) -> Reading:
        """The reading of a reply that gave a value: OK where it was as asked for, else REPAIRED and a sentence."""
        parts = [_HOW[self._loaded.how]]
        if self._loaded.ending != "closed":
            parts.append("the reply was cut off")
        parts += [f"{count} × {what}" for what, count in sorted(self.mended.items())]
        said = "; ".join(part for part in parts if part)
        lost = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(self.lost.items()))
        sentences = []
        if said:
            sentences.append(f"Repaired: {said}.")
        if lost:
            sentences.append(f"Left out or changed: {lost}.")
        fate = CallFate.REPAIRED if sentences else CallFate.OK
        return Reading(fate, value, " ".join(sentences), dict(self.lost))

    def malformed(self, reason: str) -> Reading:
        """The reading of a reply that gave nothing."""
        return Reading(CallFate.MALFORMED, None, reason, dict(self.lost))

    def text(self, value: object) -> str:
        """A field that should be text as one clean line; "" for what is none."""
        if isinstance(value, str):
            line = clean_line(value)
        elif isinstance(value, bool) or value is None:
            return ""
        elif isinstance(value, int | float):
            self.mended["number in place of a text"] += 1
            line = clean_line(short(value))
        elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            self.mended["list in place of a text"] += 1
            line = clean_line("; ".join(value))
        else:
            self.lost["fields_of_wrong_type"] += 1
            return ""
        if len(line) > LONGEST_TEXT:
            self.lost["texts_cut_to_length"] += 1
            line = line[:LONGEST_TEXT].rstrip()
        return line


class Fields:
    """The fields of one object of a reply, found under the name asked for or under another that models use."""

    def __init__(self, item: Mapping[Any, Any], notes: Notes) -> None:
        self._fields = {_plain(key): (key, item[key]) for key in item}
        self._notes = notes

    def get(self, names: Sequence[str]) -> Any:
        """The value of the first of some names that the object has; None where it has none."""
        for name in names:
            if name in self._fields:
                written, value = self._fields[name]
                if written != names[0]:
                    self._notes.mended[f'"{clean_line(str(written))[:50]}" read as "{names[0]}"'] += 1
                return value
        return None

    def has(self, names: Sequence[str]) -> bool:
        return any(name in self._fields for name in names)

    def text(self, names: Sequence[str]) -> str:
        return self._notes.text(self.get(names))


def _plain(key: object) -> str:
    return str(key).strip().lower().replace(" ", "_").replace("-", "_")


def items_of(value: Any, key: str, notes: Notes) -> list[Any]:
    """The items of a field that should be a list; an object of objects gives its keys as `key`, nothing gives none."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and key and all(isinstance(item, dict) for item in value.values()):
        notes.mended["object in place of a list"] += 1
        return [{key: name, **item} for name, item in value.items()]
    if isinstance(value, dict) and value:
        notes.mended["one object in place of a list"] += 1
        return [value]
    if value is None or value == {}:
        return []
    notes.lost["fields_of_wrong_type"] += 1
    return []


def only_object(value: Any, names: frozenset[str], notes: Notes) -> Any:
    """The object that a reply wrapped in another ({"result": {...}}), where just one of its fields holds such a one."""
    if isinstance(value, dict) and not has_name(value, names):
        inner = [item for item in value.values() if has_name(item, names)]
        if len(inner) == 1:
            notes.mended["object inside another"] += 1
            return inner[0]
    return value


def drop_cut_item(value: Any) -> bool:
    """Take the last item off the last list of a reply that was cut off in it; whether there was one."""
    last = list(value.values())[-1] if isinstance(value, dict) and value else value
    if isinstance(last, list) and last:
        last.pop()
        return True
    if isinstance(last, dict) and last:  # items by name
        last.popitem()
        return True
    return False


def short(value: object) -> str:
    """A number as text; one with thousands of digits is no text."""
    try:
        return str(value)[:200]
    except ValueError:  # Python refuses to print very long whole numbers
        return ""
