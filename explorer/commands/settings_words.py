"""What was taken from a GraphRAG project's settings, and what it offers besides, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.tables.settings import GraphragSettings


def settings_words(settings: GraphragSettings, taken: Mapping[str, object]) -> list[str]:
    """Sentences for stderr: the knobs that were taken, the models that are named, the prompts that are not used."""
    sentences = list(settings.notes)
    if taken:
        words = ", ".join(f"{name} {_word(value)}" for name, value in sorted(taken.items()))
        sentences.append(f"From {settings.path}: {words}; a flag of the same name stands before it.")
    models = [name for name in (settings.chat_model, settings.embedding_model) if name]
    if models:
        sentences.append(f"It names the models {' and '.join(models)}; which one is asked is the connection's affair.")
    if settings.prompts:
        names = ", ".join(str(path.relative_to(settings.path.parent)) for path in settings.prompts.values())
        sentences.append(
            f"The project has prompts of its own ({names}). They are not used: this program asks for JSON, with fields "
            "of its own; take what you want of them into its prompts."
        )
    return sentences


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
