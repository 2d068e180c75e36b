"""Write the locked requirements anew (for developers): python3 packaging/lock.py   (needs uv)"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMON = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--quiet"]
QUIET = ["--no-header", "--no-emit-find-links"]


def main() -> None:
    run_lock = ROOT / "requirements.lock"
    build = "hatchling>=1.25\neditables\n"  # the checkout itself is built without reaching for the index
    compile_ = ["uv", "pip", "compile", *COMMON, *QUIET]
    subprocess.run(
        [*compile_, "pyproject.toml", "-", "--extra", "offline", "--output-file", str(run_lock)],
        input=build,
        text=True,
        cwd=ROOT,
        check=True,
    )
    subprocess.run(
        [*compile_, "--group", "dev", "--constraint", str(run_lock), "--output-file", "packaging/check.lock"],
        cwd=ROOT,
        check=True,
    )


if __name__ == "__main__":
    main()
