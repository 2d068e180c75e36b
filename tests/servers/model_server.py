"""A server that speaks as OpenAI's does and answers as its script says. In a process of its own:

    python -m tests.servers.model_server --port 0 --log requests.jsonl --settings '{"latency": 0.2}'

prints `listening on PORT`. POST /control/settings changes how it behaves, POST /control/reset begins anew, GET
/control/log gives the entries of the log, GET /control/state what is out now.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.servers import wire
from tests.servers.answering import Plan, fault_plan, identity, latency, plan_chat, plan_embedding, refusal
from tests.servers.counting import Quota, tokens
from tests.servers.settings import Chooser, FaultRule, ServerSettings
from tests.servers.tasks import read_ask
from tests.servers.vectors import texts_of
from tests.servers.wire import Request
from tests.servers.witness import Entry, Witness, fingerprint

_AZURE = re.compile(r"^/openai/deployments/([^/]+)(/.*)$")
_IMMEDIATE = ("rate_limit", "quota", "401", "400")  # a server that refuses does not think about it first


class ModelServer:
    """Answers requests until it is closed. One per process or loop."""

    def __init__(self, settings: ServerSettings, log: Path | None = None) -> None:
        self.settings = settings
        self.witness = Witness(log)
        self.chooser = Chooser(settings.faults, settings.script)
        self.quota = Quota(settings.window)
        self.resets = 0
        self.arrived = 0
        self.out = 0
        self.most_out = 0

    async def serve(self, port: int, listening: Any) -> None:
        """Listen on the loopback; `listening` is called with the port."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, limit=2**20, backlog=1024)
        listening(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await wire.read_request(reader)) is not None:
                if not await self._answer(request, reader, writer) or not request.keeps_alive:
                    break
        except (ConnectionError, ValueError, asyncio.LimitOverrunError):
            pass  # the other side went away, or speaks no HTTP: there is nobody to tell
        except asyncio.CancelledError:
            pass  # the server ends while calls are out
        finally:
            writer.close()

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection is still good."""
        arrived = time.time()
        if request.target.startswith("/control/"):
            writer.write(self._control(request))
            await writer.drain()
            return True
        resets = self.resets
        self.arrived += 1
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        entry = Entry(self.arrived, arrived, request.target, fingerprint(request.key), in_flight=self.out)
        try:
            plan = self._plan(request, entry)
            entry.status, entry.outcome = plan.status, plan.outcome
            entry.prompt_tokens, entry.output_tokens = plan.prompt_tokens, plan.output_tokens
            await asyncio.sleep(max(0.0, plan.delay - (time.time() - arrived)))
            while self.settings.hold is not None and entry.number > self.settings.hold and not reader.at_eof():
                await asyncio.sleep(0.005)
            if reader.at_eof() or writer.is_closing():
                entry.outcome = "client_gone"
                return False
            return await self._send(plan, entry, reader, writer)
        except ConnectionError:
            entry.outcome = "client_gone"
            return False
        finally:
            # What an earlier test left hanging ends in the file alone: it is no request of the test that runs now.
            current = resets == self.resets
            self.out -= current
            self.witness.settle(entry, current)

    async def _send(self, plan: Plan, entry: Entry, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if plan.closing == "hang":
            await reader.read(1)  # until the other side gives up
            return False
        if plan.closing == "drop":
            writer.transport.abort()
            return False
        if plan.pieces:
            whole = await self._stream(plan, writer)
        else:
            data = wire.reply(plan.status, plan.body, plan.headers, plan.kind)
            whole = plan.closing != "drop_body"
            writer.write(data if whole else data[: len(data) - len(plan.body) // 2])
        await writer.drain()
        while writer.transport.get_write_buffer_size():
            await asyncio.sleep(0.001)
        if not whole:
            writer.close()
            return False
        entry.answered = time.time()
        return True

    async def _stream(self, plan: Plan, writer: asyncio.StreamWriter) -> bool:
        """Send the pieces; False where the connection is to be dropped in the middle of them."""
        writer.write(wire.head(200, {"content-type": plan.kind, "transfer-encoding": "chunked", **plan.headers}))
        pieces = plan.pieces[: len(plan.pieces) // 2] if plan.closing else plan.pieces
        for piece in pieces:
            writer.write(wire.chunk(piece))
            await writer.drain()
            await asyncio.sleep(self.settings.chunk_delay)
        if plan.closing:
            return False
        writer.write(wire.chunk(b""))
        return True

    def _plan(self, request: Request, entry: Entry) -> Plan:
        """What becomes of a request; fills in what the log says of it."""
        settings = self.settings
        azure = _AZURE.match(request.target)
        target = azure.group(2) if azure else request.target.removeprefix("/openai").removeprefix("/v1")
        if refused := self._unauthorised(request, bool(azure)):
            return refused
        if target.rstrip("/") == "/models" and request.method == "GET":
            listed = settings.models or ("scripted-chat", "scripted-embedding")
            return Plan(body=wire.json_bytes({"object": "list", "data": [_model(name) for name in listed]}))
        path = {"/chat/completions": "chat", "/embeddings": "embeddings"}.get(target.rstrip("/"), "")
        offered = (path == "chat" and settings.chat) or (path == "embeddings" and settings.embeddings)
        if not offered or (azure and "api-version=" not in request.query):
            return refusal(404, "no_endpoint", f"Invalid URL ({request.method} {request.target})", None)
        try:
            body = json.loads(request.body)
            assert isinstance(body, dict)
        except (ValueError, AssertionError):
            return refusal(400, "bad_request", "We could not parse the JSON body of your request.", None)
        model = azure.group(1) if azure else str(body.get("model", ""))
        entry.model = model
        if not model or (settings.models is not None and model not in settings.models):
            message = f"The model `{model}` does not exist or you do not have access to it."
            return refusal(404, "no_model", message, "DeploymentNotFound" if azure else "model_not_found")
        return self._model_plan(path, body, model, entry)

    def _model_plan(self, path: str, body: Mapping[str, Any], model: str, entry: Entry) -> Plan:
        settings = self.settings
        format_ = body.get("response_format") or {}
        mode = format_.get("type", "text")
        entry.schema = str((format_.get("json_schema") or {}).get("name", ""))
        entry.messages = identity(model, body)
        entry.stream = bool(body.get("stream"))
        entry.task = "embeddings" if path == "embeddings" else read_ask(body).task
        entry.texts = [fingerprint(text) for text in texts_of(body.get("input")) or []]
        if settings.keep_bodies:
            entry.request = body
        if refused := _unsupported(settings, body, mode):
            return refused
        prompt = _prompt(body)
        rule = self.chooser.choose(path=path, task=entry.task, model=model, identity=entry.messages, prompt=prompt)
        plan = fault_plan(rule) if rule else None
        if plan is None:
            size = tokens(prompt, settings.tokens)
            plan = self._over_quota(size)
        if plan is None:
            make = plan_chat if path == "chat" else plan_embedding
            plan = make(body, model, settings, rule, entry.messages)
        if plan.outcome not in _IMMEDIATE:
            plan.delay = latency(settings, entry.messages) + (rule.seconds if rule and rule.fault == "slow" else 0.0)
        if settings.keep_bodies:
            entry.reply = plan.text
        return plan

    def _over_quota(self, size: int) -> Plan | None:
        settings = self.settings
        if settings.requests_per_minute is None and settings.tokens_per_minute is None:
            return None
        wait = self.quota.wait(time.monotonic(), size, settings.requests_per_minute, settings.tokens_per_minute)
        if wait is None:
            return None
        return fault_plan(FaultRule("rate_limit", retry_after=round(wait + 0.01, 2)))

    def _unauthorised(self, request: Request, azure: bool) -> Plan | None:
        if self.settings.keys is None:
            return None
        key = request.headers.get("api-key", "") if azure else request.key
        if key in self.settings.keys:
            return None
        shown = key if self.settings.echo_key else f"{key[:3]}…{key[-2:]}" if len(key) > 12 else "…"
        said = f"Incorrect API key provided: {shown}." if key else "You didn't provide an API key."
        return refusal(401, "no_key", said, "invalid_api_key")

    def _control(self, request: Request) -> bytes:
        name = request.target.removeprefix("/control/")
        if name == "log":
            return wire.reply(200, wire.json_bytes([asdict(entry) for entry in self.witness.entries]))
        if name == "state":
            state = {"out": self.out, "most_out": self.most_out, "arrived": self.arrived}
            return wire.reply(200, wire.json_bytes(state))
        if name not in ("settings", "reset") or request.method != "POST":
            return wire.reply(404, wire.error(f"no control is named {name!r}", "control"))
        try:
            values = json.loads(request.body or b"{}")
            self._change(ServerSettings() if name == "reset" else self.settings, values, anew=name == "reset")
        except (ValueError, TypeError) as error:
            return wire.reply(400, wire.error(str(error), "control"))
        return wire.reply(200, b"{}")

    def _change(self, settings: ServerSettings, values: Mapping[str, Any], anew: bool) -> None:
        self.settings = settings.changed(values)
        if anew:
            self.witness.clear()
            self.resets += 1
            self.arrived = self.out = self.most_out = 0
        if anew or "faults" in values or "script" in values:
            self.chooser = Chooser(self.settings.faults, self.settings.script)
        if anew or {"window", "requests_per_minute", "tokens_per_minute"} & set(values):
            self.quota = Quota(self.settings.window)


def _unsupported(settings: ServerSettings, body: Mapping[str, Any], mode: str) -> Plan | None:
    if mode not in settings.modes and settings.unknown_mode == "refuse":
        message = f"Invalid parameter: 'response_format' of type '{mode}' is not supported with this model."
        return refusal(400, "no_mode", message, None, "response_format")
    for name in settings.refused_parameters:
        if name in body:
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return refusal(400, "no_parameter", message, "unsupported_parameter", name)
    return None


def _prompt(body: Mapping[str, Any]) -> str:
    value = body.get("input") or [message.get("content") or "" for message in body.get("messages") or ()]
    return value if isinstance(value, str) else "\n".join(map(str, value))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "tests"}


async def _until_stdin_closes() -> None:
    """Whoever started this server holds its standard input: when they are gone, it goes."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


async def _main(arguments: argparse.Namespace) -> None:
    server = ModelServer(ServerSettings().changed(json.loads(arguments.settings)), arguments.log)
    tokens("warm", server.settings.tokens)
    serving = asyncio.create_task(
        server.serve(arguments.port, lambda port: print(f"listening on {port}", flush=True)), name="serving"
    )
    waiting = [serving]
    if arguments.held:
        waiting.append(asyncio.create_task(_until_stdin_closes(), name="held"))
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    server.witness.close()
    for task in done:
        task.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="a line of JSON for every request")
    parser.add_argument("--settings", default="{}", help="a JSON object (see ServerSettings)")
    parser.add_argument("--held", action="store_true", help="end when standard input is closed")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    main()
