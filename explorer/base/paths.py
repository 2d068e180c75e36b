"""Where things are: the program's resources, the user's data and cache, the home of an index."""

from __future__ import annotations

import hashlib
from pathlib import Path

import platformdirs

HOME_NAME = ".graphrag-explorer"
_APP = "graphrag-explorer"


def resource(*parts: str) -> Path:
    """The path of a file that ships with the program, in a checkout and in an installed wheel alike.

    Raises FileNotFoundError where neither has it.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "resources", package.parent / "resources"):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError("/".join(parts))


def user_data_dir() -> Path:
    """The folder of runs, positions and settings that belong to the user; whoever writes into it makes it.

    platformdirs decides; XDG_DATA_HOME moves it on Linux. Looking for an index must not fail where it cannot be made.
    """
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def user_cache_dir() -> Path:
    """The folder of what can be made again (unpacked vocabularies), made on first use."""
    return Path(platformdirs.user_cache_dir(_APP, appauthor=False, ensure_exists=True))


def user_home_for(path: Path) -> Path:
    """The folder in the user data directory that stands for a path which cannot be written to."""
    digest = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return user_data_dir() / "indexes" / digest
