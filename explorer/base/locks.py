"""One writer for one index: a lock file that the system releases when its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from explorer.base.errors import BusyError
from explorer.base.files import storage_error


@contextmanager
def writer_lock(home: Path, name: str = "lock") -> Iterator[None]:
    """Hold `home/lock` while the body runs. Raises BusyError at once where another process holds it.

    `name` is another file's for work that must not be done twice at one time but lets the tables be written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home / name)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise BusyError(
            f"Another program is writing to {home}; nothing was changed. Wait until it has finished, or close it."
        ) from error
    except OSError as error:
        raise storage_error(home / name, error) from error
    try:
        yield
    finally:
        lock.release()
