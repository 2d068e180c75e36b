"""A request as the client would send it: its tokens, and what the call store has for it."""

from __future__ import annotations

from collections.abc import Callable

from explorer.base.token_cache import TokenCounter
from explorer.models.call_store import CallStore
from explorer.models.calls import ChatRequest
from explorer.models.connection import Connection
from explorer.models.reply_modes import sent_messages
from explorer.models.stored_call import StoredCall


class Asked:
    """Of one connection and one call store (None: nothing is known); `key_of` is the client's.

    Below JSON by schema the schema stands in the prompt and is counted; a connection that was never asked counts as one
    that takes schemas.
    """

    def __init__(
        self,
        connection: Connection,
        store: CallStore | None,
        key_of: Callable[[ChatRequest], str],
        counter: TokenCounter,
    ) -> None:
        self._connection = connection
        self._store = store
        self._key_of = key_of
        self._counter = counter

    def tokens(self, request: ChatRequest) -> int:
        """Tokens of the contents of the messages as they go out; what a server adds for their frame is not counted."""
        sent = sent_messages(request.messages, request.schema, self._connection.reply_mode or "json_schema")
        return sum(self._counter.count_all([content for _, content in sent]))

    def find(self, request: ChatRequest) -> StoredCall | None:
        """The call that the run would be served from the store."""
        return None if self._store is None else self._store.get(self._key_of(request))
