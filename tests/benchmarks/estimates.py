"""How good the estimates are: against the scripted server, folder by folder.

    python -m tests.benchmarks.estimates FOLDER … [--pilot 20]

Prints for each folder what was said before and after the pilot, what was charged, and which figures lay outside.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from explorer.indexing.run import index_folder
from explorer.planning.bill import Bill, compare, dollar_range, dollars
from explorer.planning.estimate import estimate
from tests.planning.test_estimate_paid import connection_to, outside
from tests.servers.running import running_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pilot", type=int, default=20)
    arguments = parser.parse_args()
    with running_server() as server:
        connection = connection_to(server)
        for folder in arguments.folders:
            with tempfile.TemporaryDirectory() as place:
                copy = Path(shutil.copytree(folder, Path(place) / folder.name))
                began = time.perf_counter()
                before = estimate(copy, connection=connection)
                first = time.perf_counter() - began
                tried = index_folder(copy, connection=connection, pilot=arguments.pilot)
                began = time.perf_counter()
                after = estimate(copy, connection=connection, pilot=tried.pilot)
                second = time.perf_counter() - began
                whole = index_folder(copy, connection=connection, vectors=True)
                bill = compare(after, whole.calls)
                charged = float(bill.total.cost.actual or 0.0) + (after.spent or 0.0)
                charge = dollars(charged)
                held = before.cost is not None and before.cost[0] <= charged <= before.cost[1]
                sys.stdout.write(
                    f"{folder.name}: {before.text_units} text units, made in {first:.1f} s and {second:.1f} s\n"
                    f"  before: {dollar_range(before.cost)}, charged {charge}, {'inside' if held else 'OUTSIDE'}\n"
                    f"  after:  {dollar_range(after.cost)}, about {dollars(after.middle.cost or 0)}; {_errors(bill)}\n"
                )
                for line in outside(bill):
                    sys.stdout.write(f"  outside: {line}\n")
                sys.stdout.flush()


def _errors(bill: Bill) -> str:
    total = bill.total
    figures = (("money", total.cost), ("prompt", total.prompt_tokens), ("output", total.output_tokens))
    return ", ".join(f"{name} {checked.error:+.1%}" for name, checked in figures if checked.error is not None)


if __name__ == "__main__":
    main()
