"""A value that fits a JSON schema: what the model has to say where names of fields match, something plain elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.servers.settings import share

SYNONYMS = (
    ("title", "name", "entity_name", "entity"),
    ("type", "entity_type", "claim_type", "kind"),
    ("description", "text", "answer", "explanation", "statement"),
    ("strength", "weight", "relationship_strength"),
    ("source", "source_entity", "from"),
    ("target", "target_entity", "to"),
    ("score", "importance"),
    ("subject", "subject_id"),
    ("object", "object_id"),
    ("source_text", "quote", "evidence"),
    ("reason", "rating_explanation", "why"),
    ("intermediate_answer", "response", "answer"),
    ("follow_up_queries", "follow_ups", "questions"),
)


def fit(schema: Mapping[str, Any], value: Any, *, seed: str = "", root: Mapping[str, Any] | None = None) -> Any:
    """`value` in the form of `schema`: properties that it lacks are made up, those unknown to the schema left out."""
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    options = schema.get("enum")
    if options:
        return value if value in options else options[int(share("enum", seed, value) * len(options))]
    kind = schema.get("type")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        kind = "null" if value is None and "null" in kind else next(item for item in kind if item != "null")
    if kind == "object" or "properties" in schema:
        return _object(schema, value, seed, root)
    if kind == "array":
        items = schema.get("items", {})
        given = value if isinstance(value, Sequence) and not isinstance(value, str) else []
        filled = [fit(items, item, seed=f"{seed}/{number}", root=root) for number, item in enumerate(given)]
        missing = int(schema.get("minItems", 0)) - len(filled)
        filled += [fit(items, None, seed=f"{seed}+{number}", root=root) for number in range(max(0, missing))]
        return filled[: int(schema.get("maxItems", len(filled)))]
    return _scalar(kind, schema, value, seed)


def _object(schema: Mapping[str, Any], value: Any, seed: str, root: Mapping[str, Any]) -> dict[str, Any]:
    given = value if isinstance(value, Mapping) else {}
    return {
        name: fit(part, _found(given, name), seed=f"{seed}.{name}", root=root)
        for name, part in schema.get("properties", {}).items()
    }


def _found(given: Mapping[str, Any], name: str) -> Any:
    if name in given:
        return given[name]
    for group in SYNONYMS:
        if name in group:
            for other in group:
                if other in given:
                    return given[other]
    return None


def _scalar(kind: Any, schema: Mapping[str, Any], value: Any, seed: str) -> Any:
    if kind == "null":
        return None
    if kind == "boolean":
        return value if isinstance(value, bool) else share("bool", seed) < 0.5
    if kind in ("integer", "number"):
        low, high = float(schema.get("minimum", 0)), float(schema.get("maximum", 10))
        number = float(value) if isinstance(value, int | float) else low + share("number", seed) * (high - low)
        number = min(max(number, low), high) if "minimum" in schema or "maximum" in schema else number
        return int(number) if kind == "integer" else number
    return str(value) if value is not None else f"something about {seed.rsplit('.', 1)[-1] or 'it'}"


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[part]
        schema = target
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            branches = [_resolved(branch, root) for branch in schema[word]]
            return next((branch for branch in branches if branch.get("type") != "null"), branches[0])
    return schema
