"""Checks the texts of an index's reports from the parquet alone.

    python tests/checkers/report_texts.py OUTPUT

Titles are unique and name one of the three members of highest inner degree; no sentence stands twice in a report; a
parent does not repeat its children. Nothing of the program is imported.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.checkers.citations import fold, rows

END = re.compile(r"(?<=[.!?。！？])[\"'”’»」』）)]*\s+|\n+|(?<=[。！？])")


@dataclass
class ReportTexts:
    """Communities by what is wrong with their report; `repeated` is the share of a parent's sentences that its
    children's reports hold, by community."""

    reports: int = 0
    shared_titles: list[str] = field(default_factory=list)
    titles_without_centre: list[int] = field(default_factory=list)
    twice: list[tuple[int, str]] = field(default_factory=list)
    without_findings: list[int] = field(default_factory=list)
    repeated: dict[int, float] = field(default_factory=dict)


def check_report_texts(output: Path) -> ReportTexts:
    """Read reports, communities, entities and relationships and check every report."""
    reports = rows(output, "community_reports")
    members = {row["community"]: row["entity_ids"] for row in rows(output, "communities")}
    titles = {row["id"]: row["title"] for row in rows(output, "entities")}
    links = [(row["source"], row["target"]) for row in rows(output, "relationships")]
    found = ReportTexts(len(reports))
    counted = Counter(report["title"].casefold() for report in reports)
    found.shared_titles = [title for title, count in counted.items() if count > 1]
    said = {report["community"]: sentences(report) for report in reports}
    for report in reports:
        community = report["community"]
        inside = {titles[member] for member in members[community]}
        degree = Counter(dict.fromkeys(inside, 0))
        for source, target in links:
            if source in inside and target in inside:
                degree[source] += 1
                degree[target] += 1
        centre = sorted(inside, key=lambda title: (-degree[title], title))[:3]
        if not any(fold(title) in fold(report["title"]) for title in centre):
            found.titles_without_centre.append(community)
        if not report["findings"]:
            found.without_findings.append(community)
        found.twice += [(community, text) for text, count in Counter(said[community]).items() if count > 1]
        below = {text for child in report["children"] for text in said.get(child, [])}
        if below:
            own = said[community]
            found.repeated[community] = sum(text in below for text in own) / max(1, len(own))
    return found


def sentences(report: dict) -> list[str]:  # type: ignore[type-arg]
    """The sentences of title, summary, headings and explanations, without references and case; no single words."""
    texts = [report["title"], report["summary"]]
    for finding in report["findings"]:
        texts += [finding["summary"], finding["explanation"]]
    found: list[str] = []
    for text in texts:
        for part in END.split(re.sub(r"\s*\[Data:[^\]]*\]", "\n", text)):
            words = " ".join(re.findall(r"\w+", part.casefold()))
            if " " in words or (len(words) > 6 and not words.isascii()):
                found.append(words)
    return found


def main() -> int:
    found = check_report_texts(Path(sys.argv[1]))
    worst = max(found.repeated.values(), default=0.0)
    print(f"reports                                  {found.reports}")
    print(f"titles that two share                    {len(found.shared_titles)}")
    print(f"titles without one of the first three    {len(found.titles_without_centre)}")
    print(f"sentences that stand twice in a report   {len(found.twice)}  {found.twice[:2]}")
    print(f"reports without a finding                {len(found.without_findings)}")
    print(f"most of a parent that its children hold  {worst:.1%}")
    wrong = found.shared_titles or found.titles_without_centre or found.twice or found.without_findings
    return 1 if wrong or worst > 0.5 else 0


if __name__ == "__main__":
    sys.exit(main())
