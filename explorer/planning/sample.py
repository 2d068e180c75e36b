"""Which text units of a large folder are rehearsed, and what is known of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.corpus.material import TextUnit
from explorer.indexing.pilot import spread
from explorer.planning.candidates import FEATURES, Candidate, features_of

LONGEST = 20  # units of a stretch of one document that are rehearsed together


def choose_sample(units: Sequence[TextUnit], read: set[str], most: int) -> list[TextUnit]:
    """At most about `most` units in their order: some that a model has `read`, and stretches spread over the folder.

    Whole stretches of documents, because what a document names stands in several of its units.
    """
    if len(units) <= most:
        return list(units)
    chosen = {unit.id for unit in spread([unit for unit in units if unit.id in read], most // 4)}
    found = stretches(units)
    wanted = max(1, (most - len(chosen)) * len(found) // len(units))
    chosen.update(unit.id for stretch in spread(found, wanted) for unit in stretch)
    return [unit for unit in units if unit.id in chosen]


def stretches(units: Sequence[TextUnit]) -> list[list[TextUnit]]:
    """Units of one document that stand beside each other, at most `LONGEST` together."""
    found: list[list[TextUnit]] = []
    for unit in units:
        if found and found[-1][-1].document_id == unit.document_id and len(found[-1]) < LONGEST:
            found[-1].append(unit)
        else:
            found.append([unit])
    return found


def features_of_all(
    units: Sequence[TextUnit], candidates: Mapping[str, Sequence[Candidate]]
) -> dict[str, dict[str, float]]:
    """The features of every unit; one without candidates has as many names for its tokens as the others have."""
    by_id = {unit.id: unit for unit in units}
    found = {unit: features_of(by_id[unit], names) for unit, names in candidates.items()}
    sums = {name: sum(features[name] for features in found.values()) for name in FEATURES}
    each = {name: value / max(1.0, sums["tokens"]) for name, value in sums.items()}
    for unit in units:
        found.setdefault(unit.id, {name: each[name] * unit.n_tokens for name in FEATURES})
    return found
