"""Claims of the text units as rows of the covariates table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import ExtractedClaim, MemberClaim
from explorer.base.ids import content_uuid
from explorer.corpus.material import TextUnit

COVARIATE_TYPE = "claim"


@dataclass(frozen=True)
class ClaimRow:
    id: str
    number: int
    claim: ExtractedClaim

    def member(self) -> MemberClaim:
        """The claim as a report reads it."""
        claim = self.claim
        return MemberClaim(
            self.id, self.number, claim.subject, claim.object, claim.type, claim.status, claim.description
        )

    def row(self) -> dict[str, object]:
        claim = self.claim
        return {
            "id": self.id,
            "human_readable_id": self.number,
            "covariate_type": COVARIATE_TYPE,
            "type": claim.type,
            "description": claim.description,
            "subject_id": claim.subject,
            "object_id": claim.object,
            "status": claim.status,
            "start_date": claim.start_date,
            "end_date": claim.end_date,
            "source_text": claim.source_text,
            "text_unit_id": claim.text_unit_id,
        }


@dataclass(frozen=True)
class ClaimRows:
    """Claims by text unit and in the order in which they were found there, numbered from 0."""

    rows: tuple[ClaimRow, ...] = ()

    def ids_by_unit(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in self.rows:
            found.setdefault(row.claim.text_unit_id, []).append(row.id)
        return found


def claim_rows(claims: Iterable[ExtractedClaim], units: Sequence[TextUnit]) -> ClaimRows:
    """Number the claims of an extraction in the order of the text units.

    One whose subject is no entity of the graph stands in the table and in no report. An id comes from all that a claim
    says and its text unit; of equal ones the second and further are counted in it.
    """
    place = {unit.id: number for number, unit in enumerate(units)}
    ordered = sorted(
        (claim for claim in claims if claim.text_unit_id in place), key=lambda claim: place[claim.text_unit_id]
    )
    seen: Counter[tuple[str, ...]] = Counter()
    rows = []
    for number, claim in enumerate(ordered):
        said = (
            claim.text_unit_id, claim.subject, claim.object, claim.type, claim.status, claim.description,
            claim.start_date, claim.end_date, claim.source_text,
        )  # fmt: skip
        again = (str(seen[said]),) if seen[said] else ()
        seen[said] += 1
        rows.append(ClaimRow(content_uuid(COVARIATE_TYPE, *said, *again), number, claim))
    return ClaimRows(tuple(rows))
