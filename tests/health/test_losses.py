"""What GraphRAG lost in real indexes, against figures counted elsewhere."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from explorer.health.doctor import check_index
from explorer.health.losses import find_losses
from explorer.health.report import Loss
from explorer.tables.index import open_index
from explorer.tables.write import write_table


def losses(shared: Path, name: str) -> dict[str, Loss]:
    return {loss.kind: loss for loss in find_losses(open_index(shared / "indexes" / name))}


def test_the_christmas_carol(shared: Path) -> None:
    """1,429 relationships lie inside communities; graphrag 3.3.0's own context builder, counting as its command line
    does, makes contexts of 1,037 rows, of which 228 are of another community; with a limit that cuts nothing, of
    1,093 rows, of which 230 are."""
    found = losses(shared, "microsoft/verbs-v3.1.2")
    lost = found["relationship_not_in_report"]
    assert lost.of == 1429
    assert lost.of - lost.count == 1037 - 228
    assert f"left out {1429 - (1093 - 230)}." in lost.sentence and "cut off 54 others" in lost.sentence
    assert found["claim_never_used"].count == 406
    # 25 of 529 entities have no community at level 2 or above (504 are kept at query time).
    assert found["entity_outside"].count == 25
    assert "community_unreachable" not in found and "text_unit_dropped" not in found


def test_entities_in_no_community_of_a_large_index(shared: Path) -> None:
    assert losses(shared, "mit/kexuan-backup3")["entity_outside"].count == 4466


def test_the_fast_method_drops_its_first_text_unit(shared: Path) -> None:
    found = losses(shared, "generated-3.3/fast-dulce6")
    assert (found["text_unit_dropped"].count, found["text_unit_dropped"].of) == (1, 46)
    assert "relationship_not_in_report" not in found  # its reports are written from text units


@pytest.mark.parametrize("name", ["dulce-v0.1.1", "verbs-v0.5.0"])
def test_versions_that_used_all_relationships_and_claims(shared: Path, name: str) -> None:
    found = losses(shared, f"microsoft/{name}")
    assert "relationship_not_in_report" not in found and "claim_never_used" not in found


def test_communities_without_a_report(shared: Path) -> None:
    found = losses(shared, "broken/community_without_report")
    reports = pq.read_table(shared / "indexes/broken/community_without_report/community_reports.parquet").num_rows
    assert (found["community_unreachable"].count, found["community_unreachable"].of) == (10 - reports, 10)


def test_a_pair_named_either_way_is_a_loss_of_weight_and_no_repeated_row(shared: Path, tmp_path: Path) -> None:
    """graphrag 3.3.0 keeps both rows in its table and clusters by the weight of the later one (`cluster_graph`)."""
    source = shared / "indexes/microsoft/dulce-v3.0.0"
    for path in source.glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    table = pq.read_table(tmp_path / "relationships.parquet").to_pylist()
    pairs = {frozenset((row["source"], row["target"])) for row in table}
    known = {(row["source"], row["target"]) for row in table}
    first = next(row for row in table if (row["target"], row["source"]) not in known)
    before = {loss.kind: loss.count for loss in find_losses(open_index(tmp_path))}
    table.append({**first, "id": "turned", "human_readable_id": 9_000,
                  "source": first["target"], "target": first["source"]})  # fmt: skip
    write_table(tmp_path, "relationships", table)
    found = check_index(tmp_path)
    assert "repeated_relationship" not in {defect.kind for defect in found.defects}
    turned = next(loss for loss in found.losses if loss.kind == "weight_of_reversed_pair")
    assert turned.count == before["weight_of_reversed_pair"] + 1
    assert turned.of == len(pairs)
