"""Errors that a person reads: one sentence that says what happened, what was kept and what to do."""

from __future__ import annotations


class ExplorerError(Exception):
    """A failure that ends an operation, worded for the person who asked for it.

    Parameters
    ----------
    sentence: one sentence for the window and for stderr; it must hold no secret and no traceback.

    The command line prints the sentence and exits with 2; the window shows it where the work was started.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class InputError(ExplorerError):
    """What was given cannot be worked on: no such folder, nothing readable in it, a bad parameter."""


class OpenError(ExplorerError):
    """An index cannot be opened: newer schema, missing table, damaged file."""


class BusyError(ExplorerError):
    """Another program writes to the same index."""


class StorageError(ExplorerError):
    """The disk is full or refuses to be written."""


class WorkerError(ExplorerError):
    """A process that did part of the work ended before it was done."""


class Cancelled(Exception):
    """Raised at a checkpoint after the user cancelled. Not an error: what was finished is kept."""
