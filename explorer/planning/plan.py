"""What a question will cost before it is asked: reports, batches, calls, tokens and money, with no call made."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from explorer.base.token_cache import TokenCounter
from explorer.base.valid_text import valid_text
from explorer.models.prices import Price, price_for, price_notes, price_of
from explorer.search.options import GlobalOptions
from explorer.search.prepare import prepare
from explorer.search.sent import count_sent, map_prompts, map_tokens

if TYPE_CHECKING:
    from explorer.models.connection import Connection
    from explorer.tables.index import Index

_EMPTY_REPLY = '{"points": []}'  # the shortest map reply under its schema
_TOKENS_A_WORD = 4 / 3  # of English prose; lengths are asked for in words


class PlannedBatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    report_ids: list[str]
    prompt_tokens: int  # of the messages as they would be sent: template, batch and question


class Plan(BaseModel):
    """The plan of a question over an index at a level.

    `report_tokens` are those of the reports' texts, each report once; `prompt_tokens` those of all map calls, which
    are known to the token, and `sha256` is that of the batch texts joined by one NUL byte. A pair is a range, low and
    high: low has map replies without a point and no reduce call; high has replies and an answer of the length that is
    asked for, and a reduce prompt that fills its budget. `cost` is in US dollars, null where no price is known.
    """

    model_config = ConfigDict(extra="forbid")

    reports: int
    report_tokens: int
    batches: list[PlannedBatch]
    sha256: str
    calls: dict[str, int | tuple[int, int]]
    prompt_tokens: int
    output_tokens: tuple[int, int]
    cost: tuple[float, float] | None
    # beside what the command line promises, for the window:
    level: int | None = None
    reports_mode: str = "roll_up"
    fates: dict[str, int] = Field(default_factory=dict)  # of the reports that will not be read, by reason
    notes: list[str] = Field(default_factory=list)
    models: dict[str, str] = Field(default_factory=dict)  # of each stage, where a connection answers
    stored: int = 0  # map calls that are in the call store: they would cost nothing, and `cost` holds them all the same


def plan(
    index: Index,
    options: GlobalOptions | None = None,
    question: str = "",
    *,
    counter: TokenCounter | None = None,
    connection: Connection | None = None,
) -> Plan:
    """Do everything of a global search that comes before its first call, and say what would follow.

    `counter` counts with the options' tokenizer; by default one that keeps its counts in the index's home.
    `connection` is who would answer: its models' prices make the cost, the project's prompts the tokens; None is the
    offline analyst, which is priced only `as_model`.

    Raises InputError where the index cannot be rolled up, or an edited prompt cannot be used; StorageError where the
    call store cannot be read.
    """
    options = options or GlobalOptions()
    if counter is None:
        with TokenCounter(options.tokenizer, index.home) as own:
            return plan(index, options, question, counter=own, connection=connection)
    from explorer.analysts.prompts import shipped

    question = valid_text(question)
    stored, notes_of_model = 0, list[str]()
    prompts = shipped()
    if connection is not None:
        from explorer.search.ask_model import model_notes, project_prompts, stored_batches  # only who asks a model

        prompts = project_prompts(index)
        notes_of_model = model_notes(connection, prompts)
    prepared = prepare(index, options, counter)
    batches = prepared.batches
    digest = hashlib.sha256()
    for batch in batches:  # one after the other: all joined would be as large as all reports
        digest.update(("\0" if batch.index else "").encode() + batch.text.encode("utf-8", "surrogatepass"))
    contents = hashlib.sha256(b"contents" + digest.digest()).digest()  # the batches say what they are
    if connection is None:
        tokens = map_tokens(question, batches, digest.digest(), options, counter, prompts)
    else:
        sent = map_prompts(question, batches, options, counter, prompts)
        tokens = [messages.prompt_tokens for messages in sent]
        stored = stored_batches(index, sent, connection)
    prompt = sum(tokens)
    frame = prompts.reduce_messages(question, "", options.response_type, options.reduce_max_length)
    reduce_prompt = (count_sent([frame], counter)[0] + options.data_max_tokens) if batches else 0
    low = len(batches) * counter.count(_EMPTY_REPLY)
    words = len(batches) * options.map_max_length + (options.reduce_max_length if batches else 0)
    high = max(low, math.ceil(words * _TOKENS_A_WORD))
    answer = math.ceil(options.reduce_max_length * _TOKENS_A_WORD) if batches else 0
    rows = [row for batch in batches for row in batch.rows]
    cost = None
    mapping, reducing = _price("map", options, connection), _price("reduce", options, connection)
    if mapping is not None and reducing is not None:
        most = mapping.cost(prompt, max(low, high - answer)) + reducing.cost(reduce_prompt, answer)
        cost = (round(mapping.cost(prompt, low), 9), round(most, 9))
    return Plan(
        reports=len(rows),
        report_tokens=sum(counter.count_once(contents, len(rows), lambda: [(row.content,) for row in rows])),
        batches=[
            PlannedBatch(report_ids=[row.report.id for row in batch.rows], prompt_tokens=count)
            for batch, count in zip(batches, tokens, strict=True)
        ],
        sha256=digest.hexdigest(),
        calls={"map": len(batches), "reduce": (0, 1 if batches else 0)},
        prompt_tokens=prompt,
        output_tokens=(low, high),
        cost=cost,
        level=options.level,
        reports_mode=options.reports,
        fates=prepared.account.counts,
        notes=[
            *prepared.notes,
            *price_notes(options.as_model),
            *notes_of_model,
        ],
        models={} if connection is None else {stage: connection.model_for(stage) for stage in ("map", "reduce")},
        stored=stored,
    )


def _price(stage: str, options: GlobalOptions, connection: Connection | None) -> Price | None:
    """What a stage's calls are charged: by the connection's price for its model, else as the rehearsed model's."""
    price = None if connection is None else price_for(connection, connection.model_for(stage))
    return price or price_of(options.as_model)
