"""What commands write: results on stdout, messages and progress on stderr, bars only where a person looks."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.base.errors import StorageError
from explorer.base.events import (
    AttemptFailed,
    CallSettled,
    Event,
    EventSink,
    Notice,
    StageFinished,
    StageProgress,
    StageStarted,
)

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


@contextmanager
def progress() -> Iterator[EventSink]:
    """An event sink that shows a bar a stage on a terminal; in a pipe only sentences (Notice) come through."""
    bars = _Bars() if sys.stderr.isatty() else None

    def sink(event: Event, /) -> None:
        if bars is not None:
            bars.show(event)
        if isinstance(event, Notice):
            (bars.say if bars is not None else write_message)(event.sentence)

    try:
        yield sink
    finally:
        if bars is not None:
            bars.close()


class _Bars:
    """One tqdm bar for the stage that runs; a finished stage keeps its line. Calls of a model show what the run has
    been charged so far, and what is being waited for.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._tokens = 0
        self._cost: float | None = 0.0

    def show(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.close()
            from tqdm import tqdm

            self._bar = tqdm(total=event.total, desc=event.stage, file=sys.stderr, leave=True, dynamic_ncols=True)
        elif isinstance(event, StageProgress) and self._bar is not None:
            if event.total is not None:
                self._bar.total = event.total
            self._bar.update(max(0, event.done - self._bar.n))
        elif isinstance(event, CallSettled) and event.model:  # the offline analyst charges nothing
            self._charge(event)
        elif isinstance(event, AttemptFailed) and self._bar is not None:
            self._bar.set_postfix_str(f"{event.outcome.replace('_', ' ')}, once more in {event.wait:.0f} s")
        elif isinstance(event, StageFinished) and self._bar is not None:
            if event.counts:
                self._bar.set_postfix_str(_counts(event.counts))
            if self._bar.total is not None:
                self._bar.update(max(0, self._bar.total - self._bar.n))
            self.close()

    def _charge(self, event: CallSettled) -> None:
        self._tokens += event.prompt_tokens + event.output_tokens
        if event.cost is None:
            self._cost = None
        elif self._cost is not None:
            self._cost += event.cost
        if self._bar is not None and self._tokens:
            money = "" if self._cost is None else f", ${self._cost:,.4f}"
            self._bar.set_postfix_str(f"{self._tokens:,} tokens{money}", refresh=False)

    def say(self, sentence: str) -> None:
        from tqdm import tqdm

        tqdm.write(sentence, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())
