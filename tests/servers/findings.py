"""Names, links and claims that the scripted model finds in a text: the same each time, and each by its own sentence.

A changed sentence changes what is found in it and nothing else, as with a model at temperature 0 at its best.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.servers.settings import share
from tests.servers.tasks import Ask
from tests.servers.texts import TYPES, clipped, factor, kind, names, sentences

NAMES = 10  # of a text that says as much as the middle one
LINKS = 9
GLEANED = 4


@dataclass
class Found:
    """Entities by name with the sentences that name them; links by their names with the sentences that hold both."""

    entities: dict[str, list[str]] = field(default_factory=dict)
    links: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def find(text: str) -> tuple[Found, Found]:
    """What a first reading finds, and what a second one adds (often nothing)."""
    everything = Found()
    for sentence in sentences(text):
        present = names(sentence)[:5]
        for name in present:
            everything.entities.setdefault(name, []).append(sentence)
        for number, source in enumerate(present):
            for target in present[number + 1 :]:
                everything.links.setdefault((source, target), []).append(sentence)
    much = factor(text)
    order = list(everything.entities)
    first = order[: max(2, round(NAMES * much))]
    more = order[len(first) : len(first) + int(share("glean", text[:120]) * (GLEANED + 1))]
    return (
        _part(everything, set(first), set(first), max(2, round(LINKS * much))),
        _part(everything, set(more), {*first, *more}, GLEANED, new=set(more)),
    )


def _part(found: Found, shown: set[str], known: set[str], links: int, new: set[str] | None = None) -> Found:
    pairs = [
        pair for pair in found.links if set(pair) <= known and pair[0] != pair[1] and (new is None or set(pair) & new)
    ]
    return Found(
        {name: said for name, said in found.entities.items() if name in shown},
        {pair: found.links[pair] for pair in pairs[:links]},
    )


def description(sentences_: list[str]) -> str:
    """What the text says of a name: up to two sentences, shorter or longer by half."""
    text = " ".join(dict.fromkeys(sentences_[:2]))
    return clipped(text, round(24 * (0.5 + share("words", text))))


def strength(sentences_: list[str]) -> int:
    return 1 + int(share("strength", *sentences_) * 9) if sentences_ else 1


def offered_types(ask: Ask) -> tuple[str, ...]:
    """The types that the prompt lists, or a few usual ones."""
    first = ask.messages[0][1][:12_000] if ask.messages else ""
    match = re.search(r"one of(?: the following types)?: ?\[?([^\]\n)]+)|\nEntity_types: ([^\n]+)", first)
    listed = (match.group(1) or match.group(2)) if match else ""
    types = tuple(part.strip(" \"'.;") for part in listed.split(",") if 0 < len(part.strip(" \"'.;")) < 40)
    return types or TYPES


def extraction(ask: Ask) -> dict[str, object]:
    """Entities and relationships of the text; of a gleaning only those that the first reply lacks."""
    first, more = find(ask.given)
    found = more if ask.answered_before else first
    types = offered_types(ask)
    return {
        "entities": [
            {"title": name, "type": kind(name, types), "description": description(said)}
            for name, said in found.entities.items()
        ],
        "relationships": [
            {"source": source, "target": target, "description": description(said), "strength": strength(said)}
            for (source, target), said in found.links.items()
        ],
    }


def claims(ask: Ask) -> dict[str, object]:
    """A claim for every third sentence or so that names somebody."""
    if ask.answered_before:
        return {"claims": []}
    made = []
    for sentence in sentences(ask.given):
        present = names(sentence)
        if present and share("claim", sentence) < 0.33:
            year = re.search(r"\b1[5-9]\d\d\b|\b20\d\d\b", sentence)
            made.append(
                {
                    "subject": present[0],
                    "object": present[1] if len(present) > 1 else "NONE",
                    "type": ("STATEMENT", "DECISION", "EVENT")[int(share("kind", sentence) * 3)],
                    "status": ("TRUE", "FALSE", "SUSPECTED")[int(share("status", sentence) * 3)],
                    "description": clipped(sentence, 25),
                    "start_date": f"{year.group()}-01-01" if year else "NONE",
                    "end_date": f"{year.group()}-12-31" if year else "NONE",
                    "source_text": sentence,
                }
            )
    return {"claims": made[: max(1, round(6 * factor(ask.given)))]}


def as_tuples(ask: Ask) -> str:
    """The same as the records that GraphRAG's own prompts ask for."""
    if "Answer Y" in ask.question[-400:]:  # is there still more?
        return "N"
    records: list[str] = []
    if ask.task == "claim_extraction":
        for claim in claims(ask)["claims"]:  # type: ignore[attr-defined]
            fields = ("subject", "object", "type", "status", "start_date", "end_date", "description", "source_text")
            records.append("(" + "<|>".join(str(claim[field]) for field in fields) + ")")
    else:
        found = extraction(ask)
        for entity in found["entities"]:  # type: ignore[attr-defined]
            records.append(f'("entity"<|>{entity["title"].upper()}<|>{entity["type"]}<|>{entity["description"]})')
        for link in found["relationships"]:  # type: ignore[attr-defined]
            ends = f"{link['source'].upper()}<|>{link['target'].upper()}"
            records.append(f'("relationship"<|>{ends}<|>{link["description"]}<|>{link["strength"]})')
    return "\n##\n".join(records) + "\n<|COMPLETE|>"
