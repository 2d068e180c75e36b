"""Change one sentence of one file and index again: the calls that are made, stage by stage, and reports made again.

python -m tests.benchmarks.update [--file 1961-Kennedy.txt] [--option=--no-vectors]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from tests.benchmarks.kill_resume import INAUGURAL
from tests.indexing.killing import Program
from tests.servers.running import running_server

SENTENCE = "In the town of Norderbach the mayor Helga Brandt asked for a new bridge. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=INAUGURAL)
    parser.add_argument("--file", default="", help="by default the one in the middle")
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        folder = place / "documents"
        shutil.copytree(arguments.folder, folder)
        with running_server() as server:
            program = Program(folder, place / "user", tuple(arguments.option))
            program.connect(server, embedding_model="scripted-embedding")
            show("first run", *program.run(place / "home"))
            server.reset()
            show("nothing changed", *program.run(place / "home"))
            print(f"  requests that the server saw: {server.state()['arrived']}")
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            changed = folder / arguments.file if arguments.file else files[len(files) // 2]
            print(f"one sentence of {changed.name}: {change_sentence(changed)}")
            server.reset()
            _, summary, _ = program.run(place / "home")
            show("one sentence changed", 0, summary, "")
            entries = server.log()
            print(f"  requests that the server saw: {dict(Counter(entry.task for entry in entries))}")
            calls = summary["calls"].get("reports", {})
            made = calls.get("count", 0) - calls.get("cached", 0)
            print(f"  reports made again: {made} of {summary['reports']} ({made / max(1, summary['reports']):.0%})")


def change_sentence(path: Path) -> str:
    """Put another sentence in the place of the one in the middle of a file; says which. The file's time moves on."""
    text = path.read_text("latin-1")  # every byte is a character of it: whatever the file's encoding, it stays
    sentences = list(re.finditer(r"[A-Z][^.!?]{40,200}[.!?] ", text))
    middle = sentences[len(sentences) // 2]
    path.write_text(text[: middle.start()] + SENTENCE + text[middle.end() :], "latin-1")
    os.utime(path, (path.stat().st_mtime + 10, path.stat().st_mtime + 10))
    return repr(middle.group().strip())


def show(name: str, code: int, summary: dict, said: str) -> None:
    if code:
        raise SystemExit(f"{name}: exit code {code}: {said}")
    made = {stage: f"{c['count'] - c['cached']} made, {c['cached']} known" for stage, c in summary["calls"].items()}
    print(f"{name}: {summary['text_units']} text units, {summary['entities']} entities, {summary['reports']} reports")
    for stage, words in made.items():
        print(f"  {stage}: {words}")


if __name__ == "__main__":
    main()
