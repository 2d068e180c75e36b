"""Communities for an index that has none: found, kept outside it, and gone when its tables change."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import pandas as pd
import pytest

from explorer.base.errors import InputError
from explorer.graph.cluster_index import cluster_index
from explorer.graph.links import entity_links
from explorer.health.doctor import check_index
from explorer.tables.clustered import can_be_clustered
from explorer.tables.index import open_index
from explorer.tables.rows import EntityRow, RelationshipRow


@pytest.fixture
def bare(shared: Path, tmp_path: Path) -> Path:
    """Entities and relationships alone."""
    for path in (shared / "indexes/broken/only_entities_relationships").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_what_there_is_is_clustered_and_kept_elsewhere(bare: Path) -> None:
    before = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in bare.iterdir()}
    index = open_index(bare)
    assert can_be_clustered(index) and index.communities == []
    number = cluster_index(index)
    found = open_index(bare)
    assert len(found.communities) == number > 1
    assert not can_be_clustered(found)
    assert "found by this program" in found.state("communities").reason
    linked = {end for row in found.relationships for end in (row.source, row.target)} & set(found.entity_by_title)
    first = {key for row in found.communities if row.level == 0 for key in row.entity_ids}
    assert {found.entity_by_id[key].title for key in first} == linked
    for row in found.communities:
        assert row.level == 0 or set(row.entity_ids) <= set(found.community_by_number[row.parent].entity_ids)
        titles = {found.entity_by_id[key].title for key in row.entity_ids}
        links = [found.relationship_by_id[key] for key in row.relationship_ids]
        assert all(link.source in titles and link.target in titles for link in links)
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in bare.iterdir()} == before
    assert {"dangling_entity_id", "dangling_relationship_id"}.isdisjoint(
        defect.kind for defect in check_index(bare).defects
    )


def test_other_tables_have_other_communities(bare: Path) -> None:
    cluster_index(open_index(bare))
    frame = pd.read_parquet(bare / "relationships.parquet")
    frame.iloc[:50].to_parquet(bare / "relationships.parquet")
    index = open_index(bare)
    assert index.state("communities").state == "missing" and can_be_clustered(index)
    cluster_index(index)
    assert open_index(bare).communities


def test_reports_that_are_there_do_not_become_those_of_the_new_communities(shared: Path) -> None:
    folder = shared / "indexes/broken/missing_communities"
    cluster_index(open_index(folder))
    index = open_index(folder)
    assert index.communities and len(index.reports) == 10
    assert not set(index.report_by_community) & set(index.community_by_number)
    assert {row.parent for row in index.communities if row.level == 0} == {-1}
    assert all(row.parent in index.community_by_number for row in index.communities if row.level > 0)


def test_an_index_with_communities_is_left_alone(shared: Path) -> None:
    index = open_index(shared / "indexes/microsoft/dulce-v3.0.0")
    with pytest.raises(InputError, match="already"):
        cluster_index(index)


def test_weights_near_the_largest_number_are_summed() -> None:
    entities = [EntityRow(title, n, title, "", "") for n, title in enumerate("AB")]
    (pair,) = entity_links(entities, [RelationshipRow(str(n), n, "A", "B", "", 1e308) for n in range(3)])
    assert math.isfinite(pair[2])
