"""How fast the offline vectors of an index are made: python -m tests.benchmarks.vectors HOME   (HOME is not changed)"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from explorer.analysts.offline.vectors import OfflineEmbedder
from explorer.analysts.offline.word_pieces import WordPieces
from explorer.base.processes import lower_priority
from explorer.indexing.vector_texts import vector_texts
from explorer.indexing.vectors import make_vectors
from explorer.tables.index import open_index


def main(home: Path) -> None:
    """Copy the index, make its vectors anew, print word pieces a CPU second and the seconds of a second run."""
    lower_priority()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "home"
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("lancedb", "vectors.*"))
        pieces = WordPieces()
        total = sum(pieces.windows(text).pieces for text in vector_texts(open_index(copy)).text.values())
        embedder = OfflineEmbedder()
        began, cpu = time.perf_counter(), time.process_time()
        summary = make_vectors(copy, embedder)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        again = make_vectors(copy, embedder)
    print(
        f"{summary.embedded} texts, {total:,} word pieces: {seconds:.1f} s, {cpu:.1f} CPU s, {total / cpu:,.0f} a CPU s"
    )
    print(f"a second run: {again.embedded} texts, {again.seconds:.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
