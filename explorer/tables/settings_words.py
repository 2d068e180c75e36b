"""What was taken from a GraphRAG project's settings, and what it offers besides, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.tables.settings import GraphragSettings
    from explorer.tables.settings_taken import Taken

_OF_INDEXING = (  # what settings say of the making of an index; a question has no knob for it
    "chunk_size", "chunk_overlap", "max_gleanings", "max_cluster_size", "max_report_length", "max_input_tokens",
    "use_lcc", "claims", "entity_types",
)  # fmt: skip


def settings_words(settings: GraphragSettings, taken: Taken) -> list[str]:
    """Sentences for a command line: the knobs that were taken, the models that are named, the prompts on offer."""
    sentences = list(taken.left_out)
    if taken.values:
        words = value_words(taken.values)
        sentences.append(f"From {settings.path}: {words}; a flag of the same name stands before it.")
    models = model_words(settings)
    if models:
        sentences.append(models)
    there = [path for path in settings.prompts.values() if path.is_file()]
    if there:
        names = ", ".join(str(path.relative_to(settings.path.parent)) for path in there)
        sentences.append(
            f"The project has prompts of its own ({names}). They are offered, not used: "
            "graphrag-explorer prompts says which this program can send, and takes them over."
        )
    return sentences


def knob_words(taken: Taken, names: Mapping[str, str], holding: Collection[str]) -> list[str]:
    """Lines for a panel of knobs: what the settings gave, what of it was turned since, what was left out and why.

    `names` are the panel's knobs in words, `holding` those that stand as the settings have them. [] where the settings
    say nothing of it.
    """
    lines, name = [], taken.path.name
    held = [f"{names.get(key, key)} {_word(value)}" for key, value in taken.values.items() if key in holding]
    turned = [f"{names.get(key, key)} {_word(value)}" for key, value in taken.values.items() if key not in holding]
    if held:
        lines.append(f"From {taken.path}: {' · '.join(held)}.")
    if turned:
        lines.append(f"Not used now, though {name} says it: {' · '.join(turned)}.")
    lines += taken.left_out
    others = {key: value for key, value in taken.others.items() if key not in _OF_INDEXING}
    if others:
        lines.append(f"Read, but of no knob here: {value_words(others)}.")
    return lines


def model_words(settings: GraphragSettings) -> str:
    """Which models the settings name, "" for none."""
    models = [name for name in (settings.chat_model, settings.embedding_model) if name]
    words = " and ".join(models)
    return (
        f"{settings.path.name} names the models {words}; which one is asked is the connection's affair."
        if words
        else ""
    )


def value_words(values: Mapping[str, object]) -> str:
    """Knobs with their values, sorted by name, one after the other."""
    return ", ".join(f"{name} {_word(value)}" for name, value in sorted(values.items()))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
