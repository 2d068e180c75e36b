"""Reports that are too long, stale or ambiguous, each made by hand from a sound index."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from explorer.health.doctor import check_index
from explorer.health.report import Defect


@pytest.fixture
def copied(shared: Path, tmp_path: Path) -> Path:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def defects(folder: Path) -> dict[str, Defect]:
    return {defect.kind: defect for defect in check_index(folder).defects}


def change(folder: Path, table: str, column: str, row: int, value: object) -> None:
    frame = pd.read_parquet(folder / f"{table}.parquet")
    frame.loc[frame.index[row], column] = value
    frame.to_parquet(folder / f"{table}.parquet")


def test_the_sound_index_has_none_of_these(copied: Path) -> None:
    assert not {"report_longer_than_batch", "stale_report", "ambiguous_citation"} & set(defects(copied))


def test_a_report_longer_than_a_batch(copied: Path) -> None:
    change(copied, "community_reports", "full_content", 0, "# Long\n\n" + "word " * 12_001)
    found = defects(copied)["report_longer_than_batch"]
    assert found.count == 1 and "tokens" in found.example


def test_a_report_of_another_state_of_its_community(copied: Path) -> None:
    change(copied, "community_reports", "size", 3, 99)
    change(copied, "community_reports", "level", 4, 7)
    found = defects(copied)["stale_report"]
    assert found.count == 2 and "99" in found.example


def test_a_number_that_two_entities_bear(copied: Path) -> None:
    frame = pd.read_parquet(copied / "entities.parquet")
    change(copied, "entities", "human_readable_id", 1, int(frame["human_readable_id"].iloc[0]))
    number = int(frame["human_readable_id"].iloc[0])
    reports = pd.read_parquet(copied / "community_reports.parquet")["full_content"]
    citing = sum(f"Entities ({number})" in text or f"Entities ({number}," in text for text in reports)
    found = defects(copied).get("ambiguous_citation")
    assert found is not None and found.count >= citing > 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("龘" * 6_000, 1),  # two tokens a letter: 12,000 tokens in 6,000 letters
        (" word" * 11_990, 1),  # what its columns and the header add is over the limit
        (" word" * 11_900, 0),
    ],
)
def test_a_batch_is_as_long_as_its_tokens_and_its_columns(copied: Path, text: str, count: int) -> None:
    change(copied, "community_reports", "full_content", 0, text)
    found = defects(copied).get("report_longer_than_batch")
    assert (found.count if found else 0) == count


def test_a_batch_is_as_long_as_the_settings_of_the_project_say(copied: Path) -> None:
    (copied / "settings.yaml").write_text("global_search:\n  max_context_tokens: 60000\n")
    change(copied, "community_reports", "full_content", 0, " word" * 13_000)
    assert "report_longer_than_batch" not in defects(copied)
