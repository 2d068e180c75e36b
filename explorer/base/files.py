"""Files written whole or not at all: to a temporary name beside the target, flushed, then renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from explorer.base.errors import StorageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ROOM = 1_000_000  # bytes: with less than this free, an I/O error of SQLite is a full disk


def write_atomic(target: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file and rename it to `target`.

    `write` may make an SQLite file: what that library reports of a full disk is told in the same sentence.
    Raises StorageError, in one sentence, where the disk is full or refuses; the old file then stands unchanged.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_native_id()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb+") as handle:
            os.fsync(handle.fileno())
        temporary.replace(target)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):  # where the folder itself is the trouble, there is nothing to take away
            temporary.unlink(missing_ok=True)
        raise _sentence(target, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text_atomic(target: Path, text: str) -> None:
    """Write text as UTF-8 with line feeds, whole or not at all."""
    write_atomic(target, lambda path: _write_bytes(path, text.encode("utf-8", "surrogatepass")))


def _sentence(target: Path, error: OSError | sqlite3.Error) -> StorageError:
    return storage_error(target, error) if isinstance(error, OSError) else database_error(target, error)


def storage_error(target: Path, error: OSError) -> StorageError:
    """The sentence for a failed write."""
    if error.errno in _FULL:
        return StorageError(
            f"The disk is full: {target.name} could not be written to {target.parent}; "
            "what was finished before is kept. Free some space and start again: it goes on where it stopped."
        )
    reason = error.strerror or type(error).__name__
    return StorageError(
        f"{target} could not be written ({reason}); what was finished before is kept. "
        "Choose a place that can be written to and start again."
    )


def database_error(target: Path, error: sqlite3.Error) -> StorageError:
    """The sentence for a failed write of an SQLite file: that library has no errno, only words."""
    text = str(error)
    full = "full" in text
    if not full and "I/O" in text:
        with contextlib.suppress(OSError):
            full = shutil.disk_usage(target.parent).free < _ROOM
    return storage_error(target, OSError(errno.ENOSPC if full else errno.EIO, text))


def _write_bytes(path: Path, data: bytes) -> None:
    path.write_bytes(data)
