"""One run of the real window on an X server by real clicks and keys: from the sample to an exported report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .screens import on_screen, virtual_screen

DRIVER = Path(__file__).with_name("whole_path.py")


@pytest.mark.screen
@pytest.mark.alone
@pytest.mark.slow
def test_the_whole_path_by_mouse_and_keyboard(tmp_path: Path) -> None:
    with virtual_screen() as display:
        done = subprocess.run(
            [sys.executable, str(DRIVER), str(tmp_path)],
            env=on_screen(display, str(tmp_path)),
            capture_output=True,
            text=True,
            timeout=840,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    assert "whole path done" in done.stdout
    assert (tmp_path / "reports.html").is_file()
