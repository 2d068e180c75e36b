"""Set up all that GraphRAG Explorer needs and open it: python3 packaging/launch.py [FOLDER]

Without a folder it opens the bundled sample. Without a screen it does the same job in the terminal.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import environment  # noqa: E402
import machine  # noqa: E402


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["-h"], ["--help"]) or len(arguments) > 1:
        print(__doc__)
        return 0 if len(arguments) == 1 else 2
    python = environment.prepare("run")
    folder = str(Path(arguments[0]).expanduser().resolve()) if arguments else None
    if machine.has_screen():
        command = [str(python), "-m", "explorer", *([folder] if folder else ["--sample"])]
    else:
        environment.say("There is no screen here, so the same job is done in this terminal.")
        command = [str(python), "-m", "explorer", "tour", *([folder] if folder else [])]
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
