"""What doctor says in words: singular and plural, why, and nothing that a missing table would have told."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from explorer.cli import main
from explorer.health.words import counted_kind, kind_words
from explorer.tables.columns import GRAPHRAG_TABLES


@pytest.fixture
def copied(shared: Path, tmp_path: Path) -> Path:
    for name in GRAPHRAG_TABLES:
        path = shared / f"indexes/microsoft/dulce-v3.0.0/{name}.parquet"
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def say(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    main(["doctor", str(folder)])
    return capsys.readouterr().out


def test_one_and_many_of_a_kind(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert counted_kind("entity_without_relationship", 31) == "31 entities without a relationship"
    assert kind_words("entity_without_relationship", 1) == "entity without a relationship"
    said = say(shared / "indexes/microsoft/verbs-v3.1.2", capsys)
    assert "1 entity without a relationship, for example MR. TOPPER" in said
    assert "84 ends of relationships that are no entities" in said
    said = say(shared / "indexes/microsoft/dulce-v0.5.0", capsys)
    assert "1 of 89 entities is in no community (1 without a relationship): no report speaks of it" in said


def test_a_kind_without_words_is_still_readable() -> None:
    assert counted_kind("some_new_kind", 2) == "2 some new kind"


def test_several_missing_tables_are_one_line_that_names_each(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copied / "documents.parquet").unlink()
    (copied / "text_units.parquet").unlink()
    main(["doctor", str(copied), "--json"])
    found = [each for each in json.loads(capsys.readouterr().out)["defects"] if each["kind"] == "table_missing"]
    assert [each["count"] for each in found] == [2]
    assert "documents" in found[0]["example"] and "text_units" in found[0]["example"]


def test_without_relationships_nobody_says_that_an_entity_has_none(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / "relationships.parquet").unlink()
    entities = pd.read_parquet(copied / "entities.parquet")
    extra = entities.iloc[:1].assign(id="another", title="ANOTHER", human_readable_id=900)
    pd.concat([entities, extra], ignore_index=True).to_parquet(copied / "entities.parquet")
    said = say(copied, capsys)
    assert "without a relationship" not in said
    assert "1 related entity in no community, for example ANOTHER: the table of relationships" in said


def test_without_entities_nothing_is_said_of_the_prompts_of_reports(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / "entities.parquet").unlink()
    said = say(copied, capsys)
    assert "relationships inside communities" not in said and "no method reads" not in said


def test_an_entity_that_is_related_to_itself_alone(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entities = pd.read_parquet(copied / "entities.parquet")
    links = pd.read_parquet(copied / "relationships.parquet")
    extra = entities.iloc[:1].assign(id="another", title="ANOTHER", human_readable_id=900)
    pd.concat([entities, extra], ignore_index=True).to_parquet(copied / "entities.parquet")
    loop = links.iloc[:1].assign(id="loop", source="ANOTHER", target="ANOTHER", human_readable_id=900)
    pd.concat([links, loop], ignore_index=True).to_parquet(copied / "relationships.parquet")
    said = say(copied, capsys)
    assert "ANOTHER: its only relationships are with itself" in said and "without a relationship" not in said


def test_a_second_report_is_no_second_title(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = pd.read_parquet(copied / "community_reports.parquet")
    pd.concat([reports, reports.iloc[:1]], ignore_index=True).to_parquet(copied / "community_reports.parquet")
    main(["doctor", str(copied), "--json"])
    found = {each["kind"]: each["count"] for each in json.loads(capsys.readouterr().out)["defects"]}
    assert (found["duplicate_report"], found["duplicate_report_title"]) == (1, 1)  # the title is of two others
