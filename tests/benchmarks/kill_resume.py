"""Kill an indexing run at 50 random moments, run it to the end, and ask the server what was paid twice.

python -m tests.benchmarks.kill_resume [--kills 50] [--seed 1] [--folder ../shared/data/corpora/small_inaugural]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.indexing.killing import Kill, Program, judge, run_and_kill, table_sums
from tests.servers.running import RunningServer, running_server

INAUGURAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "corpora" / "small_inaugural"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=INAUGURAL)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--keep", type=Path, help="keep the server's log and the kills in this folder")
    parser.add_argument("--option", action="append", default=[], help="of the command, as --option=--no-vectors")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        with running_server(place / "log.jsonl", latency=[0.05, 0.2]) as server:
            program = Program(arguments.folder, place / "user", tuple(arguments.option))
            program.connect(server, concurrency=arguments.concurrency, embedding_model="scripted-embedding")
            began = time.time()
            code, summary, said = program.run(place / "undisturbed")
            if code:
                raise SystemExit(f"the undisturbed run ended with {code}: {said}")
            total = server.state()["arrived"]
            print(f"undisturbed: {total} requests, {time.time() - began:.1f} s, {summary.get('reports')} reports")
            server.reset(latency=[0.05, 0.2])
            kills = _kill(program, place / "killed", server, arguments.kills, total, arguments.seed)
            last = time.time()
            code, summary, said = program.run(place / "killed")
            done = sum(not kill.finished for kill in kills)
            print(f"{done} kills, {len(kills) - done} runs were done before; then a last run: exit code {code}")
            verdicts = [judge(server.log(), kills, last, path) for path in ("chat", "embeddings")]
            if arguments.keep:
                _keep(arguments.keep, place / "log.jsonl", kills)
            print(f"chat calls: {verdicts[0]}\nembedded texts: {verdicts[1]}")
            print(f"processes left behind: {sum(kill.orphans for kill in kills)}")
            same = table_sums(place / "killed") == table_sums(place / "undisturbed")
            print(f"tables equal to the undisturbed run's, byte for byte: {same} ({len(table_sums(place / 'killed'))})")
            before = server.state()["arrived"]
            program.run(place / "killed")
            print(f"calls of one more run: {server.state()['arrived'] - before}")
            good = same and code == 0 and all(verdict.sound for verdict in verdicts)
            print("sound" if good else "NOT sound")


def _kill(program: Program, home: Path, server: RunningServer, count: int, total: int, seed: int) -> list[Kill]:
    """`count` kills spread over all calls of a run: each after a random number of requests and a random pause."""
    chance = random.Random(seed)
    kills: list[Kill] = []
    for number in range(count):
        left = total - len({entry.messages for entry in server.log() if entry.answered})
        kills_left = count - number
        after = chance.randint(0, max(1, 2 * left // kills_left))
        kill = run_and_kill(program, home, server, after, chance.uniform(0.0, 0.5))
        kills.append(kill)
        print(
            f"  {number + 1}: after {kill.at - kill.began:.2f} s, {after} requests{' (done)' if kill.finished else ''}"
        )
    return kills


def _keep(folder: Path, log: Path, kills: list[Kill]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.jsonl").write_bytes(log.read_bytes())
    (folder / "kills.json").write_text(json.dumps([asdict(kill) for kill in kills]), "utf-8")


if __name__ == "__main__":
    main()
