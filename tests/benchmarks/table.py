"""All figures of the README as one table: indexing time and memory, recall of extraction, modularity, stalls.

    python tests/benchmarks/table.py [--quick]

It runs the other benchmarks of this folder on the test material beside the checkout, one after the other, on a machine
that should do nothing else (about 20 minutes; --quick leaves out the folder of 261 documents and the stalls).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT.parent / "shared" / "data"
INDEXES = ("microsoft/verbs-v2.0.0", "microsoft/verbs-v3.1.2", "microsoft/dulce-v1.2.0", "mit/kexuan-backup3")
STALLS = re.compile(r"Stalls\(ticks=(\d+), p999=([\d.]+), longest=([\d.]+), over_50=(\d+)\)")


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr[-2000:])
    return done.stdout


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def indexing(folder: str, limit: str) -> None:
    lines = run(str(HERE / "indexing.py"), str(DATA / "corpora" / folder)).splitlines()
    cells = dict(zip(split(lines[0]), split(lines[-1]), strict=True))
    what = f"{cells['documents']} documents, {cells['units']} text units, {cells['entities']} entities"
    row(f"index {folder}", f"{what}: {cells['all s']} s, {cells['peak MiB']} MiB", limit)


def split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def extraction(index: str, limit: str) -> None:
    text = run(str(HERE / "extraction.py"), str(DATA / "indexes" / index))
    recall = re.search(r"^recall\s+([\d.]+)", text, re.MULTILINE)
    ratio = re.search(r"^ratio\s+([\d.]+)", text, re.MULTILINE)
    assert recall and ratio, text[-500:]
    row(f"extraction, {Path(index).name}", f"recall {recall.group(1)}, {ratio.group(1)} × its entities", limit)


def modularity() -> None:
    below, least = 0, 1.0
    names: set[str] = set()
    for line in run(str(HERE / "modularity.py")).splitlines():
        cells = line.split()
        if len(cells) >= 9 and cells[2].isdigit():
            names.add(cells[0])
            least = min(least, float(cells[5]) - float(cells[6]))
            below += "BELOW" in cells
    row(
        f"modularity, {len(names)} graphs × 5 seeds",
        f"least Q − reference mean: {least:+.5f}; {below} below",
        "≥ −0.002",
    )


def stalls() -> None:
    test = "tests/gui/test_ticks.py::test_261_documents_are_indexed_without_holding_the_window"
    text = run("-m", "pytest", test, "-q", "-rs", "-s", "--timeout", "1700")
    found = STALLS.search(text)
    words = (
        f"99.9 % under {float(found.group(2)):.0f} ms, longest {float(found.group(3)):.0f} ms"
        if found
        else "within the limits"
    )
    row("GUI thread while 261 documents are indexed", words, "99.9 % under 50 ms, none over 100 ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print(f"Measured on {time.strftime('%Y-%m-%d')}.\n")
    row("what", "figure", "limit")
    row("---", "---", "---")
    indexing("small_dulce", "20 s")
    indexing("small_inaugural", "60 s")
    if not quick:
        indexing("mid_factbook_md", "360 s, 2,048 MiB")
    for index in INDEXES:
        extraction(index, "recall 0.85, 6 ×" if "kexuan" in index else "recall 0.65 on average, 6 ×")
    modularity()
    if not quick:
        stalls()


if __name__ == "__main__":
    main()
