"""The program as it is started: with a screen, without one, and ended from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def _environment(tmp_path: Path, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    clean.pop("QT_QPA_PLATFORM", None)
    return {**clean, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **more}


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a screen there")
def test_without_a_screen_it_says_so_in_one_line(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "explorer", str(tmp_path)],
        env=_environment(tmp_path), capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert result.returncode == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and "There is no screen here" in lines[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
def test_it_closes_cleanly_when_it_is_asked_to_end(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer"], env=_environment(tmp_path, QT_QPA_PLATFORM="offscreen"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    written = tmp_path / "graphrag-explorer" / "window.ini"
    try:
        _wait_until_it_listens(process)
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 0, error
    assert out == "" and "Traceback" not in error
    assert written.is_file()


def _wait_until_it_listens(process: subprocess.Popen[str]) -> None:
    """Until the process handles SIGTERM itself, which it does from before its window is shown."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.is_file():  # no Linux
        time.sleep(10)
        return
    end = time.monotonic() + 240
    while True:
        assert process.poll() is None, process.communicate()
        caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        assert time.monotonic() < end
        time.sleep(0.005)
