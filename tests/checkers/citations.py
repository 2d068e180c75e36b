"""Checks the citations of an index's reports from the parquet alone: they resolve, and what they cite holds a name.

    python tests/checkers/citations.py OUTPUT

A cited text unit holds the name of an entity that stands in the same bracket; a cited entity's description holds its
title; a cited relationship's description holds one of its two ends. Names are compared without case, white space and
quotes. Nothing of the program is imported.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

BRACKET = re.compile(r"\[Data: ([^\]]+)\]")
PART = re.compile(r"(Entities|Relationships|Sources|Reports) \(([^)]*)\)")


@dataclass
class Citations:
    """Counts over all findings. `unresolved` and `nameless` hold (community, table, number)."""

    cited: Counter[str] = field(default_factory=Counter)
    unresolved: list[tuple[int, str, int]] = field(default_factory=list)
    nameless: list[tuple[int, str, int]] = field(default_factory=list)
    findings: int = 0
    findings_with_two: int = 0  # findings that cite two entities or more, or a relationship
    brackets_too_long: int = 0

    @property
    def share_named(self) -> float:
        total = sum(self.cited.values())
        return 1 - len(self.nameless) / total if total else 0.0


def check_citations(output: Path) -> Citations:
    """Read the four tables and check every bracket of every finding and summary."""
    entities = {row["human_readable_id"]: row for row in rows(output, "entities")}
    links = {row["human_readable_id"]: row for row in rows(output, "relationships")}
    units = {row["human_readable_id"]: row for row in rows(output, "text_units")}
    folded_units = {number: fold(row["text"]) for number, row in units.items()}
    found = Citations()
    for report in rows(output, "community_reports"):
        for position, text in enumerate([report["summary"], *(f["explanation"] for f in report["findings"])]):
            named: set[int] = set()
            joined = False
            for bracket in BRACKET.findall(text):
                parts = {name: re.findall(r"\d+", numbers) for name, numbers in PART.findall(bracket)}
                found.brackets_too_long += any(len(numbers) > 5 for numbers in parts.values())
                here = [int(number) for number in parts.get("Entities", [])]
                named.update(here)
                joined = joined or "Relationships" in parts
                titles = [fold(entities[number]["title"]) for number in here if number in entities]
                for table, known in (("Entities", entities), ("Relationships", links), ("Sources", units)):
                    for number in map(int, parts.get(table, [])):
                        found.cited[table] += 1
                        if number not in known:
                            found.unresolved.append((report["community"], table, number))
                        elif not _holds(table, known[number], titles, folded_units.get(number, "")):
                            found.nameless.append((report["community"], table, number))
            if position:
                found.findings += 1
                found.findings_with_two += len(named) > 1 or joined
    return found


def _holds(table: str, row: dict[str, str], titles: list[str], unit: str) -> bool:
    if table == "Sources":
        return any(title in unit for title in titles)
    if table == "Entities":
        return fold(row["title"]) in fold(row["description"] or "")
    return any(fold(row[end]) in fold(row["description"] or "") for end in ("source", "target"))


def fold(text: str) -> str:
    """Without case and quotes, white space single, no leading article."""
    text = re.sub("[\"'“”‘’«»„`]", "", " ".join(text.casefold().split()))
    return re.sub(r"^(?:the|an|a) (?=\S)", "", text.strip())


def rows(output: Path, table: str) -> list[dict]:  # type: ignore[type-arg]
    return pq.read_table(output / f"{table}.parquet").to_pylist()


def main() -> int:
    found = check_citations(Path(sys.argv[1]))
    print(f"findings                       {found.findings}")
    print(f"  that join two members        {found.findings_with_two}")
    for table, count in sorted(found.cited.items()):
        print(f"cited {table:<24} {count}")
    print(f"that do not resolve            {len(found.unresolved)}")
    print(f"that hold no name they cite    {len(found.nameless)}  ({found.share_named:.1%} hold one)")
    return 0 if not found.unresolved and found.share_named >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
