"""Counts in words: the one place where the program chooses between singular and plural."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """1 file, 2 files, 12,345 files. `many` is the plural where an "s" does not make it."""
    return f"{number:,} {agree(number, one, many)}"


def agree(number: int, one: str, many: str = "") -> str:
    """The word alone that goes with a number: agree(1, "is", "are") is "is"."""
    return one if number == 1 else many or one + "s"


def share(number: int, of: int, one: str, many: str = "") -> str:
    """3 of 5 files; where there is one alone: 1 of 1 file."""
    return f"{number:,} of {counted(of, one, many)}"
