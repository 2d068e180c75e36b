"""A settings file read with care: it belongs to another program, it may hold keys, and it may be anything at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BYTES = 1 << 18  # GraphRAG's own has 5 kB
_NODES = 20_000  # with what stands behind its aliases: they multiply
_DIGITS = 40  # of a number; YAML knows numbers whose value takes minutes to work out


def load_settings(path: Path) -> tuple[Mapping[str, Any], str]:
    """What a settings file holds, {} where it cannot be read, and then the sentence that says so.

    The sentence never quotes the file, which may hold a key. Aliases and merges are counted before they are followed.
    """
    import yaml

    try:
        if path.stat().st_size > _BYTES:
            return {}, f"{path.name} has more than {_BYTES:,} bytes and was not read; the defaults stand."
        loader = yaml.SafeLoader(path.read_text("utf-8-sig"))
        try:
            node = loader.get_single_node()
            if node is None:
                return {}, f"{path.name} is empty; the defaults stand."
            if _size(node, {}) > _NODES:
                return (
                    {},
                    f"{path.name} is larger than settings are once its repeats are followed; the defaults stand.",
                )
            raw = loader.construct_document(node)
        finally:
            loader.dispose()
    # Whatever a constructor of the library meets (a date that is none, a set of lists) it may raise as it likes.
    except (OSError, ValueError, TypeError, OverflowError, RecursionError, yaml.YAMLError):
        return {}, f"{path.name} cannot be read as settings; the defaults stand."
    return (raw, "") if isinstance(raw, dict) else ({}, f"{path.name} holds no settings; the defaults stand.")


def _size(node: Any, known: dict[int, int]) -> int:
    """How many nodes stand under a node once every alias is followed. A node that holds itself is past any bound."""
    import yaml

    number = id(node)
    if number in known:
        return known[number]
    known[number] = _NODES + 1  # while it is being counted: met again, it holds itself
    size = 1
    if isinstance(node, yaml.ScalarNode):
        is_number = node.tag.endswith((":int", ":float"))
        size += _NODES if is_number and len(node.value) > _DIGITS else 0
    else:
        parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        for part in parts:
            size = min(_NODES + 1, size + _size(part, known))
    known[number] = size
    return size
