"""Print graph, seed, runs, modularity of level 0 and the reference it must reach, for every graph of the test material.

    python tests/benchmarks/modularity.py [GRAPH …]

The last column says where Q is below the reference mean of 100 leidenalg runs less 0.002;
the exit code is 1 if it is anywhere.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.graph.leiden import cluster  # noqa: E402
from tests.graph.graphs import read_network  # noqa: E402

SEEDS = (1, 2, 3, 42, 0xDEADBEEF)
TOLERANCE = 0.002


def main(names: list[str]) -> int:
    folder = ROOT.parent / "shared" / "data" / "graphs"
    reference = json.loads((folder / "reference_modularity.json").read_text(encoding="utf-8"))
    missed = 0
    print(f"{'graph':26} {'edges':>6} {'seed':>10} {'runs':>4} {'levels':>6} {'Q':>8} {'mean':>8} {'best':>8} {'s':>6}")
    for name in names or list(reference):
        network = read_network(folder, name)
        for seed in SEEDS:
            started = time.perf_counter()
            found = cluster(network, seed=seed)
            seconds = time.perf_counter() - started
            mean, best = reference[name]["leiden_mean"], reference[name]["leiden_best"]
            sound = found.modularity >= mean - TOLERANCE
            missed += not sound
            levels = 1 + max((item.level for item in found.clusters), default=-1)
            print(
                f"{name:26} {len(network.edges):6} {seed:10} {found.runs:4} {levels:6} {found.modularity:8.5f} "
                f"{mean:8.5f} {best:8.5f} {seconds:6.2f} {'' if sound else 'BELOW'}",
                flush=True,
            )
    print(f"{missed} below the reference" if missed else "all at or above the reference mean − 0.002")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
