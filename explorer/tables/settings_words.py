"""What was taken from a GraphRAG project's settings, and what it offers besides, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.tables.settings import GraphragSettings
    from explorer.tables.settings_taken import Taken


def settings_words(settings: GraphragSettings, taken: Taken) -> list[str]:
    """Sentences for a command line: the knobs that were taken, the models that are named, the prompts on offer."""
    sentences = list(taken.left_out)
    if taken.values:
        words = value_words(taken.values)
        sentences.append(f"From {settings.path}: {words}; a flag of the same name stands before it.")
    models = model_words(settings)
    if models:
        sentences.append(models)
    if settings.prompts:
        names = ", ".join(str(path.relative_to(settings.path.parent)) for path in settings.prompts.values())
        sentences.append(
            f"The project has prompts of its own ({names}). They are offered, not used: "
            "graphrag-explorer prompts says which this program can send, and takes them over."
        )
    return sentences


def model_words(settings: GraphragSettings) -> str:
    """Which models the settings name, "" for none."""
    models = [name for name in (settings.chat_model, settings.embedding_model) if name]
    name, words = settings.path.name, " and ".join(models)
    return f"{name} names the models {words}; which one is asked is the connection's affair." if models else ""


def value_words(values: Mapping[str, object]) -> str:
    """Knobs with their values, sorted by name, one after the other."""
    return ", ".join(f"{name} {_word(value)}" for name, value in sorted(values.items()))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
