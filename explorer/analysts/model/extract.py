"""One text unit in conversation with a model: what it names, what it gives when asked again, what it claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import CallCount, UnitText
from explorer.analysts.message import Message
from explorer.analysts.model.call_counts import count_call, sum_counts
from explorer.analysts.model.glean import GLEANINGS_FAILED, add_new
from explorer.analysts.model.read_claims import FoundClaim, read_claims
from explorer.analysts.model.read_extraction import Found, read_extraction
from explorer.analysts.model.schemas import CLAIM_EXTRACTION, ENTITY_EXTRACTION
from explorer.analysts.prompts import CLAIMS, Prompts
from explorer.models.calls import Caller, CallResult, ChatRequest, Reader, ReplySchema

CLAIM_CALLS_FAILED = "claim_calls_failed"
UNITS_WITHOUT_TEXT = "text_units_without_text"


@dataclass(frozen=True)
class ExtractionOptions:
    """What is asked of each text unit. `entity_types` None is: of any type. `max_gleanings` is how often it is asked
    for what it missed; `claims` whether claims are looked for, and `claim_description` which ones.
    """

    entity_types: tuple[str, ...] | None = None
    max_gleanings: int = 1
    claims: bool = False
    claim_description: str = CLAIMS


@dataclass(frozen=True)
class UnitReading:
    """What the calls of one text unit brought; `reason` says why it was not read, "" where it was.

    `lost` counts by name what replies held and could not be used, and calls that failed.
    """

    unit_id: str
    found: Found
    claims: tuple[FoundClaim, ...]
    reason: str
    lost: Counter[str]
    calls: CallCount


async def read_unit(caller: Caller, unit: UnitText, prompts: Prompts, options: ExtractionOptions) -> UnitReading:
    """All calls of one text unit, one after the other: extract, then up to `max_gleanings` times glean, then claims.

    A unit without text is read without a call. A glean that fails keeps what was found before it, and is counted.
    Raises what the caller raises.
    """
    if not unit.text.strip():
        return UnitReading(unit.id, Found(), (), "", Counter({UNITS_WITHOUT_TEXT: 1}), CallCount())
    conversation = _Conversation(caller, unit.id)
    found, reason = await _names(conversation, unit, prompts, options)
    claims: tuple[FoundClaim, ...] = ()
    if options.claims:
        messages = prompts.claim_messages(unit.text, options.claim_description)
        result = await conversation.ask("claims", messages, CLAIM_EXTRACTION, read_claims)
        if result.usable and isinstance(result.value, tuple):
            claims = result.value
        else:
            conversation.lost[CLAIM_CALLS_FAILED] += 1
    return UnitReading(unit.id, found, claims, reason, conversation.lost, conversation.calls)


async def _names(
    conversation: _Conversation, unit: UnitText, prompts: Prompts, options: ExtractionOptions
) -> tuple[Found, str]:
    """What the unit names, and why it could not be read."""
    messages = prompts.extract_messages(unit.text, options.entity_types)
    result = await conversation.ask("extract", messages, ENTITY_EXTRACTION, read_extraction)
    if not result.usable or not isinstance(result.value, Found):
        return Found(), result.error or result.note or "The model gave no reply that could be read; retry the call."
    found = result.value
    for _ in range(options.max_gleanings):
        messages = prompts.glean_messages(messages, result.text)
        result = await conversation.ask("glean", messages, ENTITY_EXTRACTION, read_extraction)
        if not result.usable or not isinstance(result.value, Found):
            conversation.lost[GLEANINGS_FAILED] += 1
            break
        more = add_new(found, result.value, conversation.lost)
        if more == found:
            break
        found = more
    return found, ""


class _Conversation:
    """The calls about one text unit, with what they lost."""

    def __init__(self, caller: Caller, subject: str) -> None:
        self._caller = caller
        self._subject = subject
        self.calls = CallCount()
        self.lost: Counter[str] = Counter()

    async def ask(self, stage: str, messages: Sequence[Message], schema: ReplySchema, read: Reader) -> CallResult:
        sent = tuple((message.role, message.content) for message in messages)
        result = await self._caller.chat(ChatRequest(stage, sent, schema, self._subject, read))
        self.calls = sum_counts((self.calls, count_call(result)))
        self.lost.update(result.lost)
        return result
