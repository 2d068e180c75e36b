"""Set up all that the tests need and run them: python3 packaging/check.py [arguments of pytest]"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import environment  # noqa: E402


def main(arguments: list[str]) -> int:
    python = environment.prepare("check")
    steps = [
        ["ruff", "check", "explorer", "tests", "packaging"],
        ["ruff", "format", "--check", "explorer", "tests", "packaging"],
        ["lint-imports", "--no-cache"],
        ["mypy"],
        *([["pytest", "-m", "alone"]] if not arguments else []),
        # last: its closing line is the verdict
        ["pytest", *(arguments or ["-n", "2", "--dist", "loadfile", "-m", "not alone"])],
    ]
    tools = python.parent
    failed = []
    for step in steps:
        started = time.monotonic()
        environment.say(f"── {' '.join(step)}")
        command = [str(python), "-m", *step] if step[0] in ("pytest", "mypy") else [str(tools / step[0]), *step[1:]]
        code = subprocess.run(command, cwd=environment.ROOT, env=_test_environment(), check=False).returncode
        environment.say(
            f"── {step[0]}: {'passed' if code == 0 else f'failed ({code})'} in {time.monotonic() - started:.0f} s"
        )
        if code != 0:
            failed.append(" ".join(step))
    if failed:
        environment.say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


def _test_environment() -> dict[str, str]:
    """What whoever runs the tests has (a screen, a keyring, a scale, a language) is none of the tests' own."""
    theirs = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "QT_SCALE_FACTOR", "LANGUAGE")
    kept = {name: value for name, value in os.environ.items() if name not in theirs and not name.startswith("LC_")}
    return {**kept, "QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8"}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
