"""Kept points → the answer: the reduce call, or the reason why none was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import KeptPoint, Reply, SearchAnalyst
from explorer.analysts.message import Message
from explorer.analysts.model.search import ANSWER
from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled
from explorer.base.fates import BatchFate, CallFate
from explorer.base.words import agree, share
from explorer.search.calls import by_model, make_call, may_go_on
from explorer.search.map_stage import Accounts, MapResult
from explorer.search.pack_points import Packing
from explorer.search.trace import Answer
from explorer.search.watch import RunWatch

STAGE = "reduce"
CALL_ID = "reduce-0000"
NOTHING = "None of the reports that were read says anything that helps to answer this question."
NO_REPORT = "No report of this index stands for what was asked: its level has none, or all of them were left out."


@dataclass(frozen=True)
class ReduceResult:
    """The answer, and the reply of the call where one was made, with the messages that went out."""

    answer: Answer
    reply: Reply | None = None
    sent: tuple[Message, ...] = ()


def unanswerable(
    results: Sequence[MapResult], packing: Packing, accounts: Accounts, *, stop: str = "", cap: str = ""
) -> Answer | None:
    """The answer where no reduce call is to be made: stopped, cancelled, all lost, nothing relevant, or no room.

    `stop` is the sentence of what ended the run, `cap` that of the cap at which it was cancelled.

    GraphRAG calls the model with empty data where not even the first point fits; here that run failed, and says why.
    """
    fates = [accounts.batches.fate(result.batch.index) for result in results]
    lost = sum(fate in (BatchFate.MALFORMED, BatchFate.FAILED) for fate in fates)
    if stop:
        unread = (
            f"{share(lost, len(fates), 'batch', 'batches')} {agree(lost, 'was', 'were')} not read"
            if lost
            else "the answer was not written"
        )
        return Answer(text="", status="failed", reason=f"{stop} The run ended there: {unread}.")
    if BatchFate.CANCELLED in fates:
        missing = sum(fate == BatchFate.CANCELLED for fate in fates)
        reason = f"{cap} Cancelled with {share(missing, len(fates), 'batch', 'batches')} unread.".strip()
        return Answer(text="", status="cancelled", reason=reason)
    if not fates:
        return Answer(text=NO_REPORT, status="nothing_relevant", reason="There was nothing to read.")
    if not packing.ranked:
        if lost == len(fates):
            every = "the only batch was" if lost == 1 else f"all {lost:,} batches were"
            reason = f"No reply could be read: {every} lost ({_first_reason(results)})."
            return Answer(text="", status="failed", reason=reason)
        of = share(lost, len(fates), "batch", "batches")
        reason = f"{of} {agree(lost, 'was', 'were')} lost, the others hold nothing relevant." if lost else ""
        return Answer(text=NOTHING, status="nothing_relevant", reason=reason)
    if not packing.kept:
        need = packing.ranked[0].tokens
        reason = f"Not even the best point ({need} tokens) fits the budget of the reduce prompt: raise data_max_tokens."
        return Answer(text="", status="failed", reason=reason)
    return None


async def run_reduce(
    question: str,
    packing: Packing,
    analyst: SearchAnalyst,
    sent: tuple[Message, ...],
    prompt_tokens: int,
    accounts: Accounts,
    *,
    watch: RunWatch,
    scope: CancelScope | None,
) -> ReduceResult:
    """Make the reduce call with the kept points and settle it."""
    points = [
        KeptPoint(point.batch, point.text, point.score, place + 1)
        for place in packing.kept
        for point in [packing.ranked[place]]
    ]
    data = packing.data
    reply = None
    if await may_go_on(scope):
        told = (STAGE, ANSWER) if by_model(analyst) else None
        reply = await make_call(
            lambda: analyst.reduce(question, points, data), sent, prompt_tokens, scope, watch, model=told
        )
    if reply is None:
        reason = f"{watch.cap_sentence(scope)} Cancelled before the answer was written.".strip()
        return ReduceResult(Answer(text="", status="cancelled", reason=reason))
    accounts.calls.expect([CALL_ID])
    if reply.fate == CallFate.CANCELLED:
        accounts.calls.settle(CALL_ID, CallFate.CANCELLED)
        answer = Answer(text="", status="cancelled", reason="Cancelled while the answer was written.")
    elif reply.fate == CallFate.FAILED or not reply.text.strip():
        accounts.calls.settle(CALL_ID, CallFate.FAILED)
        answer = Answer(text="", status="failed", reason=f"The answer could not be written: {failure(reply)}.")
    elif reply.fate == CallFate.CACHED:
        accounts.calls.settle(CALL_ID, CallFate.CACHED)
        answer = Answer(text=reply.text, status="answered")
    else:
        accounts.calls.settle(CALL_ID, CallFate.OK)
        answer = Answer(text=reply.text, status="answered")
    if not by_model(analyst):
        fate = str(accounts.calls.fate(CALL_ID))
        watch.sink(CallSettled(STAGE, fate, reply.prompt_tokens, reply.output_tokens, reply.seconds))
    return ReduceResult(answer, reply, sent)


def failure(reply: Reply) -> str:
    """Why a call brought nothing."""
    return (reply.error or "the reply was empty").rstrip(".")


def _first_reason(results: Sequence[MapResult]) -> str:
    for result in results:
        if result.parsed is not None and result.parsed.reason:
            return result.parsed.reason.rstrip(".")
        if result.reply is not None and result.reply.error:
            return result.reply.error.rstrip(".")
    return "without a reason given"
