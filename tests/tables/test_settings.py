"""settings.yaml of GraphRAG projects: what is taken from it, and what never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.tables.index import open_index
from explorer.tables.settings import read_settings

SECRET = "sk-canary-0123456789"
OF_3 = f"""
completion_models:
  default_completion_model:
    model_provider: openai
    model: gpt-4.1-mini
    api_key: {SECRET}
    api_base: https://{SECRET}.example
embedding_models:
  default_embedding_model: {{model: text-embedding-3-small, api_key: "{SECRET}"}}
chunking: {{type: tokens, size: 600, overlap: 50}}
output_storage: {{type: file, base_dir: tables}}
extract_graph:
  entity_types: [animal, farm]
  max_gleanings: 0
  prompt: prompts/extract_graph.txt
cluster_graph: {{max_cluster_size: 12, use_lcc: false}}
extract_claims: {{enabled: true}}
community_reports: {{max_length: 1500, max_input_length: 6000, graph_prompt: ../outside.txt}}
global_search: {{max_context_tokens: 9000, data_max_tokens: 7000, map_max_length: many}}
local_search: {{text_unit_prop: 0.4, community_prop: 1.5}}
"""
OF_2 = """
models:
  default_embedding_model: {type: embedding, model: text-embedding-3-large}
  default_chat_model: {type: chat, model: gpt-4o, api_key: "${GRAPHRAG_API_KEY}"}
