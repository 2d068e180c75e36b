"""Which values of a GraphRAG project's settings decide a question."""

from __future__ import annotations

from pathlib import Path

from explorer.search.project_settings import search_settings
from explorer.tables.settings import read_settings


def test_asking_takes_budgets_and_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    text = "global_search: {max_context_tokens: 6000, map_max_length: 0, dynamic_search_threshold: 3}\n"
    (tmp_path / "settings.yaml").write_text(text + "chunks: {size: 300}")
    found = read_settings(tmp_path)
    assert found is not None
    taken = search_settings(found)
    assert taken.values == {"max_context_tokens": 6000}
    assert taken.others == {"chunk_size": 300, "dynamic_search_threshold": 3}
    assert len(taken.left_out) == 1 and "map_max_length 0" in taken.left_out[0]
