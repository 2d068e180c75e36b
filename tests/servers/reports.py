"""What the scripted model writes about data it is given: reports, points, ratings, answers; each cites local rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.servers.settings import share
from tests.servers.tasks import Ask
from tests.servers.texts import clipped, factor, sentences, words

_SECTION = re.compile(
    r"^[-#*\s]*(Entities|Relationships|Reports|Claims|Sources|Sub-?communities|Text units)\b[-\s:]*$", re.I
)
_ROW = re.compile(r"^[\s(\[]*(\d+)[\])]?\s*[,|\t:]\s*(.+)$")
_CITATION = re.compile(r"\[Data:[^\]]*\]")
FINDINGS = 5


@dataclass(frozen=True)
class Row:
    section: str
    number: int
    title: str
    text: str


def rows(data: str) -> list[Row]:
    """The rows of tables in a context: a line that begins with a number and a separator, under its heading."""
    found: list[Row] = []
    section = "Entities"
    for line in data.splitlines():
        heading = _SECTION.match(line)
        if heading:
            section = heading.group(1).capitalize()
            continue
        match = _ROW.match(line)
        if match:
            cells = [cell.strip(' "') for cell in re.split(r"[|,\t]", match.group(2))]
            found.append(Row(section, int(match.group(1)), cells[0], match.group(2)))
    return found


def cited(chosen: Sequence[Row]) -> str:
    """The rows as a reference."""
    sections: dict[str, list[int]] = {}
    for row in chosen:
        numbers = sections.setdefault(row.section, [])
        if row.number not in numbers and len(numbers) < 5:
            numbers.append(row.number)
    return "[Data: " + "; ".join(f"{name} ({', '.join(map(str, ns))})" for name, ns in sections.items()) + "]"


def report(ask: Ask) -> dict[str, object]:
    """A report with five findings on the first rows of the context."""
    data = ask.given
    table = rows(data)
    members = [row for row in table if row.section == "Entities"] or table
    links = [row for row in table if row.section == "Relationships"]
    names = list(dict.fromkeys(row.title for row in members))[:2] or ["Nobody"]
    title = " and ".join(names)
    findings = []
    for number in range(FINDINGS):
        rests_on = [*members[number : number + 2], *links[number : number + 1]] or members[:1] or table[:1]
        reference = f" {cited(rests_on)}" if rests_on else ""
        told = ". ".join(row.text.replace("|", ", ") for row in rests_on) or "The data are silent"
        about = rests_on[0].title if rests_on else "nothing"
        findings.append(
            {
                "summary": f"{about} holds a part of it together",
                "explanation": clipped(told, round(60 * (0.5 + share("explain", told)))) + f".{reference}",
            }
        )
    first = cited(members[:2]) if members else ""
    return {
        "title": title,
        "summary": f"{title} stand at the centre of {len(members)} members with {len(links)} links. {first}".strip(),
        "findings": findings,
        "rating": round(1 + share("rating", data) * 8, 1),
        "rating_explanation": f"It matters to whoever asks about {names[0]}.",
    }


def points(ask: Ask) -> dict[str, object]:
    """Points on the reports of a batch that share a word with the question; sometimes one without value, often none."""
    wanted = {word for word in words(ask.question) if len(word) > 3}
    context = ask.messages[0][1] if ask.messages else ""
    found = []
    for row in rows(ask.given or context):
        overlap = len(wanted & words(row.text)) / (len(wanted) or 1)
        chance = share("point", row.text, ask.question)
        if overlap > 0 or chance < 0.3:
            score = min(100, int(100 * overlap * (0.5 + chance)) + (0 if chance < 0.1 else int(20 * chance)))
            text = clipped(row.text.replace("|", " "), round(40 * (0.5 + chance)))
            found.append({"description": f"{text} [Data: Reports ({row.number})]", "score": score})
    return {"points": found[: max(1, round(6 * factor(context[-200:])))]}


def rating(ask: Ask) -> dict[str, object]:
    """How much of the question stands in the text, from 0 to 5."""
    wanted = {word for word in words(ask.question) if len(word) > 3}
    text = ask.messages[0][1]
    overlap = len(wanted & words(ask.given)) / (len(wanted) or 1)
    value = min(5, int(5 * overlap + 2 * share("rate", text)))
    return {"rating": value, "reason": f"The text bears on {round(100 * overlap)} % of what is asked."}


def drift(ask: Ask) -> dict[str, object]:
    """A first answer, its worth, and what to ask next."""
    answer = plain(ask)
    topics = [row.title for row in rows(ask.prompt)][:3] or ["the collection"]
    return {
        "intermediate_answer": answer,
        "response": answer,
        "score": int(100 * share("drift", ask.prompt)),
        "follow_up_queries": [f"What else is said about {topic}?" for topic in topics],
    }


def plain(ask: Ask) -> str:
    """Text: what the data say, joined and cut, longer or shorter by half, with the references that stand there."""
    data = ask.given
    lines = [line.strip(" -*\t\"'[],") for line in data.splitlines() if line.strip()]
    said = [line for line in dict.fromkeys(lines) if len(line.split()) > 2] or sentences(ask.question) or ["Yes"]
    text = clipped(" ".join(said[:12]), round(45 * factor(data)))
    references = list(dict.fromkeys(_CITATION.findall(data)))[:3]
    missing = [reference for reference in references if reference not in text]
    return " ".join([text, *missing])
