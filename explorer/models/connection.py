"""A connection: where a language model is, how it is asked, and how much of it may be used. It holds no secret."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from explorer.base.tokens import EncodingName
from explorer.models.prices import Price

Kind = Literal["openai", "azure", "compatible"]
ReplyMode = Literal["json_schema", "json_object", "text"]
OFFLINE = "offline"  # the name of the connection that needs none
# Stages that may have a model and parameters of their own, in the order in which a run comes to them.
STAGES = ("extract", "glean", "claims", "describe", "reports", "embed", "rate", "map", "reduce", "answer")


class Connection(BaseModel):
    """One connection as the user set it up.

    `base_url` is empty for OpenAI's own; `stage_models` names another model for some stages (extract, glean, claims,
    describe, reports, rate, map, reduce, answer); `parameters` are sent with every chat call (temperature, seed …),
    `stage_parameters` with those of a stage. `concurrency` calls are out at one time; `requests_per_minute` and
    `tokens_per_minute` hold in every 60 seconds, None is no limit. `context_window` is in tokens, None is unknown.
    `tokenizer` None is that of the model, where it is known, else o200k_base. `prices` are US dollars for a million
    tokens by model and stand before those that ship. `key` says where the key is, never what it is: "keyring",
    "session", "env:NAME", or "none" for a server that asks for none. `reply_mode` is the best of the three ways to
    ask for JSON that has worked; None until one has.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)  # what was given may be a key

    name: str = Field(min_length=1, max_length=80)
    kind: Kind = "compatible"
    base_url: str = ""
    api_version: str = ""  # Azure only
    chat_model: str = ""
    embedding_model: str = ""
    stage_models: dict[str, str] = Field(default_factory=dict)
    parameters: dict[str, object] = Field(default_factory=dict)
    stage_parameters: dict[str, dict[str, object]] = Field(default_factory=dict)
    concurrency: int = Field(default=8, ge=1, le=512)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    context_window: int | None = Field(default=None, ge=1)
    tokenizer: EncodingName | None = None
    prices: dict[str, Price] = Field(default_factory=dict)
    key: str = "keyring"
    timeout: float = Field(default=300.0, gt=0)  # seconds for one attempt
    retries: int = Field(default=5, ge=0)  # attempts after the first, for failures that may pass
    reply_mode: ReplyMode | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Connection:
        if self.name.casefold() == OFFLINE:
            raise ValueError(f"the name {OFFLINE!r} is taken by the analyst that needs no model")
        if self.kind != "openai" and not self.base_url:
            raise ValueError("base_url is needed: the address of the server")
        return self

    def model_for(self, stage: str) -> str:
        """The model that makes the calls of a stage; of "embed" the embedding model."""
        if stage == "embed":
            return self.stage_models.get(stage, self.embedding_model)
        return self.stage_models.get(stage, self.chat_model)
