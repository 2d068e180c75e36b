"""What commands write: results on stdout, messages on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.base.errors import StorageError

# A document, a reply or a name may hold sequences that move the cursor, recolour or retitle a terminal: what steers it
# is shown as an escape. Tabs and line feeds stay.
_SHOWN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def write_line(text: str = "") -> None:
    """One line of a result on stdout. Raises StorageError where stdout is a file that takes no more."""
    _write(text.translate(_SHOWN) + "\n")


def flush_results() -> None:
    """Send what is still buffered on its way. Raises StorageError, and BrokenPipeError where nobody reads any more."""
    with _results():
        sys.stdout.flush()


def write_message(sentence: str) -> None:
    """One sentence for the person, on stderr."""
    sys.stderr.write(sentence.translate(_SHOWN) + "\n")
    sys.stderr.flush()


def write_json(value: Any) -> None:
    """One JSON document on stdout: a pydantic model or plain values. Non-ASCII letters where stdout can carry them.

    Raises StorageError where stdout is a file that takes no more.
    """
    plain = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    unicode_out = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    _write(json.dumps(plain, ensure_ascii=not unicode_out, indent=2) + "\n")


def write_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows as aligned columns on stdout; numbers to the right, words to the left."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for position, row in enumerate(cells):
        numbers = [position > 0 and isinstance(rows[position - 1][column], (int, float)) for column in range(len(row))]
        line = "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numbers, strict=True)
        )
        write_line(line.rstrip())


def give_up_stdout() -> None:
    """Let stdout lead nowhere: what is still buffered could not be written, and would fail again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(text: str) -> None:
    with _results():
        sys.stdout.write(text)


@contextmanager
def _results() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_stdout()
        raise StorageError(
            f"The result could not be written to the standard output ({error.strerror or type(error).__name__}); "
            "what the command keeps elsewhere is kept."
        ) from error
