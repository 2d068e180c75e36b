"""Markdown: the text as it stands, without the block of settings that may open it."""

from __future__ import annotations

import re

from explorer.corpus.decode import decode
from explorer.corpus.readers.parts import Parts, whole

_OPEN = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
# A block between two rules is settings only where each line is a key, the rest of a value, or a comment.
_SETTING = re.compile(r"""\s*(?:["']?[\w.-]+["']?[ \t]*[:=]|#)|\s+\S|-[ \t]|[\]})]|\s*\Z""")


def read(data: bytes) -> Parts:
    """The Markdown source; front matter is kept as `raw_data`, not as text to extract names from."""
    decoded = decode(data)
    text = decoded.text
    match = _OPEN.match(text)
    if match is None or not match[2].strip() or not all(_SETTING.match(line) for line in match[2].split("\n")):
        return whole(text, decoded.notes)
    return whole(text[match.end() :].lstrip("\n"), decoded.notes, raw_data=match[2].rstrip("\n"))
