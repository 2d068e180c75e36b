"""Indexing on a server that fails: the run completes, every failure has its fate, and its bill is the server's.

The server is a process of its own, and its log the witness of what was asked, refused and charged.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from explorer.base.events import AttemptFailed, CallSettled, Event, InFlight, Notice
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.indexing.summary import IndexSummary
from explorer.models.client import ModelStop
from explorer.models.connection import Connection
from tests.benchmarks.thousand import make_documents
from tests.indexing.killing import table_sums
from tests.servers.running import RunningServer
from tests.servers.witness import Entry

CHAT = ("extract", "glean", "claims", "describe", "reports")
# What the way to a model does to a call, and what a model does to its reply.
TRANSPORT: tuple[dict[str, Any], ...] = (
    {"fault": "rate_limit", "retry_after": 1},
    {"fault": "rate_limit", "retry_after_ms": 150},
    {"fault": "rate_limit"},
    {"fault": "500"},
    {"fault": "503"},
    {"fault": "503", "retry_after": 1},
    {"fault": "drop"},
    {"fault": "drop_body"},
    {"fault": "hang"},
    {"fault": "empty_body"},
    {"fault": "bad_body"},
    {"fault": "truncated_body"},
)
REPLIES: tuple[dict[str, Any], ...] = (
    {"fault": "truncated"},
    {"fault": "prose"},
    {"fault": "fenced"},
    {"fault": "wrong_types"},
    {"fault": "refusal"},
    {"fault": "nonsense"},
    {"fault": "length"},
    {"fault": "empty_content"},
    {"fault": "null_content"},
    {"fault": "no_choices"},
)
PATIENT = 6.0  # seconds that a request which hangs is waited for: no other one may take as long
UNCHARGED = ("rate_limit", "500", "502", "503", "drop", "hang", "empty_body", "bad_body", "client_gone")


def faults(kinds: Sequence[dict[str, Any]], share: float = 0.3, seed: int = 50) -> list[dict[str, Any]]:
    """Rules under which `share` of all requests fail, each kind as often as the others."""
    left = 1.0
    rules = []
    for number, kind in enumerate(kinds):
        part = share / len(kinds)
        rules.append({**kind, "probability": part / left, "seed": seed + number})
        left -= part
    return rules


def connect(server: RunningServer, **settings: Any) -> Connection:
    values: dict[str, Any] = {"chat_model": "scripted-chat", "key": "none", "concurrency": 16, "timeout": 120.0}
    return Connection(**{"name": "scripted", "base_url": server.url, **values, **settings})


class Run:
    """One run of indexing and what it told."""

    def __init__(self, folder: Path, home: Path, connection: Connection, key: str | None = None, **more: Any) -> None:
        self.home = home
        self.events: list[Event] = []
        self.hook = more.pop("hook", lambda event: None)
        self._arguments = {"home": home, "connection": connection, "key": key, "sink": self._hear, **more}
        self._folder = folder
        self._lock = threading.Lock()

    def __call__(self) -> IndexSummary:
        return index_folder(self._folder, **self._arguments)

    def _hear(self, event: Event, /) -> None:
        with self._lock:
            self.events.append(event)
        self.hook(event)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_documents(tmp_path / "documents", 36)


@pytest.mark.slow
@pytest.mark.parametrize(("kinds", "claims"), [(TRANSPORT, False), (REPLIES, True), (TRANSPORT + REPLIES, True)])
def test_30_percent_of_calls_fail_and_the_run_completes(
    model_server: RunningServer, tmp_path: Path, folder: Path, kinds: Sequence[dict[str, Any]], claims: bool
) -> None:
    model_server.set(faults=faults(kinds), latency=[0.0, 0.03])
    options = IndexOptions(claims=claims)
    run = Run(folder, tmp_path / "home", connect(model_server, timeout=PATIENT), options=options)
    summary = run()
    entries = model_server.log("chat")
    failed = [entry for entry in entries if entry.outcome != "ok"]
    assert 0.22 < len(failed) / len(entries) < 0.38, Counter(entry.outcome for entry in entries)
    assert {entry.outcome for entry in failed} >= {kind["fault"] for kind in kinds} - {"drop", "drop_body"}
    assert summary.text_units == 36 and summary.entities > 20 and summary.reports > 3
    # Every call has one fate; every request that went out is the first one of a call or a retry of it.
    settled = run.of(CallSettled)
    calls = [summary.calls[stage] for stage in CHAT]
    assert len(settled) == sum(stage.count for stage in calls)
    assert {event.fate for event in settled} <= {"ok", "repaired", "malformed", "failed"}
    assert len(entries) == sum(stage.count + stage.retries for stage in calls)
    assert len(run.of(AttemptFailed)) == sum(stage.retries for stage in calls) == sum(e.retries for e in settled)
    lost = [event for event in settled if event.fate in ("malformed", "failed")]
    assert sorted(failure.key for failure in summary.failures) == sorted(event.key for event in lost)
    assert all(event.error for event in lost)
    _check_bill(entries, summary)
    # Without faults the next run makes those that gave nothing again, and what follows from them: nothing else.
    good = {entry.messages for entry in entries if entry.outcome == "ok"}
    model_server.reset()
    again = Run(folder, tmp_path / "home", connect(model_server), options=options)()
    assert not again.failures
    assert not [entry for entry in model_server.log("chat") if entry.messages in good]
    assert len(model_server.log("chat")) >= len(lost)


def _check_bill(entries: Sequence[Entry], summary: IndexSummary) -> None:
    """All attempts are on the bill of their calls. Of a body that broke off nobody but the server knows the tokens."""
    known = [entry for entry in entries if entry.outcome not in (*UNCHARGED, "drop_body", "truncated_body")]
    unknown = [entry for entry in entries if entry.outcome in ("drop_body", "truncated_body")]
    for name in ("prompt_tokens", "output_tokens"):
        billed = sum(getattr(summary.calls[stage], name) for stage in CHAT)
        least = sum(getattr(entry, name) for entry in known)
        assert least <= billed <= least + 1.2 * sum(getattr(entry, name) for entry in unknown)


@pytest.mark.slow
def test_what_the_way_to_the_model_breaks_leaves_no_trace_in_the_tables(
    model_server: RunningServer, tmp_path: Path, folder: Path
) -> None:
    undisturbed = Run(folder, tmp_path / "undisturbed", connect(model_server))()
    model_server.reset(faults=faults(TRANSPORT, share=0.3, seed=7))
    run = Run(folder, tmp_path / "home", connect(model_server, retries=12, timeout=PATIENT))
    summary = run()
    assert not summary.failures and run.of(AttemptFailed)
    assert table_sums(tmp_path / "home") == table_sums(tmp_path / "undisturbed")
    for stage in CHAT:
        assert summary.calls[stage].count == undisturbed.calls[stage].count
        assert summary.calls[stage].retries or not summary.calls[stage].count


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        ({"keys": ["sk-right"]}, "sk-wrong", "key"),
        ({"models": ["another-chat"]}, None, "scripted-chat"),
        ({"chat": False}, None, ""),
        ({"faults": ["quota"]}, None, ""),
    ],
)
def test_the_first_call_goes_alone_and_stops_a_run_that_cannot_work(
    model_server: RunningServer, tmp_path: Path, folder: Path, settings: dict[str, Any], key: str | None, words: str
) -> None:
    model_server.set(**settings, latency=0.1)
    connection = connect(model_server, key="session" if key else "none")
    with pytest.raises(ModelStop) as stop:
        Run(folder, tmp_path / "home", connection, key)()
    assert len(model_server.log()) == 1
    assert words in str(stop.value) and "sk-wrong" not in str(stop.value)
    model_server.reset()  # with the reason gone the same home is as good as a new one
    assert not Run(folder, tmp_path / "home", connection, key)().failures


def test_where_there_is_no_server_a_run_says_so(model_server: RunningServer, tmp_path: Path, folder: Path) -> None:
    nowhere = connect(model_server, base_url="http://127.0.0.1:9/v1")  # the port of discard, which nobody serves
    run = Run(folder, tmp_path / "home", nowhere)
    with pytest.raises(ModelStop, match=r"127\.0\.0\.1:9"):
        run()
    assert not run.of(AttemptFailed), "it was tried again before the run ended"


def test_a_key_revoked_later_stops_the_run_after_the_calls_in_flight(
    model_server: RunningServer, tmp_path: Path, folder: Path
) -> None:
    model_server.set(keys=["sk-good"], latency=0.2)
    revoked: list[bool] = []
    out: list[int] = []  # calls that were out, each time that changed, since the first refusal came

    def revoke(event: Event) -> None:
        if isinstance(event, CallSettled) and not revoked and len(run.of(CallSettled)) >= 24:
            revoked.append(True)
            model_server.set(keys=[])
        if isinstance(event, InFlight) and any(one.fate == "failed" for one in run.of(CallSettled)):
            out.append(event.calls)

    connection = connect(model_server, key="session")
    run = Run(folder, tmp_path / "home", connection, "sk-good", hook=revoke)
    with pytest.raises(ModelStop) as stop:
        run()
    assert "key" in str(stop.value)
    entries = model_server.log()
    refused = [entry for entry in entries if entry.status == 401]
    good = {entry.messages for entry in entries if entry.outcome == "ok"}
    assert 1 <= len(refused) <= connection.concurrency
    assert out == sorted(out, reverse=True) and out[-1:] in ([], [0]), "a call went out after the refusal"
    # Those in flight were let finish and are kept: the next run asks for none of them.
    model_server.reset(keys=["sk-new"])
    assert not Run(folder, tmp_path / "home", connection, "sk-new")().failures
    assert not good & {entry.messages for entry in model_server.log()}


@pytest.mark.parametrize(
    "settings",
    [
        {"modes": ["json_object", "text"]},
        {"modes": ["text"]},
        {"modes": ["text"], "unknown_mode": "ignore"},
    ],
)
def test_however_the_server_takes_a_schema_the_tables_are_the_same(
    model_server: RunningServer, tmp_path: Path, settings: dict[str, Any]
) -> None:
    folder = make_documents(tmp_path / "documents", 12)
    options = IndexOptions(claims=True)
    Run(folder, tmp_path / "schema", connect(model_server), options=options)()
    model_server.reset(**settings)
    run = Run(folder, tmp_path / "other", connect(model_server), options=options)
    assert not run().failures
    assert table_sums(tmp_path / "other") == table_sums(tmp_path / "schema")
    refused = [entry for entry in model_server.log() if entry.outcome == "no_mode"]
    assert len(refused) == len(run.of(Notice)) == (0 if "unknown_mode" in settings else 3 - len(settings["modes"]))


def test_a_model_that_never_follows_the_schema_ends_in_a_run_where_every_failure_is_counted(
    model_server: RunningServer, tmp_path: Path, folder: Path
) -> None:
    model_server.set(faults=["nonsense"])
    run = Run(folder, tmp_path / "home", connect(model_server))
    summary = run()
    assert summary.text_units == 36 and summary.entities == 0 and summary.reports == 0
    assert summary.calls["extract"].malformed == len(summary.failures) == len(summary.files.failed) == 36
    assert all("schema" in failure.error for failure in summary.failures)  # what to do: another model
    assert len(run.of(Notice)) == 1


def test_a_server_that_cuts_prompts_is_found_out_and_it_is_said_once(
    model_server: RunningServer, tmp_path: Path, folder: Path
) -> None:
    model_server.set(context_window=300, over_window="cut")
    run = Run(folder, tmp_path / "home", connect(model_server))
    run()
    said = [notice.sentence for notice in run.of(Notice)]
    assert len([sentence for sentence in said if "cuts prompts" in sentence and "context" in sentence]) == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_limits_of_the_connection_hold_in_every_60_seconds(model_server: RunningServer, tmp_path: Path) -> None:
    """A run of more than a minute under limits that the server enforces as well: it never has to."""
    folder = make_documents(tmp_path / "documents", 110)
    requests, tokens = 100, 100_000
    model_server.set(requests_per_minute=requests, tokens_per_minute=tokens, latency=[0.01, 0.1])
    connection = connect(model_server, requests_per_minute=requests, tokens_per_minute=tokens, timeout=30.0)
    stop = _StopAfter(125)
    run = Run(folder, tmp_path / "home", connection, options=IndexOptions(max_gleanings=0), hook=stop, scope=stop.scope)
    from explorer.base.errors import Cancelled

    with pytest.raises(Cancelled):
        run()
    entries = sorted(model_server.log("chat"), key=lambda entry: entry.arrived)
    assert len(entries) >= 125 and {entry.outcome for entry in entries} == {"ok"}
    assert entries[-1].arrived - entries[0].arrived > 50
    for first, entry in enumerate(entries):
        window = [other for other in entries[first:] if other.arrived < entry.arrived + 60.0]
        assert len(window) <= requests
        assert sum(other.prompt_tokens + other.output_tokens for other in window) <= tokens


class _StopAfter:
    """Cancels a run after so many calls."""

    def __init__(self, calls: int) -> None:
        from explorer.base.cancel import CancelScope

        self.scope = CancelScope()
        self._left = calls

    def __call__(self, event: Event) -> None:
        if isinstance(event, CallSettled):
            self._left -= 1
            if self._left <= 0:
                self.scope.cancel()


@pytest.mark.slow
def test_30_percent_of_embedding_calls_fail_and_every_row_has_its_vector(
    model_server: RunningServer, tmp_path: Path, folder: Path
) -> None:
    connection = connect(model_server, embedding_model="scripted-embedding", retries=12, timeout=PATIENT)
    Run(folder, tmp_path / "home", connection)()
    kinds = [{**kind, "path": "embeddings"} for kind in (*TRANSPORT, {"fault": "no_choices"})]
    model_server.reset(faults=faults(kinds))
    summary = Run(folder, tmp_path / "home", connection, vectors=True)()
    assert summary.vectors is not None and summary.vectors.state == "made", summary.vectors
    assert not summary.vectors.failed
    assert sum(summary.vectors.rows.values()) == summary.entities + summary.text_units + summary.reports
    entries = model_server.log("embeddings")
    failed = [entry for entry in entries if entry.outcome != "ok"]
    assert len(failed) >= 4, Counter(entry.outcome for entry in entries)
    calls = summary.calls["embed"]
    assert calls.count + calls.retries == len(entries)
    least = sum(entry.prompt_tokens for entry in entries if entry.outcome == "ok")
    most = least + sum(entry.prompt_tokens for entry in failed)
    assert least <= calls.prompt_tokens <= most
