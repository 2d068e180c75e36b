"""What a model charges. A price that is not known is None, never 0."""

from __future__ import annotations

import tomllib

from pydantic import BaseModel, ConfigDict, Field

from explorer.base.paths import resource

_MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens of prompts and of output (an embedding model has no output)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    def cost(self, prompt_tokens: int, output_tokens: int) -> float:
        """US dollars for one call or a sum of calls."""
        return (prompt_tokens * self.prompt + output_tokens * self.output) / _MILLION


def known_prices() -> dict[str, Price]:
    """The models whose price ships with the program, by name."""
    table = tomllib.loads(resource("prices.toml").read_text("utf-8"))
    return {
        name: Price(prompt=entry["prompt"], output=entry.get("output", 0.0)) for name, entry in table["models"].items()
    }


def price_of(model: str | None) -> Price | None:
    """The price of a model, or None where no model is named or its price is not known here."""
    return None if model is None else known_prices().get(model)


def price_notes(model: str | None) -> list[str]:
    """One sentence where a model was named whose price is not known."""
    if model is None or price_of(model) is not None:
        return []
    return [f"No price is known for the model {model!r}. Models with a price: {', '.join(known_prices())}."]
