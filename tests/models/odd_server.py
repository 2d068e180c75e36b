"""A web server on this machine whose every reply a test decides: for what no model server does."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], str]
Answer = Callable[[str, dict[str, Any]], Reply]


def as_json(status: int, value: Any) -> Reply:
    return status, {"Content-Type": "application/json"}, json.dumps(value)


def chat_reply(text: str, *, prompt_tokens: int | None = None, **extra: Any) -> Reply:
    value: dict[str, Any] = {
        "id": "1", "object": "chat.completion", "created": 1, "model": "odd",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}], **extra,
    }  # fmt: skip
    if prompt_tokens is not None:
        value["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": 9, "total_tokens": prompt_tokens + 9}
    return as_json(200, value)


@dataclass
class OddServer:
    port: int
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def odd_server(answer: Answer) -> Iterator[OddServer]:
    """Serve `answer(path, body)` until the block ends; every request is noted (path, headers, body)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            made.requests.append((self.path, dict(self.headers), body))
            status, headers, text = answer(self.path, body)
            data = text.encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            with contextlib.suppress(ConnectionError):  # who asked may have given up
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST = _serve

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = OddServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
