"""Estimates against what the scripted server then charges: its replies are longer or shorter by half."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from explorer.analysts.prompts import Prompts
from explorer.base.tokens import count_tokens
from explorer.corpus.folder import find_files
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.models.connection import Connection
from explorer.models.prices import Price
from explorer.planning.bill import Bill, compare
from explorer.planning.estimate import estimate
from explorer.planning.estimated import Estimate
from tests.servers.running import RunningServer

PRICES = {"chat": Price(prompt=0.40, output=1.60), "embed": Price(prompt=0.02)}


def connection_to(server: RunningServer, **fields: object) -> Connection:
    return Connection(
        name="scripted", base_url=server.url, chat_model="chat", embedding_model="embed", key="none",
        tokenizer="o200k_base", concurrency=32, prices=PRICES, **fields,
    )  # fmt: skip


def outside(bill: Bill) -> list[str]:
    """The figures that lay outside their ranges."""
    return [
        f"{name} {figure}: {checked.actual} not in {checked.estimated}"
        for name, stage in {**bill.stages, "total": bill.total}.items()
        for figure, checked in stage
        if checked.inside is False
    ]


def sent_to_extract(server: RunningServer) -> int:
    """Prompt tokens of first readings, as the server counted them."""
    log = server.log("chat")
    return sum(entry.prompt_tokens for entry in log if entry.task == "entity_extraction" and entry.messages == 1)


@pytest.fixture
def corpus(shared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return Path(shutil.copytree(shared / "corpora" / request.param, tmp_path / request.param))


@pytest.mark.parametrize(
    "corpus",
    ["small_dulce", "small_christmas_carol", pytest.param("small_inaugural", marks=pytest.mark.slow)],
    indirect=True,
)
def test_the_bill_lies_in_the_estimate(corpus: Path, model_server: RunningServer) -> None:
    connection = connection_to(model_server)
    before = estimate(corpus, connection=connection)
    assert not (corpus / ".graphrag-explorer").exists(), "an estimate writes nothing"
    assert model_server.log() == []

    tried = index_folder(corpus, connection=connection, pilot=20)
    after = estimate(corpus, connection=connection, pilot=tried.pilot)
    assert after.basis == "pilot" and after.pilot_units == 20
    assert after.stages["extract"].cached == 20
    assert after.spent == pytest.approx(sum(calls.cost or 0.0 for calls in tried.calls.values()))

    whole = index_folder(corpus, connection=connection, vectors=True)
    bill = compare(after, whole.calls)
    assert bill.stages["extract"].prompt_tokens.error == 0
    assert isinstance(after.stages["extract"].prompt_tokens, int)
    assert outside(bill) == []
    for figure in (bill.total.cost, bill.total.prompt_tokens):
        assert figure.error is not None and abs(figure.error) <= 0.10, bill.total
    # The first estimate was of the whole folder: what the pilot was charged for readings is a part of it.
    extract, glean = before.stages["extract"], before.stages["glean"]
    assert extract.prompt_tokens == sum(run.calls["extract"].prompt_tokens for run in (tried, whole))
    paid = [tried.calls["glean"].prompt_tokens + whole.calls["glean"].prompt_tokens]
    assert glean.prompt_tokens[0] <= paid[0] <= glean.prompt_tokens[1]
    for stage in ("describe", "reports", "embed"):
        said, was = before.stages[stage], whole.calls[stage]
        assert said.prompt_tokens[0] <= was.prompt_tokens <= said.prompt_tokens[1]
    assert (
        before.cost is not None and before.cost[0] < (bill.total.cost.actual or 0) + (after.spent or 0) < before.cost[1]
    )

    again = estimate(corpus, connection=connection)
    assert again.calls == again.stages["embed"].calls, "what is known is not asked again"
    assert again.stages["extract"].cached == before.text_units


@pytest.mark.parametrize("mode", ["json_schema", "json_object", "text"])
def test_the_tokens_of_extraction_are_the_server_s(mode: str, tmp_path: Path, model_server: RunningServer) -> None:
    """Also where the schema stands in the prompt."""
    for number in range(3):
        text = f"Clara Weiss wrote to Bruno Adler about mill {number}.\n\nBruno Adler left for Prague in May. "
        (tmp_path / f"{number}.txt").write_text(text * 30, encoding="utf-8")
    connection = connection_to(model_server, reply_mode=mode)
    options = IndexOptions(claims=True, max_gleanings=2)
    said = estimate(tmp_path, connection=connection, options=options)
    summary = index_folder(tmp_path, connection=connection, options=options)
    assert said.stages["extract"].prompt_tokens == summary.calls["extract"].prompt_tokens > 0
    assert said.stages["claims"].prompt_tokens == summary.calls["claims"].prompt_tokens > 0
    assert said.stages["extract"].calls == 3
    low, high = said.stages["glean"].calls
    assert low <= summary.calls["glean"].count <= high == 6


def test_known_by_hand(tmp_path: Path) -> None:
    """Two short files, one unit each, one that is left out; no server is there to be asked."""
    texts = {"a.txt": "Ada met Grace in Paris.", "b.txt": "Grace went home."}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "c.bin").write_bytes(b"\0\1\2")
    connection = Connection(name="none", base_url="http://127.0.0.1:9/v1", chat_model="gpt-4o-mini", key="none")
    said = estimate(tmp_path, connection=connection)
    prompts = Prompts()
    expected = sum(
        count_tokens(message.content, "o200k_base")
        for text in texts.values()
        for message in prompts.extract_messages(text)
    )
    assert (said.documents, said.text_units, said.files) == (2, 2, {"indexed": 2, "skipped": 1})
    assert [path for path, _ in said.skipped] == ["c.bin"]
    extract = said.stages["extract"]
    assert (extract.calls, extract.prompt_tokens, extract.cached) == (2, expected, 0)
    low, high = extract.output_tokens
    assert extract.cost == pytest.approx(((expected * 0.15 + low * 0.60) / 1e6, (expected * 0.15 + high * 0.60) / 1e6))
    assert "embed" not in said.stages, "the connection has no embedding model"
    assert len(list(find_files(tmp_path))) == 3, "nothing was written"


def test_without_a_price_the_money_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada met Grace in Paris.", encoding="utf-8")
    connection = Connection(name="local", base_url="http://127.0.0.1:9/v1", chat_model="llama-of-mine", key="none")
    said = estimate(tmp_path, connection=connection)
    assert said.cost is None and said.middle.cost is None and said.stages["extract"].cost is None
    assert said.notes == ["No price is known for llama-of-mine: the money is unknown."]


def test_the_offline_analyst_is_free_and_a_model_can_be_rehearsed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada met Grace in Paris.", encoding="utf-8")
    bare = estimate(tmp_path, connection=None)
    assert bare.connection == "offline" and bare.cost is None
    priced: Estimate = estimate(tmp_path, connection=None, as_model="gpt-4o-mini")
    assert priced.cost is not None and 0 < priced.cost[0] < priced.cost[1]
    assert priced.calls == bare.calls


def test_limits_of_the_connection_lengthen_the_time(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.txt").write_text(f"Ada met Grace on day {number}.", encoding="utf-8")
    free = Connection(name="free", base_url="http://127.0.0.1:9/v1", chat_model="m", key="none")
    slow = free.model_copy(update={"requests_per_minute": 5})
    fast, held = estimate(tmp_path, connection=free), estimate(tmp_path, connection=slow)
    # 20 calls at 5 a minute: the last five cannot go before three minutes have passed.
    assert held.stages["extract"].seconds[0] >= 180 > fast.stages["extract"].seconds[0]
