"""A chat request → the content of the reply: a function of the request and of nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.servers import findings, reports
from tests.servers.generic import fit
from tests.servers.settings import share
from tests.servers.tasks import Ask

_WRITERS: Mapping[str, Callable[[Ask], dict[str, object]]] = {
    "entity_extraction": findings.extraction,
    "claim_extraction": findings.claims,
    "community_report": reports.report,
    "map_points": reports.points,
    "community_rating": reports.rating,
    "drift_primer": reports.drift,
    "drift_step": reports.drift,
}


def write(ask: Ask) -> str:
    """What a good model would say: JSON where JSON is asked for, GraphRAG's records, or text."""
    if ask.form == "tuples":
        return findings.as_tuples(ask)
    if ask.form == "text":
        return reports.plain(ask)
    writer = _WRITERS.get(ask.task)
    value: object = writer(ask) if writer else {"text": reports.plain(ask)}
    if ask.schema is not None:
        value = fit(ask.schema, value, seed=ask.question[:200])
    return json.dumps(value, ensure_ascii=False)


def spoil(content: str, fault: str) -> str:
    """The content as a model that does not quite obey gives it."""
    if fault in ("truncated", "length"):
        return content[: len(content) // 2]
    if fault == "prose":
        return f"Certainly! Here is what I found:\n\n{content}\n\nLet me know if there is more that I can do."
    if fault == "fenced":
        return f"```json\n{content}\n```"
    if fault == "nonsense":
        return "I am glad to help with that. The text is rich, and there is much to say about it."
    if fault == "wrong_types":
        return _wrong_types(content)
    return "" if fault == "empty_content" else content


def _wrong_types(content: str) -> str:
    """Numbers as text, lists as one of their items, text as a list: by turns, so that some of it can be read."""
    try:
        value = json.loads(content)
    except ValueError:
        return content[::-1]
    return json.dumps(_wrong(value, 0), ensure_ascii=False)


def _wrong(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return {name: _wrong(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        if depth == 1 and share("list", len(value)) < 0.3:
            return "; ".join(map(str, value))
        return [_wrong(item, depth + 1) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return f"about {value}" if depth > 2 else str(value)
    return [value] if share("text", value) < 0.15 else value
