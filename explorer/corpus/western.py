"""Short texts in a Western single-byte encoding, told apart by where their letters and signs stand.

A general detector needs many letters beyond ASCII: it reads "20 °C" as Chinese. But in a text that is mostly ASCII a
wrong encoding shows at once: a capital inside a word, a quotation mark or a section sign between two letters.
"""

from __future__ import annotations

import re

_ENCODINGS = ("cp1252", "mac_roman", "cp850")
_MOST = 0.3  # share of bytes beyond ASCII
_SIGNS = "“”„«»‹›‘‚–—…•€£¥¢§°©®™¡¿ºª·±×÷½¼¾²³´¨\xa0"
_LETTERS = "a-zA-ZÀ-ÖØ-öø-ÿŒœŠšŽžŸ"
_KNOWN = re.compile(rf"[\x00-\x7f{_LETTERS}’{re.escape(_SIGNS)}]*")
_WRONG = re.compile(
    "|".join(
        (
            "[a-zß-öø-ÿœšž][À-ÖØ-ÞŒŠŽŸ]",  # a capital behind a small letter
            f"[{_LETTERS}][À-ÖØ-ÞŒŠŽŸ][a-zß-öø-ÿœšž]",  # a capital before a small letter, inside a word
            f"[{_LETTERS}][“”„«»‹›‘‚…•€£¥¢§°©®™¡¿ºª±×÷½¼¾²³´¨][{_LETTERS}]",  # a sign between two letters
            f"[{_LETTERS}][§¿¡¥¢£±÷×´¨¾½¼„‚]",  # a sign that no word ends with
            "[^\x00-\x7f]{3}",  # three in a row: bytes of larger alphabets
        )
    )
)


def beyond_ascii(data: bytes) -> int:
    """The number of bytes above 127."""
    return len(data.translate(None, bytes(range(128))))


def western(data: bytes) -> tuple[str, str] | None:
    """(text, encoding) where the bytes read as Western text in one of three encodings, else None."""
    beyond = beyond_ascii(data)
    if not beyond or beyond > _MOST * len(data):
        return None
    for name in _ENCODINGS:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if _KNOWN.fullmatch(text) and not _WRONG.search(text):
            return text, name
    return None
