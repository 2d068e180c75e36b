"""What a GraphRAG project's settings.yaml says that matters here: types, sizes, budgets, model names. Never a secret.

Only the keys that are named below are looked at; whatever else stands there (keys, addresses, connection strings) is
not read into the program. Values that name an environment variable are left alone: its .env file is never opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SETTINGS_NAMES = ("settings.yaml", "settings.yml", "settings.json")
_BYTES = 1 << 20  # a settings file is small; a larger one is not read

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
_OUTPUT = ("output_storage.base_dir", "output.base_dir", "storage.base_dir")


@dataclass(frozen=True)
class GraphragSettings:
    """Settings of a project that was made for GraphRAG.

    `values` holds knobs by this program's names (whole numbers, shares, switches); `prompts` the files of the
    project's own prompts by the name of ours, to be offered; `output` the folder of its tables, `runs` the folder
    above those of timestamped runs, `output_outside` an output that lies elsewhere and is not followed. `notes` say
    what stands there and could not be used.
    """

    path: Path
    values: Mapping[str, int | float | bool] = field(default_factory=dict)
    entity_types: tuple[str, ...] | None = None
    chat_model: str = ""
    embedding_model: str = ""
    output: Path | None = None
    runs: Path | None = None
    output_outside: str = ""
    prompts: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_settings(root: Path) -> GraphragSettings | None:
    """The settings of a project's root folder, or None where it has no settings file.

    A file that cannot be read gives settings without values and a note; it never keeps an index from being opened.
    """
    path = next((root / name for name in SETTINGS_NAMES if (root / name).is_file()), None)
    if path is None:
        return None
    raw, note = _load(path)
    notes = [note] if note else []
    values: dict[str, int | float | bool] = {}
    for name, places in {**_NUMBERS, **_SHARES, **_SWITCHES}.items():
        value = _first(raw, places)
        kept = _value(name, value)
        if kept is not None:
            values[name] = kept
        elif value is not None:
            notes.append(f"{places[0]} in {path.name} is no {_kind(name)} and was left out.")
    types = _first(raw, ("extract_graph.entity_types", "entity_extraction.entity_types"))
    return GraphragSettings(
        path=path,
        values=values,
        entity_types=tuple(str(item) for item in types) if isinstance(types, list) and types else None,
        chat_model=_model(raw, ("completion_models", "models"), "chat", ("llm.model",)),
        embedding_model=_model(raw, ("embedding_models", "models"), "embedding", ("embeddings.llm.model",)),
        output=_inside(root, _first(raw, _OUTPUT)),
        runs=_runs(root, _first(raw, _OUTPUT)),
        output_outside=_outside(root, _first(raw, _OUTPUT)),
        prompts={name: found for name, at in _PROMPTS.items() if (found := _file(root, _first(raw, at))) is not None},
        notes=tuple(notes),
    )


def settings_for_documents(folder: Path) -> GraphragSettings | None:
    """The settings of the project that a folder of documents belongs to: its own, or those beside an `input/`."""
    found = read_settings(folder)
    if found is None and folder.name == "input":
        found = read_settings(folder.parent)
    return found


def _load(path: Path) -> tuple[Mapping[str, Any], str]:
    import yaml

    try:
        if path.stat().st_size > _BYTES:
            return {}, f"{path.name} has more than {_BYTES:,} bytes and was not read."
        raw = yaml.safe_load(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        # The text of the error may quote the file, and the file may hold a key: it is not passed on.
        return {}, f"{path.name} cannot be read as settings; the defaults stand."
    return (raw, "") if isinstance(raw, dict) else ({}, f"{path.name} holds no settings; the defaults stand.")


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
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if name in _SHARES:
        return float(value) if 0 <= value <= 1 else None
    return int(value) if value == value and value >= 0 and value == int(value) else None


def _kind(name: str) -> str:
    if name in _SWITCHES:
        return "yes or no"
    return "share between 0 and 1" if name in _SHARES else "whole number"


def _model(raw: Mapping[str, Any], sections: tuple[str, ...], kind: str, older: tuple[str, ...]) -> str:
    """The name of a model. In 2.x both kinds stood in one section, told apart by their type or their id."""
    for section in sections:
        models = raw.get(section)
        if not isinstance(models, dict):
            continue
        for key, entry in models.items():
            if not isinstance(entry, dict):
                continue
            is_embedding = "embedding" in f"{entry.get('type', '')} {key}"
            if section != "models" or is_embedding == (kind == "embedding"):
                return _plain(entry.get("model"))
    return _plain(_first(raw, older))


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


def _file(root: Path, value: Any) -> Path | None:
    found = _inside(root, value)
    return found if found is not None and found.is_file() else None
