"""A key is planted, everything is run, also everything that fails; the key is found nowhere afterwards."""

from __future__ import annotations

import base64
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from explorer.cli import main
from tests.canary import CANARY, leaks, leaks_in, spellings
from tests.indexing.model_folders import model_folder
from tests.models.odd_server import OddServer, Reply, as_json, chat_reply, odd_server
from tests.servers.running import RunningServer
from tests.servers.settings import FAULTS

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "CANARY_KEY"
QUESTION = "Who met in Norderbach?"


@dataclass
class World:
    """A home of its own in which the program runs; whatever it says is kept and looked through."""

    home: Path
    capfd: pytest.CaptureFixture[str]
    caplog: pytest.LogCaptureFixture

    @property
    def folder(self) -> Path:
        return self.home / "letters"

    def run(self, *arguments: str) -> int:
        """Run a command in this process; what it says must not hold the key."""
        try:
            code = main(list(arguments))
        finally:
            self.check_said()
        return code

    def connect(self, base_url: str, *more: str) -> None:
        code = self.run(
            "connections", "add", "canary", "--base-url", base_url, "--chat-model", "scripted-chat", "--key-env",
            VARIABLE, "--timeout", "1", "--retries", "1", "--replace", *more,
        )  # fmt: skip
        assert code == 0

    def index(self, *more: str) -> int:
        return self.run("index", str(self.folder), "--connection", "canary", *more)

    def ask(self, *more: str) -> int:
        return self.run("ask", str(self.folder), QUESTION, "--connection", "canary", *more)

    def check_said(self) -> None:
        out, err = self.capfd.readouterr()
        assert not leaks_in(out.encode()), "the key was printed"
        assert not leaks_in(err.encode()), "the key was said on stderr"

    def check_all(self) -> None:
        """Look through everything that was written and logged."""
        self.check_said()
        for record in self.caplog.records:
            text = f"{record.getMessage()} {record.args!r} {record.exc_info!r} {record.exc_text}"
            assert not leaks_in(text.encode()), f"the key was logged by {record.name}"
        assert leaks(self.home) == []


@pytest.fixture
def world(tmp_path, monkeypatch, capfd, caplog) -> World:
    for name, part in (
        ("HOME", "."), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"),
        ("TMPDIR", "tmp"),
    ):  # fmt: skip
        (tmp_path / part).mkdir(exist_ok=True)
        monkeypatch.setenv(name, str(tmp_path / part))
    monkeypatch.setenv(VARIABLE, CANARY)
    monkeypatch.setenv("OPENAI_LOG", "debug")
    model_folder(tmp_path / "letters", files=2, sentences=20)
    caplog.set_level(logging.DEBUG)
    yield World(tmp_path, capfd, caplog)
    # Faults are meant here: their warnings fail no test, and what was logged was looked through.
    caplog.clear()


def test_the_search_finds_a_key_in_every_spelling(tmp_path: Path) -> None:
    """A search that finds nothing proves nothing unless it finds what is there."""
    for number, text in enumerate(
        (
            f"Authorization: Bearer {CANARY}", quote(CANARY, safe=""), json.dumps({"key": CANARY}),
            CANARY.encode().hex(),
            *(base64.b64encode(f"{before}{CANARY}{after}".encode()).decode()
              for before in ("", "u:", "abc:") for after in ("", "1", "12")),
            base64.urlsafe_b64encode(f"user:{CANARY}".encode()).decode(),
        )
    ):  # fmt: skip
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        assert leaks(tmp_path) == [str(path)], text
        path.unlink()
    assert len(spellings()) >= 8


@pytest.mark.slow
def test_everything_that_goes_well(world: World, model_server: RunningServer) -> None:
    model_server.set(keys=[CANARY], models=["scripted-chat", "scripted-embedding"])
    world.connect(model_server.url, "--embedding-model", "scripted-embedding", "--timeout", "20")
    assert world.run("connections", "test", "canary") == 0
    assert world.run("connections", "test", "canary", "--json") == 0
    assert world.run("connections", "list", "--json") == 0
    assert world.run("estimate", str(world.folder), "--connection", "canary", "--json") == 0
    assert world.index("--claims", "--json") == 0
    assert world.index() == 0
    assert world.ask("--trace", str(world.home / "trace.json"), "--level", "0") == 0
    assert world.ask("--json", "--level", "0") == 0
    assert world.run("plan", str(world.folder), "--connection", "canary", "--json") == 0
    for what, name in (
        ("--reports", "r.md"), ("--reports", "r.html"), ("--reports", "r.pdf"), ("--graph", "g.graphml"),
    ):  # fmt: skip
        assert world.run("export", str(world.folder), what, "--out", str(world.home / name)) == 0
    (world.home / "tables").mkdir()
    assert world.run("export", str(world.folder), "--tables", "--out", str(world.home / "tables")) == 0
    assert world.run("export", str(world.folder), "--trace", "last", "--out", str(world.home / "t.json")) == 0
    world.run("doctor", str(world.folder))
    world.run("doctor", str(world.folder), "--json")
    calls = world.folder / ".graphrag-explorer" / "calls.sqlite"
    assert calls.stat().st_size > 0 and model_server.log("chat")
    assert all(entry.status == 200 for entry in model_server.log("chat"))
    world.check_all()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_a_server(world: World, model_server: RunningServer, fault: str) -> None:
    model_server.set(keys=[CANARY], echo_key=True)
    world.connect(model_server.url)
    assert world.index("--no-vectors") == 0  # so that there is something to ask
    rule = {"fault": fault, "path": "chat", "seconds": 0.1, "retry_after": 0.1}
    model_server.set(faults=[rule])
    world.run("connections", "test", "canary")
    for path in world.folder.glob("*.txt"):
        path.write_text(f"{path.read_text()} Emil Stark left Altmark.")
    for command in (lambda: world.index("--no-vectors", "--json"), lambda: world.ask("--json", "--level", "0")):
        command()
    model_server.set(faults=[{**rule, "probability": 0.5, "seed": 1}])
    world.index("--no-vectors")
    assert len(model_server.log("chat")) > 3
    world.check_all()


