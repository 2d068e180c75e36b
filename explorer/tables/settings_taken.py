"""What of a project's settings holds as knobs of ours: each value is tried alone, and what is not allowed is said."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

    from explorer.tables.settings import GraphragSettings


@dataclass(frozen=True)
class Taken:
    """`values` are those that hold, by our knobs; `left_out` says in sentences which do not and why.

    `others` are values that were read and belong to no knob of this kind: those of asking while indexing, and so on.
    """

    path: Path
    values: Mapping[str, object] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    others: Mapping[str, object] = field(default_factory=dict)


def take_settings(
    settings: GraphragSettings, model: type[BaseModel], knobs: Collection[str], given: Collection[str] = ()
) -> Taken:
    """The values of some `knobs`, fields of `model`, that a person has not `given` otherwise."""
    from pydantic import ValidationError

    said: dict[str, object] = dict(settings.values)
    if settings.entity_types is not None:
        said["entity_types"] = settings.entity_types
    values, left_out = dict[str, object](), list(settings.notes)
    for name, value in said.items():
        if name not in knobs or name in given:
            continue
        try:
            model.model_validate({name: value})
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            usual = model.model_fields[name].default
            left_out.append(
                f"{name} {value} in {settings.path.name} is not allowed here ({why[:1].lower()}{why[1:]}); "
                f"{usual} stands."
            )
        else:
            values[name] = value
    others = {name: value for name, value in said.items() if name not in knobs}
    return Taken(settings.path, values, tuple(left_out), others)
