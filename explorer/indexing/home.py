"""Where the index of a folder is kept: beside the documents, or with the user where the folder cannot be written to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from explorer.base.paths import HOME_NAME, user_home_for


def choose_home(folder: Path) -> tuple[Path, str]:
    """The home for a folder's index and a sentence for the user ("" where the index is in the folder itself)."""
    if can_write(folder):
        return folder / HOME_NAME, ""
    home = user_home_for(folder)
    return home, f"{folder} cannot be written to: its index is kept in {home}."


def can_write(folder: Path) -> bool:
    """Whether a home can be made, or written to, in `folder`. Rights are asked for and then tried: root has all rights
    and still cannot write to a medium that is mounted read-only. Nothing is left behind.
    """
    home = folder / HOME_NAME
    place = home if home.is_dir() else folder
    if not os.access(place, os.W_OK | os.X_OK):
        return False
    try:
        with tempfile.TemporaryDirectory(prefix=".graphrag-explorer-", dir=place):
            return True
    except OSError:
        return False
