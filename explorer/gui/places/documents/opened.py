"""The files of an index that is open: what it says of them, and what has changed in the folder since."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.gui.places.documents.files_model import FileLine
from explorer.gui.words import count


def lines_of(index: Any) -> list[FileLine]:
    """A line for every file that the index names: its inputs, or the rows of its documents table."""
    inputs = index.info.inputs if index.info is not None else {}
    if inputs:
        return [
            FileLine(path, known.fate, known.size, known.documents, known.text_units, known.tokens, known.reason)
            for path, known in inputs.items()
        ]
    units = index.unit_by_id
    return [
        FileLine(
            row.title or row.id,
            "read",
            documents=1,
            units=len(row.text_unit_ids),
            tokens=sum(units[unit].n_tokens or 0 for unit in row.text_unit_ids if unit in units),
        )
        for row in index.documents
    ]


def changes_of(index: Any, find: Callable[[Path], list[Any]], scope: CancelScope) -> dict[str, tuple[str, int]]:
    """Files that are not as they were when the index was made: path → ("changed", "new" or "gone", size now).

    Sizes are compared first, then SHA-256. {} where the folder is not known. `find` is corpus.folder.find_files.
    """
    if index.folder is None or index.info is None or not index.info.inputs:
        return {}
    inputs = index.info.inputs
    changes: dict[str, tuple[str, int]] = {}
    seen = set()
    for file in find(Path(index.folder)):
        scope.checkpoint()
        seen.add(file.path)
        known = inputs.get(file.path)
        if known is None:
            if not file.reason:
                changes[file.path] = ("new", file.size)
        elif known.size != file.size or _differs(Path(index.folder) / file.path, known.sha256):
            changes[file.path] = ("changed", file.size)
    changes.update((path, ("gone", 0)) for path in inputs if path not in seen)
    return changes


def changes_now(index: Any, scope: CancelScope) -> dict[str, tuple[str, int]]:
    """`changes_of` with the engine's own way of finding files."""
    from explorer.corpus.folder import find_files

    return changes_of(index, find_files, scope)


def with_changes(lines: list[FileLine], changes: dict[str, tuple[str, int]]) -> list[FileLine]:
    """The lines with what has changed since put in."""
    words = {
        "changed": "has changed since it was indexed; the index shows it as it was",
        "new": "is not in the index yet",
        "gone": "was indexed and is no longer in the folder",
    }
    result = []
    for line in lines:
        what, size = changes.get(line.path, ("", 0))
        result.append(replace(line, fate=what, size=size or line.size, reason=words[what]) if what else line)
    known = {line.path for line in lines}
    new = [(path, size) for path, (what, size) in changes.items() if what == "new" and path not in known]
    result.extend(FileLine(path, "new", size, reason=words["new"]) for path, size in new)
    return result


def sentence_of(changes: dict[str, tuple[str, int]]) -> str:
    """What has changed, in one sentence; "" for nothing."""
    kinds = [what for what, _size in changes.values()]
    if not kinds:
        return ""
    parts = [
        f"{count(kinds.count(what), 'file')} {verb}"
        for what, verb in (("changed", "changed"), ("new", "new"), ("gone", "gone"))
        if what in kinds
    ]
    return f"Since this index was made: {', '.join(parts)}. Index the folder again to take that in."


def _differs(path: Path, sha256: str) -> bool:
    if not sha256:
        return False
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest() != sha256
    except OSError:
        return False  # a file that cannot be read now says nothing about a change
