"""What a model charges. A price that is not known is None, never 0."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from explorer.base.errors import InputError
from explorer.base.files import write_text_atomic
from explorer.base.paths import resource, user_data_dir

if TYPE_CHECKING:
    from explorer.models.connection import Connection

FILE_NAME = "prices.toml"
_MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens of prompts and of output (an embedding model has no output)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    def cost(self, prompt_tokens: int, output_tokens: int) -> float:
        """US dollars for one call or a sum of calls."""
        return (prompt_tokens * self.prompt + output_tokens * self.output) / _MILLION


def shipped_prices() -> dict[str, Price]:
    """The models whose price ships with the program, by name."""
    return _read(resource("prices.toml"))


def user_prices() -> dict[str, Price]:
    """The prices that the user entered, by model; none where there are none.

    Raises InputError, in one sentence, where the file of them cannot be read.
    """
    path = user_prices_file()
    return _read(path) if path.exists() else {}


def user_prices_file() -> Path:
    """Where the user's own prices are kept."""
    return user_data_dir() / FILE_NAME


def save_user_prices(prices: Mapping[str, Price]) -> None:
    """Keep these as the user's prices, in place of those kept before.

    Raises StorageError where the file cannot be written.
    """
    lines = ["# Prices that were entered by hand, in US dollars for a million tokens; they stand before those shipped."]
    for name, price in sorted(prices.items()):
        # A JSON string is a TOML string as well.
        lines += ["", f"[models.{json.dumps(name)}]", f"prompt = {price.prompt!r}", f"output = {price.output!r}"]
    write_text_atomic(user_prices_file(), "\n".join(lines) + "\n")


def known_prices() -> dict[str, Price]:
    """The models whose price is known without a connection: those shipped, and the user's own before them."""
    return shipped_prices() | user_prices()


def price_of(model: str | None) -> Price | None:
    """The price of a model, or None where no model is named or its price is not known here."""
    return None if model is None else known_prices().get(model)


def price_for(connection: Connection, model: str) -> Price | None:
    """The price of a model on a connection: the connection's own, then the user's, then what ships; None is unknown."""
    return connection.prices.get(model) or price_of(model)


def refuse_unpriced(connection: Connection, models: Iterable[str]) -> None:
    """Raise InputError, in one sentence, where a cap in money cannot be kept because a model has no known price."""
    missing = [model for model in dict.fromkeys(models) if model and price_for(connection, model) is None]
    if missing:
        raise InputError(
            f"A cap in US dollars cannot be kept: no price is known for {', '.join(missing)}; no call was made. "
            "Cap the number of calls instead (max_calls), or enter the price with the connection."
        )


def price_notes(model: str | None) -> list[str]:
    """One sentence where a model was named whose price is not known."""
    if model is None or price_of(model) is not None:
        return []
    return [f"No price is known for the model {model!r}. Models with a price: {', '.join(known_prices())}."]


def _read(path: Path) -> dict[str, Price]:
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        return {
            name: Price(prompt=entry["prompt"], output=entry.get("output", 0.0))
            for name, entry in table.get("models", {}).items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise InputError(
            f"The prices in {path} cannot be read ({type(error).__name__}); nothing was changed. "
            "Correct the file, or move it away to go on with the prices that ship."
        ) from error
