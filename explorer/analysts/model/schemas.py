"""The schemas under which replies are asked for. Closed, every field required: OpenAI's strict mode takes them as is.

Their names tell any server which task a call belongs to. Descriptions, reduce and answers are plain text.
"""

from __future__ import annotations

from collections.abc import Mapping

from explorer.models.calls import ReplySchema

_TEXT: Mapping[str, object] = {"type": "string"}
_NUMBER: Mapping[str, object] = {"type": "number"}
_WHOLE: Mapping[str, object] = {"type": "integer"}


def _object(**fields: object) -> dict[str, object]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _list(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


ENTITY_EXTRACTION = ReplySchema(
    "entity_extraction",
    _object(
        entities=_list(_object(title=_TEXT, type=_TEXT, description=_TEXT)),
        relationships=_list(_object(source=_TEXT, target=_TEXT, description=_TEXT, strength=_NUMBER)),
    ),
)
CLAIM_EXTRACTION = ReplySchema(
    "claim_extraction",
    _object(
        claims=_list(
            _object(
                subject=_TEXT,
                object=_TEXT,
                type=_TEXT,
                status={"type": "string", "enum": ["TRUE", "FALSE", "SUSPECTED"]},
                description=_TEXT,
                start_date=_TEXT,
                end_date=_TEXT,
                source_text=_TEXT,
            )
        )
    ),
)
COMMUNITY_REPORT = ReplySchema(
    "community_report",
    _object(
        title=_TEXT,
        summary=_TEXT,
        findings=_list(_object(summary=_TEXT, explanation=_TEXT)),
        rating=_NUMBER,
        rating_explanation=_TEXT,
    ),
)
MAP_POINTS = ReplySchema("map_points", _object(points=_list(_object(description=_TEXT, score=_WHOLE))))
COMMUNITY_RATING = ReplySchema("community_rating", _object(rating=_WHOLE, reason=_TEXT))
DRIFT_PRIMER = ReplySchema(
    "drift_primer", _object(intermediate_answer=_TEXT, score=_WHOLE, follow_up_queries=_list(_TEXT))
)
DRIFT_STEP = ReplySchema("drift_step", _object(response=_TEXT, score=_WHOLE, follow_up_queries=_list(_TEXT)))

ALL = (
    ENTITY_EXTRACTION, CLAIM_EXTRACTION, COMMUNITY_REPORT, MAP_POINTS, COMMUNITY_RATING, DRIFT_PRIMER, DRIFT_STEP,
)  # fmt: skip
