"""One reader a format: bytes of a file → parts, each of which becomes a document.

A reader takes the file's bytes and gives a `Parts`; it raises NotText for a reason that a person can act on, and
whatever its library raises otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from explorer.corpus.readers.parts import Parts

# suffix → module with `read(data) -> Parts`; loaded when the first such file comes, because the libraries are slow
# to import.
_READERS = {
    ".txt": "plain",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".rst": "restructured",
    ".csv": "rows",
    ".tsv": "rows",
    ".json": "records",
    ".jsonl": "records",
    ".ndjson": "records",
    ".pdf": "pdf",
    ".docx": "word",
}
SUFFIXES = frozenset(_READERS)


def reader(suffix: str) -> Callable[[bytes], Parts]:
    """The function that reads files of a suffix (lower case, with its dot). Raises KeyError for an unknown one."""
    module = import_module(f"explorer.corpus.readers.{_READERS[suffix]}")
    function: Callable[[bytes], Parts] = module.read_lines if suffix in (".jsonl", ".ndjson") else module.read
    return function
