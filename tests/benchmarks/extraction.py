"""How much of what a strong model found in an index's text units the offline analyst finds in the same units.

    python tests/benchmarks/extraction.py INDEX [--grade auto|patterns|spacy] [--store FILE]

Reads any version's tables, runs the extraction that `index` runs on the text units of the index, and prints recall (of
the index's entities with three or more distinct neighbours, those that equal one of our titles after folding), the
ratio of the numbers of entities, and our 50 entities of highest degree.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from explorer.analysts.judgements import UnitText
from explorer.analysts.offline.extract import extract
from explorer.base.events import Event, Notice
from explorer.models.call_store import CallStore

_QUOTES = str.maketrans("", "", "\"'“”‘’«»`")


def folded(title: str) -> str:
    """Case, white space, quotes and a leading a, an or the do not count."""
    words = title.casefold().translate(_QUOTES).split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)


def table(index: Path, *names: str) -> Any:
    """The first table there is of these names, in INDEX, INDEX/output or INDEX/output/*/artifacts."""
    import pandas as pd

    folders = [index, index / "output", *sorted(index.glob("output/*/artifacts"))]
    for folder in folders:
        for name in names:
            if (folder / f"{name}.parquet").exists():
                return pd.read_parquet(folder / f"{name}.parquet")
    raise SystemExit(f"{index} has no table {' or '.join(names)}.")


def reference(index: Path) -> tuple[list[UnitText], set[str], int]:
    """Text units, folded titles with three or more distinct neighbours, and the number of distinct titles."""
    units = table(index, "text_units", "create_final_text_units")
    entities = table(index, "entities", "create_final_entities")
    relationships = table(index, "relationships", "create_final_relationships")
    titles = set(entities["title" if "title" in entities else "name"])
    neighbours: dict[str, set[str]] = defaultdict(set)
    for source, target in zip(relationships["source"], relationships["target"], strict=True):
        if source != target:
            neighbours[source].add(target)
            neighbours[target].add(source)
    wanted = {folded(title) for title in titles if len(neighbours[title]) >= 3}
    documents = units["document_id" if "document_id" in units else "document_ids"]
    texts = [
        UnitText(str(id_), str(text), str(document if isinstance(document, str) else ",".join(map(str, document))))
        for id_, text, document in zip(units["id"], units["text"], documents, strict=True)
    ]
    return texts, wanted, len(titles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--grade", default="auto", choices=("auto", "patterns", "spacy"))
    parser.add_argument("--store", type=Path, help="keep and use readings in this file")
    parser.add_argument("--missed", action="store_true", help="print what was not found")
    arguments = parser.parse_args()
    units, wanted, count = reference(arguments.index)
    began = time.perf_counter()
    notices: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Notice):
            notices.append(event.sentence)

    store = CallStore(arguments.store) if arguments.store else None
    extraction = extract(units, grade=arguments.grade, store=store, sink=listen)
    if store is not None:
        store.close()
    found = {folded(entity.title) for entity in extraction.entities}
    degree: Counter[str] = Counter()
    for link in extraction.relationships:
        degree[link.source] += 1
        degree[link.target] += 1
    types = {entity.title: entity.type for entity in extraction.entities}
    print(f"index     {arguments.index.name}: {len(units)} text units, {count} entities")
    print(f"grade     {' '.join(notices) or arguments.grade}")
    print(f"ours      {len(extraction.entities)} entities, {len(extraction.relationships)} relationships")
    print(f"dropped   {', '.join(f'{name} {n}' for name, n in extraction.dropped.items())}")
    print(f"calls     {extraction.calls}")
    print(f"seconds   {time.perf_counter() - began:.1f}")
    print(f"recall    {len(wanted & found) / max(1, len(wanted)):.3f} ({len(wanted & found)} of {len(wanted)})")
    print(f"ratio     {len(extraction.entities) / max(1, count):.2f}")
    print("the 50 of highest degree:")
    for title, links in sorted(degree.items(), key=lambda item: (-item[1], item[0]))[:50]:
        print(f"  {links:5}  {types[title]:12}  {title}")
    if arguments.missed:
        print("missed:", "; ".join(sorted(wanted - found)))


if __name__ == "__main__":
    main()
