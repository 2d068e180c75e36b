"""A GraphRAG project's settings.yaml decides the knobs that no flag names, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import main

SECRET = "sk-canary-in-settings"


@pytest.fixture
def project(shared: Path, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "output").mkdir(parents=True)
    (root / "input").mkdir()
    (root / "prompts").mkdir()
    (root / "prompts" / "extract_graph.txt").write_text("mine")
    (root / "input" / "one.txt").write_text("Alma Berg met Bruno Carr in Harbour Street. " * 40)
    (root / "settings.yaml").write_text(
        f"completion_models: {{a: {{model: gpt-4.1, api_key: {SECRET}}}}}\n"
        "chunking: {size: 100, overlap: 10}\nglobal_search: {max_context_tokens: 6000}\n"
        "extract_graph: {prompt: prompts/extract_graph.txt}\n"
    )
    for path in (shared / "indexes/microsoft/verbs-v3.1.2").glob("*.parquet"):
        (root / "output" / path.name).write_bytes(path.read_bytes())
    return root


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    return code, out, err


def test_plan_takes_the_budget_of_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "plan", str(project), "--level", "0", "--reports", "at_or_below", "--json")
    plan = json.loads(out)
    assert code == 0 and len(plan["batches"]) > 3  # 3 with the usual 12,000
    assert any("max_context_tokens 6,000" in note for note in plan["notes"])
    code, out, _ = run(
        capsys,
        "plan",
        str(project),
        "--level",
        "0",
        "--reports",
        "at_or_below",
        "--max-context-tokens",
        "12000",
        "--json",
    )
    plan = json.loads(out)
    assert len(plan["batches"]) == 3 and plan["sha256"].startswith("042bfb088453ec85")
    assert not any("settings.yaml" in note for note in plan["notes"])


def test_index_takes_the_sizes_of_the_project(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("index", str(project / "input"), "--index", str(tmp_path / "home"), "--no-vectors", "--json")
    code, out, err = run(capsys, *words)
    assert code == 0 and json.loads(out)["text_units"] > 3
    assert "chunk_size 100" in err and "gpt-4.1" in err and "extract_graph.txt" in err
    code, out, _ = run(capsys, *words, "--chunk-size", "1200")
    assert json.loads(out)["text_units"] == 1
