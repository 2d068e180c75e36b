"""A screen of its own for a test: an X server without a monitor, and a hand that clicks and types on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def virtual_screen(width: int = 1400, height: int = 900) -> Iterator[str]:
    """The name of a display (":97") that lives while the body runs. Skips where Xvfb or xdotool is missing."""
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            pytest.skip("Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(60)


def on_screen(display: str, home: str) -> dict[str, str]:
    """The environment of a program that is to draw on `display`, with user folders under `home`."""
    kept = {name: value for name, value in os.environ.items() if name not in ("WAYLAND_DISPLAY", "QT_SCALE_FACTOR")}
    return {
        **kept,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_DATA_HOME": f"{home}/data",
        "XDG_CONFIG_HOME": f"{home}/config",
    }
