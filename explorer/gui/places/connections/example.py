"""What a picture of the place shows: an example, so that nobody's own connections get into a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.gui.places.connections.rows import ConnectionRow
from explorer.gui.places.connections.saving import KeyFacts

if TYPE_CHECKING:
    from explorer.gui.places.connections.page import ConnectionsPage

_LINES = (
    ("address", "right", "A server answers at http://localhost:11434/v1; it lists 3 models."),
    ("chat", "right", "llama3.1:8b answered in 4.2 s."),
    ("json", "right", "llama3.1:8b keeps to a JSON schema (json_schema)."),
    (
        "window", "note",
        "The context window of 4,096 tokens is enough for extraction; reports and answers may send up to about 10,000: "
        "lower their budgets to fit, or give the model more context.",
    ),
    ("embedding", "right", "nomic-embed-text gave a vector of 768 dimensions in 0.1 s."),
)  # fmt: skip


def show_example(page: ConnectionsPage) -> None:
    """Fill the page with an example. Nothing is saved and no server is asked."""
    from explorer.models.check_report import CheckLine
    from explorer.models.connection import Connection
    from explorer.models.keys import KeyPlaces, KeyState
    from explorer.models.local_servers import LocalServer

    local = Connection(
        name="Ollama", base_url="http://localhost:11434/v1", chat_model="llama3.1:8b",
        embedding_model="nomic-embed-text", parameters={"temperature": 0}, concurrency=2, key="none",
        reply_mode="json_schema",
    )  # fmt: skip
    page.model.set_rows(
        [
            ConnectionRow("offline", "nothing is sent · English grade", "ready", True),
            ConnectionRow("Ollama", "llama3.1:8b · localhost:11434/v1", "ready"),
            ConnectionRow("OpenAI", "gpt-4.1-mini · OpenAI", "untested"),
        ]
    )
    page.list_pane.set_figure("2 set up")
    page.show_example(
        local,
        KeyFacts(KeyPlaces(True, "Secret Service"), KeyState(True, "This server is asked without a key.")),
        [CheckLine(part, state, sentence) for part, state, sentence in _LINES],  # type: ignore[arg-type]
    )
    models = ("llama3.1:8b", "nomic-embed-text", "qwen2.5:14b")
    page.servers_pane.show_servers([LocalServer("Ollama", "http://localhost:11434/v1", models)])