chunks: {size: 300, overlap: 100}
"""


def project(folder: Path, text: str) -> Path:
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts" / "extract_graph.txt").write_text("find animals in {input_text}")
    (folder / "settings.yaml").write_text(text)
    (folder.parent / "outside.txt").write_text("never read")
    return folder


def test_settings_of_3(tmp_path: Path) -> None:
    settings = read_settings(project(tmp_path / "project", OF_3))
    assert settings is not None
    assert settings.values == {
        "chunk_size": 600, "chunk_overlap": 50, "max_gleanings": 0, "max_cluster_size": 12, "use_lcc": False,
        "claims": True, "max_report_length": 1500, "max_input_tokens": 6000, "max_context_tokens": 9000,
        "data_max_tokens": 7000, "text_unit_prop": 0.4,
    }  # fmt: skip
    assert settings.entity_types == ("animal", "farm")
    assert (settings.chat_model, settings.embedding_model) == ("gpt-4.1-mini", "text-embedding-3-small")
    assert settings.output == tmp_path / "project" / "tables"
    assert settings.prompts == {"entity_extraction": tmp_path / "project" / "prompts" / "extract_graph.txt"}
    assert any("map_max_length" in note for note in settings.notes)
    assert any("community_prop" in note for note in settings.notes)


def test_no_secret_of_it_enters_the_program(tmp_path: Path) -> None:
    settings = read_settings(project(tmp_path / "project", OF_3))
    assert SECRET not in repr(settings)


def test_settings_of_2(tmp_path: Path) -> None:
    settings = read_settings(project(tmp_path / "project", OF_2))
    assert settings is not None
    assert (settings.chat_model, settings.embedding_model) == ("gpt-4o", "text-embedding-3-large")
    assert (settings.values["chunk_size"], settings.values["chunk_overlap"]) == (300, 100)


def test_real_projects(shared: Path) -> None:
    settings = read_settings(shared / "indexes/mit/joelandres-christmas")
    assert settings is not None
    assert settings.entity_types == ("organization", "person", "geo", "event")
    assert (settings.chat_model, settings.embedding_model) == ("gpt-4-turbo-preview", "text-embedding-3-small")
    assert settings.values["max_input_tokens"] == 8000


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", f"api_key: '{SECRET}", "a: &a [*a]", "!!python/object:os.system x", "\x00"]
)
def test_a_file_that_is_no_settings_is_a_note_without_its_text(tmp_path: Path, text: str) -> None:
    settings = read_settings(project(tmp_path / "project", text))
    assert settings is not None and settings.values == {}
    assert SECRET not in repr(settings)


def test_json_and_none(tmp_path: Path) -> None:
    assert read_settings(tmp_path) is None
    (tmp_path / "settings.json").write_text(json.dumps({"chunks": {"size": 200}}))
    settings = read_settings(tmp_path)
    assert settings is not None and settings.values == {"chunk_size": 200}


def test_the_tables_are_found_where_the_settings_say(shared: Path, tmp_path: Path) -> None:
    root = project(tmp_path / "project", OF_3)
    (root / "tables").mkdir()
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (root / "tables" / path.name).write_bytes(path.read_bytes())
    index = open_index(root)
    assert index.output == root / "tables" and len(index.entities) == 39
    assert index.settings is not None and index.settings.values["chunk_size"] == 600


def bomb(merged: bool) -> str:
    """Nine repeats of nine repeats …: 3,000 million values in 600 bytes."""
    lines = ["a0: &a0 {x: 1, y: 2}" if merged else "a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for number in range(1, 10):
        again = ", ".join([f"*a{number - 1}"] * 9)
        lines.append(f"a{number}: &a{number} " + (f"{{<<: [{again}]}}" if merged else f"[{again}]"))
    return "\n".join([*lines, "extract_graph: {entity_types: *a9}", f"api_key: {SECRET}"])


@pytest.mark.parametrize(
    "text",
    [
        bomb(False), bomb(True), "chunks: {size: " + "1" * 5_000 + "}",
        "chunks: {size: " + ":".join(["1"] * 99_999) + "}",
        "[" * 50_000, "a: &a {b: *a}", "a: 2024-99-99", "? [a, b]\n: 1", "x" * (1 << 19),
    ],
)  # fmt: skip
def test_a_file_that_is_larger_than_it_looks_is_one_sentence(tmp_path: Path, text: str) -> None:
    settings = read_settings(project(tmp_path / "project", text))
    assert settings is not None and settings.values == {} and settings.entity_types is None
    assert len(settings.notes) == 1 and settings.notes[0].endswith("defaults stand.")
    assert SECRET not in repr(settings)


def test_values_of_the_wrong_kind_are_each_one_sentence(tmp_path: Path) -> None:
    text = (
        "chunks: {size: .inf, overlap: -1}\nextract_graph: {entity_types: person, max_gleanings: [1]}\n"
        "cluster_graph: ten\nglobal_search: {max_context_tokens: '${BUDGET}', data_max_tokens: 9.5}\n"
        "models: {default_chat_model: {type: chat, model: '${MODEL}'}}\nextract_claims: {enabled: maybe}\n"
    )
    settings = read_settings(project(tmp_path / "project", text))
    assert settings is not None and settings.values == {} and settings.chat_model == ""
    for place in (
        "chunks.size", "chunks.overlap", "entity_types", "max_gleanings", "cluster_graph", "max_context_tokens",
        "data_max_tokens", "chat model", "extract_claims.enabled",
    ):  # fmt: skip
        assert sum(place in note for note in settings.notes) == 1, place
    assert sum("environment variable" in note for note in settings.notes) == 2


def test_the_settings_of_tables_that_are_opened_alone(shared: Path, tmp_path: Path) -> None:
    root = project(tmp_path / "project", OF_3)
    other = root / "elsewhere"
    for folder in (root / "tables", other):
        folder.mkdir()
        for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
            (folder / path.name).write_bytes(path.read_bytes())
    settings = open_index(root / "tables").settings
    assert settings is not None and settings.path == root / "settings.yaml"
    assert open_index(other).settings is None  # the settings name another folder


@pytest.mark.parametrize(
    ("written", "read"), [('"1200"', 1200), ("'300.0'", 300), ('"12.5"', None), ('"-3"', None), ('"many"', None)]
)
def test_a_number_in_quotes_is_the_number(written: str, read: int | None, tmp_path: Path) -> None:
    """As for GraphRAG, which reads its settings with a library that turns one into the other."""
    (tmp_path / "settings.yaml").write_text(f"chunks: {{size: {written}}}\n", "utf-8")
    found = read_settings(tmp_path)
    assert found is not None
    assert found.values.get("chunk_size") == read
    assert bool(found.notes) == (read is None)
