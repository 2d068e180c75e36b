"""The test of a connection: one chat call and one embedding call, and in words what is right and what is wrong.

More calls are made only where the first way to ask for JSON does not work. Nothing is kept: whoever tests saves what
was learnt (`remember_reply_mode`).
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.base.errors import InputError
from explorer.base.words import counted
from explorer.models.check_prompt import (
    FIRST,
    SCHEMA,
    SCHEMA_NAME,
    CheckPrompt,
    check_prompt,
    read_reply,
    schema_in_words,
)
from explorer.models.check_report import CheckLine, ConnectionReport, State
from explorer.models.check_window import window_lines
from explorer.models.connection import Connection, ReplyMode
from explorer.models.hide_key import hide_key
from explorer.models.open_client import open_client, server_address
from explorer.models.prices import price_for
from explorer.models.server_window import listed_window, loaded_window
from explorer.models.server_words import fault_of, fault_words, no_model, quote_server

if TYPE_CHECKING:
    from openai import AsyncOpenAI

R = TypeVar("R")
_MODES: tuple[ReplyMode, ...] = ("json_schema", "json_object", "text")
_LONGEST = 180.0  # seconds for one call of a test; a large local model may have to be loaded first


class _Ended(Exception):
    """The test cannot go on; its last line says why."""


async def check_connection(
    connection: Connection, key: str | None, *, say: Callable[[CheckLine], None] = lambda line: None
) -> ConnectionReport:
    """Test a connection with its key. `say` is called with each line as soon as it is known.

    Never raises for what is wrong with the server, the key or the models: that is what the lines are for.
    """
    check = _Check(connection, key, say)
    try:
        server_address(connection)
    except InputError as error:
        check.add("address", "wrong", error.sentence)
        return check.report()
    client = open_client(connection, key, timeout=min(connection.timeout, _LONGEST))
    try:
        await check.list_models(client)
        await check.chat(client)
        await check.embed(client)
    except _Ended:
        pass
    finally:
        await client.close()
    check.bill()
    return check.report()


class _Check:
    def __init__(self, connection: Connection, key: str | None, say: Callable[[CheckLine], None]) -> None:
        self.connection, self.key, self._say = connection, key, say
        self.lines: list[CheckLine] = []
        self.models: tuple[str, ...] | None = None
        self.mode: ReplyMode | None = None
        self.window: int | None = None
        self.dimension: int | None = None
        self.seconds: dict[str, float] = {}
        self.calls = self.prompt_tokens = self.output_tokens = 0
        self.cost: float | None = 0.0

    def add(self, part: str, state: State, sentence: str) -> None:
        line = CheckLine(part, state, hide_key(sentence, self.key))
        self.lines.append(line)
        self._say(line)

    def report(self) -> ConnectionReport:
        return ConnectionReport(
            self.connection.name, not any(line.state == "wrong" for line in self.lines), tuple(self.lines), self.mode,
            self.window, self.dimension, self.models, self.seconds, self.calls, self.prompt_tokens, self.output_tokens,
            self.cost if self.calls else 0.0,
        )  # fmt: skip

    async def list_models(self, client: AsyncOpenAI) -> None:
        """Ask for the list of models: it costs nothing, and shows whether there is a server at all."""
        address = server_address(self.connection)
        try:
            page = await self._timed(client.models.list())
            entries = list(page.data)
        except (AttributeError, TypeError):
            return  # a page of another kind; the call will tell
        except Exception as error:  # noqa: BLE001 - whatever a client raises is looked at
            if fault_of(error) in ("no_server", "timeout"):
                self._end("address", error, "")
            return
        if self.connection.kind == "azure":  # Azure lists what it could deploy, not what is deployed
            self.add("address", "right", f"A server answers at {address}.")
            return
        self.models = tuple(sorted(str(entry.id) for entry in entries))
        for entry in entries:
            if entry.id == self.connection.chat_model:
                self.window = listed_window(entry)
        listed = f"; it lists {counted(len(self.models), 'model')}"
        self.add("address", "right", f"A server answers at {address}{listed}.")

    async def chat(self, client: AsyncOpenAI) -> None:
        """The chat call, in the best way to ask for JSON that works; then what it shows."""
        model = self.connection.chat_model
        address = server_address(self.connection)
        if not model:
            has = f" The server has: {', '.join(self.models[:12])}." if self.models else ""
            self.add("chat", "wrong", f"No chat model is named.{has}")
            raise _Ended
        prompt = check_prompt(self.connection.tokenizer or "o200k_base")
        reply, text, strict, entities = await self._first_mode(client, model, prompt)
        if self.key is not None:
            self.add("key", "right", "The key was accepted.")
        took = self.seconds["chat"]
        self.add("chat", "right", f"{model} answered in {took:.1f} s.")
        if self.models and model not in self.models:
            answered = str(getattr(reply, "model", "") or "another model")
            self.add(
                "models", "note", f"{no_model(address, model, self.models)} It answered all the same, as {answered}."
            )
        self._say_mode(strict, reply.choices[0].finish_reason == "length")
        if self.window is None:
            self.window = await loaded_window(client, self.connection)
        usage = getattr(getattr(reply, "usage", None), "prompt_tokens", None) or 0
        known = self.connection.context_window or self.window
        for line in window_lines(prompt, text, usage, known, entities):
            self.add(line.part, line.state, line.sentence)
        for other in sorted(set(self.connection.stage_models.values()) - {model}):
            if self.models and other not in self.models:
                self.add("models", "wrong", no_model(address, other, self.models))

    async def _first_mode(self, client: AsyncOpenAI, model: str, prompt: CheckPrompt) -> tuple[Any, str, bool, int]:
        """The reply of the first mode whose reply is JSON as it stands, else of one that could be repaired."""
        readable: tuple[ReplyMode, Any, str, int] | None = None
        refused: Exception | None = None
        last = ""
        for mode in _MODES:
            try:
                reply = await self._ask(client, model, prompt, mode)
            except Exception as error:  # noqa: BLE001
                if fault_of(error) not in ("mode", "parameter", "other"):
                    await self._explain(client, error, model)
                refused = error
                continue
            text = self._content(reply)
            last = text or last
            strict, fits, entities = read_reply(text)
            if strict:
                self.mode = mode
                return reply, text, True, entities
            if fits:
                readable = (mode, reply, text, entities)
        if readable is not None:
            self.mode, reply, text, entities = readable
            return reply, text, False, entities
        if refused is not None and not last:
            await self._explain(client, refused, model)
        said = f" It began with {quote_server(last[:120], self.key)[2:]}" if last.strip() else " It was empty."
        self.add(
            "json", "wrong",
            f"{model} gives no JSON, in none of the three ways to ask for it (json_schema, json_object, text).{said} "
            "Extraction would find nothing with it: choose a model that follows instructions.",
        )  # fmt: skip
        raise _Ended

    async def _ask(self, client: AsyncOpenAI, model: str, prompt: CheckPrompt, mode: ReplyMode) -> Any:
        text = prompt.text if mode != "text" else prompt.text + schema_in_words()
        asked: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": text}]}
        if mode == "json_schema":
            schema = {"name": SCHEMA_NAME, "schema": SCHEMA, "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif mode == "json_object":
            asked["response_format"] = {"type": "json_object"}
        parameters = {**self.connection.parameters, **self.connection.stage_parameters.get("extract", {})}
        started = time.perf_counter()
        # Parameters go into the body as they are: the library knows only those of OpenAI by name.
        reply = await self._timed(client.chat.completions.create(**asked, extra_body=parameters or None))
        self.seconds["chat"] = time.perf_counter() - started
        self._count(getattr(reply, "usage", None), model)
        return reply

    def _content(self, reply: Any) -> str:
        """The text of a reply. Ends the test where it is no reply at all."""
        choices = getattr(reply, "choices", None)
        if choices:
            message = choices[0].message
            return str(getattr(message, "content", None) or getattr(message, "refusal", None) or "")
        address = server_address(self.connection)
        if isinstance(reply, str):
            hint = "" if address.endswith("/v1") else f" The address of most servers ends with /v1: try {address}/v1."
            self.add(
                "address", "wrong", f"What answers at {address} is no such API{quote_server(reply, self.key)}{hint}"
            )
            raise _Ended
        said = (getattr(reply, "model_extra", None) or {}).get("error")
        words = quote_server(json.dumps(said) if isinstance(said, dict) else str(said or ""), self.key)
        self.add("chat", "wrong", f"The server at {address} answered without a reply{words}")
        raise _Ended

    def _say_mode(self, strict: bool, cut: bool) -> None:
        model = self.connection.chat_model
        lost = "what cannot be read of a reply is counted as lost"
        if cut:
            self.add(
                "json", "note",
                f"The reply of {model} was cut at its limit of output tokens: raise max_tokens in the connection's "
                f"parameters, or take it out; {lost}.",
            )  # fmt: skip
        elif not strict:
            self.add(
                "json", "note", f"{model} does not keep to JSON, however it is asked: replies are repaired, and {lost}."
            )  # fmt: skip
        elif self.mode == "json_schema":
            self.add("json", "right", f"{model} keeps to a JSON schema (json_schema).")
        elif self.mode == "json_object":
            self.add("json", "note", "The server takes no JSON schema; it is asked for a JSON object (json_object).")
        else:
            self.add("json", "note", f"The server knows no JSON mode; {model} is asked for JSON in words (text).")

    async def embed(self, client: AsyncOpenAI) -> None:
        """The embedding call: whether it works, and how long its vectors are."""
        model = self.connection.model_for("embed")
        if not model:
            self.add("embedding", "note", "No embedding model is named; vectors are made by the offline analyst.")
            return
        started = time.perf_counter()
        try:
            reply = await self._timed(
                client.embeddings.create(model=model, input=[f"{FIRST} keeps the ledger."], encoding_format="float")
            )
        except Exception as error:  # noqa: BLE001
            words = self._words(error, model)
            if fault_of(error) == "address":
                words = (
                    f"The server at {server_address(self.connection)} makes no embeddings. Leave the embedding model "
                    "empty: vectors are then made by the offline analyst."
                )
            self.add("embedding", "wrong", words)
            return
        self.seconds["embedding"] = time.perf_counter() - started
        self._count(getattr(reply, "usage", None), model)
        data = getattr(reply, "data", None)
        vector = getattr(data[0], "embedding", None) if data else None
        if not vector or not all(isinstance(value, int | float) and math.isfinite(value) for value in vector):
            self.add("embedding", "wrong", f"{model} gave no vector: it is perhaps no embedding model.")
            return
        self.dimension = len(vector)
        self.add(
            "embedding", "right",
            f"{model} gave a vector of {self.dimension:,} dimensions in {self.seconds['embedding']:.1f} s.",
        )  # fmt: skip

    def bill(self) -> None:
        """What the test itself used."""
        if not self.calls:
            return
        money = "the price is unknown" if self.cost is None else f"${self.cost:.4f}"
        self.add(
            "bill", "right" if self.cost is not None else "note",
            f"This test made {counted(self.calls, 'call')}: {self.prompt_tokens:,} prompt and "
            f"{self.output_tokens:,} output tokens, {money}.",
        )  # fmt: skip

    async def _explain(self, client: AsyncOpenAI, error: Exception, model: str) -> None:
        """End the test with what is wrong; an address without /v1 is tried with it first."""
        address = server_address(self.connection)
        if fault_of(error) == "address" and self.connection.kind != "azure" and not address.endswith("/v1"):
            try:
                page = await self._timed(client.with_options(base_url=f"{address}/v1").models.list())
                found = bool(getattr(page, "data", None) is not None)
            except Exception as second:  # noqa: BLE001
                found = fault_of(second) == "key"
            if found:
                self.add("address", "wrong", f"The address lacks /v1: the API answers at {address}/v1. Use that one.")
                raise _Ended
        part = {"key": "key", "no_model": "chat", "address": "address", "window": "window"}.get(fault_of(error), "chat")
        self._end(part, error, model)

    def _end(self, part: str, error: BaseException, model: str) -> None:
        self.add(part, "wrong", self._words(error, model))
        raise _Ended

    def _words(self, error: BaseException, model: str) -> str:
        return fault_words(error, self.connection, self.key, model=model, models=self.models)

    def _count(self, usage: Any, model: str) -> None:
        self.calls += 1
        prompt = int(getattr(usage, "prompt_tokens", 0) or 0)
        output = int(getattr(usage, "completion_tokens", 0) or 0)
        self.prompt_tokens += prompt
        self.output_tokens += output
        try:
            price = price_for(self.connection, model)
        except InputError:  # a file of prices that cannot be read: the window of prices says so
            price = None
        if price is None or self.cost is None:
            self.cost = None
        else:
            self.cost += price.cost(prompt, output)

    async def _timed(self, call: Awaitable[R]) -> R:
        """A call that ends after its time, also where the server sends a byte now and then."""
        import openai

        seconds = min(self.connection.timeout, _LONGEST)
        try:
            return await asyncio.wait_for(call, seconds)
        except TimeoutError:
            raise openai.APITimeoutError(_no_request()) from None


def _no_request() -> Any:
    """The request that an error of the library wants to hold; ours holds none, and no key."""
    return None
