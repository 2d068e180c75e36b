"""The scripted server speaks as the services do that the program has to get on with."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import struct
import time
from typing import Any

import openai
import pytest

from explorer.analysts.offline.vectors import OfflineEmbedder, why_not
from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from tests.servers.running import RunningServer

TEXT = (
    "Anna Keller met Bruno Stein in Hamburg. Bruno Stein paid Clara Weiss. Clara Weiss saw Anna Keller at the quay. "
    "The Harbour Council thanked Dario Fuchs."
)
EXTRACTION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["entities", "relationships"],
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "type": {"type": "string"},
                    "description": {"type": "string"},
                },
            },
        },
        "relationships": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "source": {"type": "string"},
                    "target": {"type": "string"},
                    "strength": {"type": "integer"},
                },
            },
        },
    },
}


def client(server: RunningServer, key: str = "sk-any") -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key=key, max_retries=0)


def extraction(text: str = TEXT, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": f'Give "entities" and "relationships".\n\nText:\n{text}'}]
    schema = {"type": "json_schema", "json_schema": {"name": "entity_extraction", "schema": EXTRACTION, "strict": True}}
    return {"model": "m", "messages": messages, "response_format": schema, **more}


def test_extraction_names_what_the_text_names(model_server: RunningServer) -> None:
    with client(model_server) as ai:
        reply = ai.chat.completions.create(**extraction())
        value = json.loads(reply.choices[0].message.content)
        assert {"Anna Keller", "Bruno Stein"} <= {entity["title"] for entity in value["entities"]}
        assert all(1 <= link["strength"] <= 10 for link in value["relationships"])
        assert reply.usage.prompt_tokens > 30
        again = ai.chat.completions.create(**extraction())
        assert again.choices[0].message.content == reply.choices[0].message.content
    first, second = model_server.log()
    assert first.messages == second.messages and first.schema == "entity_extraction"
    assert first.answered is not None and first.arrived <= first.answered <= second.arrived + 1


def test_a_stream_brings_the_same_text_and_its_usage(model_server: RunningServer) -> None:
    with client(model_server) as ai:
        whole = ai.chat.completions.create(**extraction())
        parts = list(ai.chat.completions.create(**extraction(stream=True, stream_options={"include_usage": True})))
        text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
        assert text == whole.choices[0].message.content
        assert parts[-1].usage == whole.usage


def test_embeddings_may_be_those_of_the_offline_model(model_server: RunningServer) -> None:
    if why_not():
        pytest.skip("the offline model is not installed")
    model_server.set(embedder="offline", dimension=7)
    with client(model_server) as ai:
        data = ai.embeddings.create(
            model="e", input=["a ship at sea", "a boat on the water", "interest rates"], encoding_format="float"
        ).data
    (own,) = OfflineEmbedder().embed(["a ship at sea"], sink=ignore, scope=CancelScope())
    assert data[0].embedding == pytest.approx(own, abs=1e-9)
    near, far = (sum(a * b for a, b in zip(data[0].embedding, data[n].embedding, strict=True)) for n in (1, 2))
    assert near > far


def test_embeddings_as_numbers_and_as_bytes(model_server: RunningServer) -> None:
    with client(model_server) as ai:
        data = ai.embeddings.create(
            model="e", input=["a boat", "a boat at sea", "tax law"], encoding_format="float"
        ).data
        raw = ai.embeddings.with_raw_response.create(model="e", input="a boat", encoding_format="base64")
    near, far = (sum(a * b for a, b in zip(data[0].embedding, data[n].embedding, strict=True)) for n in (1, 2))
    assert len(data[0].embedding) == 384 and near > far
    assert abs(sum(value * value for value in data[0].embedding) - 1) < 1e-6
    packed = struct.unpack("<384f", base64.b64decode(json.loads(raw.text)["data"][0]["embedding"]))
    assert packed == pytest.approx(data[0].embedding, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "request_", "error"),
    [
        ({"keys": ["sk-good"]}, {}, openai.AuthenticationError),
        ({"models": ["other"]}, {}, openai.NotFoundError),
        ({"chat": False}, {}, openai.NotFoundError),
        ({"modes": ["json_object", "text"]}, {}, openai.BadRequestError),
        ({"context_window": 20}, {}, openai.BadRequestError),
        ({"refused_parameters": ["temperature"]}, {"temperature": 0}, openai.BadRequestError),
        ({"faults": ["rate_limit"]}, {}, openai.RateLimitError),
        ({"faults": ["500"]}, {}, openai.InternalServerError),
        ({"faults": ["503"]}, {}, openai.InternalServerError),
        ({"faults": ["drop"]}, {}, openai.APIConnectionError),
        ({"faults": ["drop_body"]}, {}, openai.APIConnectionError),
        ({"faults": ["hang"]}, {"timeout": 3.0}, openai.APITimeoutError),
        ({"requests_per_minute": 1, "script": ["500"]}, {}, openai.InternalServerError),
    ],
)
def test_refusals_and_faults_are_those_of_real_servers(
    model_server: RunningServer, settings: dict[str, Any], request_: dict[str, Any], error: type[Exception]
) -> None:
    model_server.set(**settings)
    with client(model_server) as ai, pytest.raises(error):
        ai.chat.completions.create(**extraction(**request_))
    (entry,) = model_server.log()
    assert entry.outcome != "ok"


@pytest.mark.parametrize(
    "fault", ["truncated", "prose", "fenced", "nonsense", "wrong_types", "empty_content", "length"]
)
def test_replies_that_are_no_json_or_not_quite(model_server: RunningServer, fault: str) -> None:
    model_server.set(faults=[{"fault": fault, "times": 1}])
    with client(model_server) as ai:
        spoilt = ai.chat.completions.create(**extraction()).choices[0]
        good = ai.chat.completions.create(**extraction()).choices[0]
    assert spoilt.message.content != good.message.content
    assert (spoilt.finish_reason == "length") == (fault == "length")
    if fault == "wrong_types":
        json.loads(spoilt.message.content)


def test_a_window_that_cuts_in_silence_says_so_in_the_usage_alone(model_server: RunningServer) -> None:
    model_server.set(context_window=25, over_window="cut")
    with client(model_server) as ai:
        reply = ai.chat.completions.create(**extraction())
    assert reply.usage.prompt_tokens == 25
    assert "Hamburg" not in reply.choices[0].message.content
    assert "Dario Fuchs" in reply.choices[0].message.content


def test_probability_depends_on_what_is_asked_and_not_on_the_order(model_server: RunningServer) -> None:
    texts = [f"{TEXT} Number {number}." for number in range(60)]

    def fates(order: list[str]) -> dict[str, int]:
        model_server.reset(faults=[{"fault": "500", "probability": 0.3, "seed": 5}])
        found = {}
        with client(model_server) as ai:
            for text in order:
                try:
                    ai.chat.completions.create(**extraction(text))
                    found[text] = 200
                except openai.InternalServerError:
                    found[text] = 500
        return found

    forth, back = fates(texts), fates(texts[::-1])
    assert forth == back
    assert 8 <= sum(fate == 500 for fate in forth.values()) <= 30


def test_azure_takes_the_deployment_from_the_path_and_its_own_header(model_server: RunningServer) -> None:
    model_server.set(keys=["azure-key"], models=["my-deployment"])
    with openai.AzureOpenAI(
        azure_endpoint=model_server.azure_url, api_key="azure-key", api_version="2024-10-21", max_retries=0
    ) as ai:
        ai.chat.completions.create(**extraction(model="my-deployment"))
        with pytest.raises(openai.NotFoundError):
            ai.chat.completions.create(**extraction(model="elsewhere"))
    model_server.set(keys=[])
    with (
        openai.AzureOpenAI(
            azure_endpoint=model_server.azure_url, api_key="azure-key", api_version="2024-10-21", max_retries=0
        ) as ai,
        pytest.raises(openai.AuthenticationError),
    ):
        ai.chat.completions.create(**extraction(model="my-deployment"))
    assert "azure-key" not in repr(model_server.log())


def test_a_minute_holds_so_many_requests(model_server: RunningServer) -> None:
    model_server.set(requests_per_minute=2, window=3.0)
    with client(model_server) as ai:
        for _ in range(2):
            ai.chat.completions.create(**extraction())
        with pytest.raises(openai.RateLimitError) as raised:
            ai.chat.completions.create(**extraction())
        time.sleep(float(raised.value.response.headers["retry-after"]))
        ai.chat.completions.create(**extraction())


def test_32_calls_are_out_at_one_time(model_server: RunningServer) -> None:
    model_server.set(hold=0)

    async def ask() -> None:
        async with openai.AsyncOpenAI(base_url=model_server.url, api_key="sk-any", max_retries=0) as ai:
            calls = [ai.chat.completions.create(**extraction(f"{TEXT} {n}")) for n in range(32)]
            release = asyncio.to_thread(lambda: (model_server.wait_for("out", 32), model_server.set(hold=None)))
            await asyncio.gather(*calls, release)

    asyncio.run(ask())
    assert model_server.state() == {"out": 0, "most_out": 32, "arrived": 32}
    entries = model_server.log("chat")
    last_arrival = max(entry.arrived for entry in entries)
    assert all(entry.answered is not None and entry.answered > last_arrival for entry in entries)


def test_calls_take_as_long_as_they_are_told(model_server: RunningServer) -> None:
    model_server.set(latency=0.5)
    with client(model_server) as ai:
        ai.chat.completions.create(**extraction())
    (entry,) = model_server.log()
    assert entry.answered is not None and entry.answered - entry.arrived > 0.49


def test_a_call_of_before_a_reset_is_none_of_those_after_it(model_server: RunningServer) -> None:
    """It may end at any moment of the next test, whose log and counts are its own."""
    model_server.set(hold=0)
    body = json.dumps(extraction()).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", model_server.port), timeout=120) as left:
        left.sendall(head.encode() + body)
        model_server.wait_for("arrived", 1)
        model_server.reset(hold=0)
        assert model_server.state() == {"out": 0, "most_out": 0, "arrived": 0}
        model_server.set(hold=None)
        while left.recv(65536):  # it ends now: all of its reply comes, and the connection is closed
            pass
    assert model_server.log() == []
    assert model_server.state() == {"out": 0, "most_out": 0, "arrived": 0}
    with client(model_server) as ai:
        ai.chat.completions.create(**extraction())
    (entry,) = model_server.log()
    assert (entry.number, entry.in_flight, model_server.state()["out"]) == (1, 1, 0)
