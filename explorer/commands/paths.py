"""Paths as they are typed on the command line."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.base.errors import InputError


def typed_path(text: str) -> Path:
    """The path that an argument names, `~` written out; it need not exist.

    Raises InputError for what can never be a path here: an empty argument (an unset variable of a script would mean
    the current folder), an unknown home folder, a name that the system refuses, a place that may not be looked at.
    """
    if not text.strip():
        raise InputError(
            "One of the paths given is empty; nothing was done. Give the whole path, or . for this folder."
        )
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise InputError(f"{text} begins with a home folder that is not known here; give the whole path.") from error
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # whoever needs it to exist says so in his own words
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{_short(text)} cannot be used ({reason}); nothing was done. Give another path.") from error
    return path


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:100]} … {text[-60:]}"
