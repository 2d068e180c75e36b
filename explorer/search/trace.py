"""The trace of a run: what every call read, found, kept and threw away.

The window, the export and the tests read nothing else.

Positions count from 0 (`batches[].index`, `points[].position`), ranks from 1. Token counts are those of the tokenizer
that `parameters["tokenizer"]` names. A `cost` is in US dollars and null where no price is known; a `fate` is null only
where the program forgot to settle the item, and then the ledger does not balance.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from explorer.base.fates import BatchFate, CallFate, PointFate, ReportFate, RowFate

SCHEMA_VERSION = 1

AnswerStatus = Literal["answered", "nothing_relevant", "failed", "cancelled"]
Stage = Literal["rate", "map", "reduce", "answer", "embed"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Connection(_Part):
    """Who made the judgements: the connection's name ("offline" …) and its model or grade.

    `models` names the model of each stage, where a language model answered; `model` has the same in words.
    """

    name: str
    model: str
    models: dict[str, str] = Field(default_factory=dict)


class IndexRef(_Part):
    """The index that was asked. `path` is its output folder."""

    name: str
    path: str
    communities: int = 0
    reports: int = 0


class Answer(_Part):
    text: str
    status: AnswerStatus
    reason: str = ""  # one sentence where the status is not "answered"


class ReportEntry(_Part):
    """A report of the index, or a community that has none (`id` is then null and `tokens` 0)."""

    id: str | None
    community: int
    level: int
    title: str
    tokens: int  # of the row that stands for it in a batch, unquoted; of its full content where it stands in none
    fate: ReportFate | None
    batch: int | None = None
    stands_for: list[int] = Field(default_factory=list)  # communities without a report that this ancestor speaks for


class SelectionEntry(_Part):
    """One visit of dynamic selection."""

    community: int
    level: int
    ratings: list[float | None]
    rating: float | None
    decision: str
    reason: str
    call: str | None = None


class BatchEntry(_Part):
    """A map batch. `report_ids` and `communities` stand in the order of the text that was sent."""

    index: int
    report_ids: list[str]
    communities: list[int]
    context_tokens: int  # what the budget counted: header and unquoted rows
    prompt_tokens: int  # of the messages as sent, template, batch and question
    fate: BatchFate | None
    call: str | None
    points: int  # read from its reply, in any state
    used_points: int  # of them kept


class PointEntry(_Part):
    """A point that a map reply made.

    `score` is what counted: a whole number from 0 to 100; `given_score` is what the reply had where that is something
    else (85.9, "70", 140). `rank` is its place, from 1, among the points above 0 by score; null for the others.
    """

    batch: int
    position: int
    text: str
    score: int | None
    given_score: JsonValue = None
    tokens: int  # of its block in the reduce prompt; 0 for a malformed point
    fate: PointFate | None
    rank: int | None = None
    reason: str = ""  # why it is malformed


class ReduceEntry(_Part):
    """The packing of the reduce prompt. `stopped_at` is the rank of the first point that did not fit, or null."""

    budget: int
    used: int
    stopped_at: int | None
    kept: int = 0
    candidates: int = 0  # points above 0


class RowEntry(_Part):
    """A context row of local, drift or basic search."""

    table: str
    id: str
    tokens: int
    fate: RowFate | None
    score: float | None = None


class MessageEntry(_Part):
    role: str
    content: str


class AttemptEntry(_Part):
    """One request that went out for a call: what became of it (ok, malformed, http_429, timeout, dropped …).

    `waited` are the seconds before it, for limits and after a failure; tokens are those that were charged. `reply` is
    what came back where that is not the reply of the call.
    """

    outcome: str
    seconds: float = 0.0
    waited: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    error: str = ""
    reply: str = ""


class CallEntry(_Part):
    """A model call. `id` is its stage and number in the order of the batches, never of the replies.

    Tokens are those of all attempts that were charged, as the server counts them where it does; of a cached reply
    those that it once had. `attempts` are all requests that went out for it (none for a cached one, and none where
    nobody tells), `key` finds the call in the call store, `note` says what was repaired in the reply.
    """

    id: str
    stage: Stage
    fate: CallFate | None
    model: str
    prompt_tokens: int
    output_tokens: int
    billed: bool
    cost: float | None
    seconds: float
    retries: int
    error: str | None
    messages: list[MessageEntry]
    reply: str
    key: str = ""
    note: str = ""
    attempts: list[AttemptEntry] = Field(default_factory=list)


class StageTotals(_Part):
    """Sums of a stage. `cost` is null where one of its calls has none; `seconds` adds up calls, not the clock."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    retries: int = 0


class Waste(_Part):
    """Prompt tokens of map calls whose batch has no point kept, and of failed calls; `share` is of all of them."""

    prompt_tokens: int = 0
    share: float = 0.0
    cost: float | None = None


class AccountEntry(_Part):
    candidates: int = 0
    fates: dict[str, int] = Field(default_factory=dict)
    balanced: bool = True


class Ledger(_Part):
    reports: AccountEntry = Field(default_factory=AccountEntry)
    batches: AccountEntry = Field(default_factory=AccountEntry)
    points: AccountEntry = Field(default_factory=AccountEntry)
    calls: AccountEntry = Field(default_factory=AccountEntry)

    @property
    def balanced(self) -> bool:
        return all(account.balanced for account in (self.reports, self.batches, self.points, self.calls))


class Trace(_Part):
    """One run. `parameters` are all knobs of the method, by GraphRAG's names where it has them, with the tokenizer."""

    schema_version: Literal[1] = 1
    question: str
    method: str
    parameters: dict[str, JsonValue]
    connection: Connection
    index: IndexRef
    started: str  # UTC, ISO 8601
    seconds: float
    answer: Answer
    reports: list[ReportEntry]
    selection: list[SelectionEntry] = Field(default_factory=list)
    selection_log: list[str] = Field(default_factory=list)
    batches: list[BatchEntry]
    points: list[PointEntry]
    reduce: ReduceEntry
    rows: list[RowEntry] = Field(default_factory=list)
    calls: list[CallEntry]
    totals: dict[str, StageTotals]
    waste: Waste
    ledger: Ledger
    notes: list[str] = Field(default_factory=list)  # sentences on what this run left out or did otherwise
