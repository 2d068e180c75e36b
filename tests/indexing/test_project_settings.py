"""Which values of a GraphRAG project's settings decide the indexing of its documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.indexing.options import IndexOptions
from explorer.indexing.project_settings import index_settings, options_with
from explorer.tables.settings import GraphragSettings, read_settings


def settings(folder: Path, text: str) -> GraphragSettings:
    (folder / "settings.yaml").write_text(text)
    found = read_settings(folder)
    assert found is not None
    return found


def test_what_an_option_does_not_allow_is_left_out_and_said(tmp_path: Path) -> None:
    text = "cluster_graph: {max_cluster_size: 0}\nextract_graph: {max_gleanings: 99, entity_types: [ship, port]}\n"
    found = settings(tmp_path, text)
    taken = index_settings(found)
    assert taken.values == {"entity_types": ("ship", "port")}
    assert [sentence.split()[0] for sentence in taken.left_out] == ["max_gleanings", "max_cluster_size"]
    options = options_with(taken)
    assert options.entity_types == ("ship", "port") and options.max_cluster_size == IndexOptions().max_cluster_size


@pytest.mark.parametrize("text", ["chunks: {size: 50, overlap: 60}", "chunks: {size: 80}", "chunking: {size: 0}"])
def test_sizes_that_cannot_go_together_are_left_out(tmp_path: Path, text: str) -> None:
    taken = index_settings(settings(tmp_path, text))
    assert not taken.values and len(taken.left_out) == 1 and "chunk_size" in taken.left_out[0]
    assert options_with(taken) == IndexOptions()


def test_a_flag_stands_before_the_settings_and_what_goes_with_it(tmp_path: Path) -> None:
    found = settings(tmp_path, "chunks: {size: 600, overlap: 90}\ncluster_graph: {max_cluster_size: 5}")
    taken = index_settings(found, {"chunk_size": 80})
    assert taken.values == {"max_cluster_size": 5} and "chunk_overlap 90" in taken.left_out[0]
    assert index_settings(found, {"chunk_size": 400}).values == {"chunk_overlap": 90, "max_cluster_size": 5}