@pytest.mark.slow
@pytest.mark.parametrize("revoked", [False, True])
def test_a_wrong_key_and_one_that_is_revoked_in_the_middle(
    world: World, model_server: RunningServer, revoked: bool
) -> None:
    model_server.set(keys=["another"], echo_key=True)
    if revoked:
        model_server.set(keys=[CANARY], faults=[{"fault": "401", "path": "chat", "after": 2}])
    world.connect(model_server.url)
    assert world.run("connections", "test", "canary") == (0 if revoked else 1)
    assert world.index("--no-vectors") != 0
    world.run("connections", "test", "canary", "--json")
    world.check_all()


def _everything_said(odd: OddServer) -> str:
    """What a careless server repeats: the headers of the request, and the key in several spellings."""
    headers = odd.requests[-1][1]
    key = headers.get("Authorization", "").removeprefix("Bearer ") or headers.get("api-key", "")
    basic = base64.b64encode(f"user:{key}".encode()).decode()
    return f"{headers} key={quote(key, safe='')} basic={basic} {key}"


def _html(said: str) -> Reply:
    return 502, {"Content-Type": "text/html"}, f"<html><body>{said}</body></html>"


_ECHOES: dict[str, Callable[[str], Reply]] = {
    "400": lambda said: as_json(400, {"error": {"message": said, "code": said}}),
    "401": lambda said: as_json(401, {"error": {"message": f"Incorrect API key provided: {said}"}}),
    "403": lambda said: as_json(403, {"detail": said}),
    "404": lambda said: as_json(404, {"error": {"message": f"The model `x` does not exist for {said}"}}),
    "429": lambda said: as_json(429, {"error": {"message": f"Rate limit reached for {said}", "type": "x"}}),
    "500": lambda said: as_json(500, {"error": said}),
    "500 in plain text": lambda said: (500, {"Content-Type": "text/plain"}, f"Traceback: {said}"),
    "502 as a page": _html,
    "307": lambda said: (307, {"Location": f"http://127.0.0.1:9/?{said.split()[-1]}"}, ""),
    "an error with 200": lambda said: as_json(200, {"error": {"message": said}}),
    "no JSON with 200": lambda said: (200, {"Content-Type": "application/json"}, f"{{'{said}"),
    "a reply": lambda said: chat_reply(json.dumps({"entities": [{"title": said, "type": "x", "description": said}],
                                                   "relationships": []})),
    "a reply that is no JSON": lambda said: chat_reply(said),
    "a refusal": lambda said: chat_reply("", choices=[
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, "refusal": said}}]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("echo", _ECHOES)
@pytest.mark.parametrize("kind", ["compatible", "azure"])
def test_a_server_that_repeats_what_it_was_sent(world: World, echo: str, kind: str) -> None:
    with odd_server(lambda path, body: _ECHOES[echo](_everything_said(odd))) as odd:
        world.connect(odd.root if kind == "azure" else f"{odd.root}/v1", "--kind", kind, "--embedding-model", "vec",
                      "--retries", "0")  # fmt: skip
        world.run("connections", "test", "canary")
        world.run("connections", "test", "canary", "--json")
        world.index("--json")
        sent = [" ".join(headers.values()) for path, headers, _ in odd.requests if "chat" in path]
        assert sent and all(CANARY in headers for headers in sent)  # the key was really out there
    world.check_all()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["transport", "client"])
def test_a_crash_inside_the_client(world: World, model_server: RunningServer, monkeypatch, where: str) -> None:
    """A fault of a library may say what it was given; a fault of ours has the key in its frames."""
    import httpx2
    from openai.resources.chat.completions import AsyncCompletions

    model_server.set(keys=[CANARY])
    world.connect(model_server.url)

    async def send(self: object, request: httpx2.Request, **_: object) -> object:
        raise RuntimeError(f"cannot send {request.headers['authorization']}")

    async def create(self: object, *_: object, **__: object) -> object:
        raise ZeroDivisionError("a fault of the program")

    if where == "transport":
        monkeypatch.setattr(httpx2.AsyncClient, "send", send)
    else:
        monkeypatch.setattr(AsyncCompletions, "create", create)
    for command in (
        lambda: world.index("--no-vectors"), lambda: world.run("connections", "test", "canary"),
    ):  # fmt: skip
        try:
            command()
        except Exception as error:  # noqa: BLE001 - what would be printed as a crash report
            import traceback

            report = "".join(traceback.format_exception(error))
            assert not leaks_in(report.encode()), "the key is in the traceback"
    world.check_all()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_ended_in_the_middle(world: World, model_server: RunningServer, number: int) -> None:
    model_server.set(keys=[CANARY], latency=0.3)
    world.connect(model_server.url, "--concurrency", "2", "--timeout", "20")
    command = [sys.executable, "-X", "faulthandler", "-m", "explorer", "index", str(world.folder), "--connection",
               "canary"]  # fmt: skip
    assert not any(CANARY in part for part in command)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 240
        while not model_server.log("chat"):
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=240)
    assert not leaks_in(out + err)
    world.check_all()
    model_server.set(latency=0.0)
    assert world.index("--no-vectors") == 0
    world.check_all()
