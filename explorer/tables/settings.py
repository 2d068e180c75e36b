"""What a GraphRAG project's settings.yaml says that matters here: types, sizes, budgets, model names. Never a secret.

Only the keys that are named below are looked at; whatever else stands there (keys, addresses, connection strings) is
not read into the program. Values that name an environment variable are left alone: its .env file is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.tables.settings_file import load_settings

SETTINGS_NAMES = ("settings.yaml", "settings.yml", "settings.json")
_LARGEST = 1_000_000_000  # of a size or a budget; what is larger is a slip
_QUOTED = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_TYPES = 200  # of entities; more were never meant

# Our knob → where it stands, in 3.x and before it, the first that is there counts.
_NUMBERS: dict[str, tuple[str, ...]] = {
    "chunk_size": ("chunking.size", "chunks.size"),
    "chunk_overlap": ("chunking.overlap", "chunks.overlap"),
    "max_gleanings": ("extract_graph.max_gleanings", "entity_extraction.max_gleanings"),
    "max_cluster_size": ("cluster_graph.max_cluster_size",),
    "max_report_length": ("community_reports.max_length",),
    "max_input_tokens": ("community_reports.max_input_length",),
    "max_context_tokens": ("global_search.max_context_tokens", "global_search.max_tokens"),
    "data_max_tokens": ("global_search.data_max_tokens",),
    "map_max_length": ("global_search.map_max_length",),
    "reduce_max_length": ("global_search.reduce_max_length",),
    "dynamic_search_threshold": ("global_search.dynamic_search_threshold",),
    "dynamic_search_max_level": ("global_search.dynamic_search_max_level",),
    "dynamic_search_num_repeats": ("global_search.dynamic_search_num_repeats",),
    "local_max_context_tokens": ("local_search.max_context_tokens", "local_search.max_tokens"),
    "top_k_entities": ("local_search.top_k_entities",),
    "top_k_relationships": ("local_search.top_k_relationships",),
    "basic_k": ("basic_search.k",),
    "basic_max_context_tokens": ("basic_search.max_context_tokens",),
}
_SHARES = {"text_unit_prop": ("local_search.text_unit_prop",), "community_prop": ("local_search.community_prop",)}
_SWITCHES = {
    "use_lcc": ("cluster_graph.use_lcc",),
    "claims": ("extract_claims.enabled", "claim_extraction.enabled"),
    "dynamic_search_keep_parent": ("global_search.dynamic_search_keep_parent",),
}
_PROMPTS = {
    "entity_extraction": ("extract_graph.prompt", "entity_extraction.prompt"),
    "describe": ("summarize_descriptions.prompt",),
    "claim_extraction": ("extract_claims.prompt", "claim_extraction.prompt"),
    "community_report": ("community_reports.graph_prompt", "community_reports.prompt"),
    "map_points": ("global_search.map_prompt",),
    "reduce": ("global_search.reduce_prompt",),
    "answer": ("local_search.prompt",),
}
_UNUSED_PROMPTS = (  # what GraphRAG sends and this program does not
    ("community_reports.text_prompt", "reports from text units"),
    ("global_search.knowledge_prompt", "general knowledge"),
    ("drift_search.prompt", "DRIFT search"),
    ("drift_search.reduce_prompt", "DRIFT search"),
    ("basic_search.prompt", "basic search"),
)
_TYPES_AT = ("extract_graph.entity_types", "entity_extraction.entity_types")
_OUTPUT = ("output_storage.base_dir", "output.base_dir", "storage.base_dir")
_UPDATES = ("update_output_storage.base_dir", "update_index_output.base_dir", "update_index_storage.base_dir")
_ALL_PLACES = (
    *_NUMBERS.values(), *_SHARES.values(), *_SWITCHES.values(), *_PROMPTS.values(), _TYPES_AT, _OUTPUT, _UPDATES,
    ("completion_models.", "embedding_models.", "models."),
)  # fmt: skip


@dataclass(frozen=True)
class GraphragSettings:
    """Settings of a project that was made for GraphRAG.

    `values` holds knobs by this program's names (whole numbers, shares, switches); `prompts` the files of the
    project's own prompts by the name of ours, to be offered, and `unused_prompts` those that answer none of ours, by
    what GraphRAG sends them for; `output` the folder of its tables, `runs` the folder above those of timestamped runs,
    `updates` that of updates, `output_outside` an output that lies elsewhere and is not followed. `notes` say what
    stands there and could not be used. A file that is named as a prompt may be missing.
    """

    path: Path
    values: Mapping[str, int | float | bool] = field(default_factory=dict)
    entity_types: tuple[str, ...] | None = None
    chat_model: str = ""
    embedding_model: str = ""
    output: Path | None = None
    runs: Path | None = None
    updates: Path | None = None
    output_outside: str = ""
    prompts: Mapping[str, Path] = field(default_factory=dict)
    unused_prompts: tuple[tuple[str, Path], ...] = ()
    notes: tuple[str, ...] = ()


def read_settings(root: Path) -> GraphragSettings | None:
    """The settings of a project's root folder, or None where it has no settings file.

    A file that cannot be read gives settings without values and a note; it never keeps an index from being opened.
    """
    path = next((root / name for name in SETTINGS_NAMES if (root / name).is_file()), None)
    if path is None:
        return None
    raw, note = load_settings(path)
    notes = [note] if note else []
    values: dict[str, int | float | bool] = {}
    for name, places in {**_NUMBERS, **_SHARES, **_SWITCHES}.items():
        value = _first(raw, places)
        kept = _value(name, value)
        if kept is not None:
            values[name] = kept
        elif value is not None:
            notes.append(f"{_named(raw, places)} in {path.name} {_why_not(name, value)} and was left out.")
    notes += [
        f"{section} in {path.name} is no group of settings and was left out."
        for section in sorted({at.partition(".")[0] for places in _ALL_PLACES for at in places})
        if raw.get(section) is not None and not isinstance(raw[section], dict)
    ]
    types, wrong_types = _types(_first(raw, _TYPES_AT))
    if wrong_types:
        notes.append(f"{_named(raw, _TYPES_AT)} in {path.name} {wrong_types} and was left out.")
    models = [
        _model(raw, ("completion_models", "models"), "chat", ("llm.model",)),
        _model(raw, ("embedding_models", "models"), "embedding", ("embeddings.llm.model",)),
    ]
    notes += [
        f"The {kind} model in {path.name} {_variable(model) or 'has no name'} and was left out."
        for kind, model in zip(("chat", "embedding"), models, strict=True)
        if model is not None and not _plain(model)
    ]
    return GraphragSettings(
        path=path,
        values=values,
        entity_types=types,
        chat_model=_plain(models[0]),
        embedding_model=_plain(models[1]),
        output=_inside(root, _first(raw, _OUTPUT)),
        runs=_runs(root, _first(raw, _OUTPUT)),
        updates=_inside(root, _first(raw, _UPDATES)),
        output_outside=_outside(root, _first(raw, _OUTPUT)),
        prompts={name: found for name, at in _PROMPTS.items() if (found := _inside(root, _first(raw, at))) is not None},
        unused_prompts=tuple(
            (use, found) for at, use in _UNUSED_PROMPTS if (found := _inside(root, _first(raw, (at,)))) is not None
        ),
        notes=tuple(notes),
    )


def settings_for_documents(folder: Path | None) -> GraphragSettings | None:
    """The settings of the project that a folder of documents belongs to: its own, or those beside an `input/`."""
    if folder is None:
        return None
    found = read_settings(folder)
    if found is None and folder.name == "input":
        found = read_settings(folder.parent)
    return found


def settings_of_index(root: Path | None, output: Path, folder: Path | None) -> GraphragSettings | None:
    """The settings that go with an index.

    `root` is what was taken for the project of a foreign index (None for one of ours: those of its `folder` count).
    Where no settings lie there, those of a folder above `output` count if they name it, or a folder above it, as the
    place of the tables.
    """
    if root is None:
        return settings_for_documents(folder)
    found = read_settings(root)
    if found is not None:
        return found
    for above in output.parents[:3]:
        found = read_settings(above)
        if found is not None:
            places = (found.output or above / "output", found.runs)
            return found if any(place is not None and output.is_relative_to(place) for place in places) else None
    return None


def _first(raw: Mapping[str, Any], places: tuple[str, ...]) -> Any:
    for place in places:
        value: Any = raw
        for part in place.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def _value(name: str, value: Any) -> int | float | bool | None:
    if name in _SWITCHES:
        return value if isinstance(value, bool) else None
    if isinstance(value, str) and _QUOTED.fullmatch(value.strip()):  # GraphRAG takes these too
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if name in _SHARES:
        return float(value) if 0 <= value <= 1 else None
    return int(value) if 0 <= value <= _LARGEST and value == int(value) else None


def _types(value: Any) -> tuple[tuple[str, ...] | None, str]:
    """The types of entities, each once, and why they cannot be taken."""
    if value is None or value == []:
        return None, ""
    if isinstance(value, str):
        return None, _variable(value) or "is no list of words"
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        return None, "is no list of words"
    if len(value) > _TYPES or any(len(item) > 200 for item in value):
        return None, "is far longer than a list of types"
    if any("$" in item for item in value):
        return None, "names an environment variable, which this program does not look up,"
    return tuple(dict.fromkeys(item.strip() for item in value)), ""


def _named(raw: Mapping[str, Any], places: tuple[str, ...]) -> str:
    """Where a value stands, of several places the one that holds it."""
    return next((place for place in places if _first(raw, (place,)) is not None), places[0])


def _variable(value: Any) -> str:
    is_variable = isinstance(value, str) and "$" in value
    return "names an environment variable, which this program does not look up," if is_variable else ""


def _why_not(name: str, value: Any) -> str:
    return _variable(value) or f"is no {_kind(name)}"


def _kind(name: str) -> str:
    if name in _SWITCHES:
        return "yes or no"
    return "share between 0 and 1" if name in _SHARES else "whole number from 0 to a thousand million"


def _model(raw: Mapping[str, Any], sections: tuple[str, ...], kind: str, older: tuple[str, ...]) -> Any:
    """What stands for the name of a model, None for nothing.

    In 2.x both kinds stood in one section, told apart by their type or their id.
    """
    for section in sections:
        models = raw.get(section)
        if not isinstance(models, dict):
            continue
        for key, entry in models.items():
            if not isinstance(entry, dict):
                continue
            words = [word for word in (entry.get("type"), key) if isinstance(word, str)]
            is_embedding = any("embedding" in word for word in words)
            if section != "models" or is_embedding == (kind == "embedding"):
                return entry.get("model")
    return _first(raw, older)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and "$" not in value and len(value) <= 200 else ""


def _inside(root: Path, value: Any) -> Path | None:
    """A folder or file that lies in the project; what leads out of it is not followed."""
    if not isinstance(value, str) or not value or "$" in value or "\0" in value:
        return None
    base = root.resolve()
    try:
        found = (base / value).resolve()
    except (OSError, RuntimeError):
        return None
    return root / found.relative_to(base) if found.is_relative_to(base) else None


def _runs(root: Path, value: Any) -> Path | None:
    """The folder above that of a run, whose name holds the time: of "output/${timestamp}/artifacts" the first."""
    if not isinstance(value, str) or "$" not in value:
        return None
    above, _, _ = value.partition("$")[0].rpartition("/")
    return _inside(root, above)


def _outside(root: Path, value: Any) -> str:
    """An output that leads out of the project, as it stands there; shown to the person, never followed."""
    if not isinstance(value, str) or not value or "$" in value or "\0" in value or len(value) > 1_000:
        return ""
    return value if _inside(root, value) is None else ""
