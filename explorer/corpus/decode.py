"""Bytes of a text file → text, with a sentence for every doubt.

Order of the rules: a byte order mark; UTF-16 without one, seen by its zero bytes; UTF-8 that is right to the last
byte; UTF-8 with a few broken bytes, which become U+FFFD; what the file itself declares (HTML); a guess,
by `western` for mostly ASCII text and by charset-normalizer for the rest. Only the first and the third pass without a
note.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

from explorer.base.words import agree, counted
from explorer.corpus.western import beyond_ascii, western

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings of one family that a guess often confuses: where the text comes out the same, the common name is used.
_COMMON = ("cp1252", "cp932", "gb18030", "euc_jp", "euc_kr")
_GUESS_BYTES = 1 << 20
_ENOUGH = 12  # letters beyond ASCII from which on the general detector tells Czech or Turkish from Western text
_SPARSE = 0.1  # share of unknown bytes up to which the rest of a text is worth reading
_LATIN_NEIGHBOURS = frozenset(("cp1250", "iso8859_2", "cp1254", "iso8859_9"))
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_BINARY_SHARE = 0.05


class NotText(Exception):
    """The bytes are not those of a text; the message is the reason for the person who reads the file list."""


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, *, declared: str = "") -> Decoded:
    """The text of a file's bytes, cleaned by `clean`.

    `declared` is the encoding that the file itself names ("" where it names none); right UTF-8 wins over it. Raises
    NotText where the bytes look like no text in any encoding.
    """
    text, encoding, notes = _decode(data, declared)
    text, cleaning = clean(text)
    if len(_CONTROL.findall(text)) > _BINARY_SHARE * max(len(text), 1):
        raise NotText("it holds binary data, not text")
    return Decoded(text, encoding, notes + cleaning)


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """A text that tables, windows and tokenizers all read alike, and the notes of what was changed.

    NUL characters go, lone surrogates become U+FFFD, line ends become line feeds (a window would count CR LF as one
    character and every offset after it would be wrong), and letters are composed (NFC), so that one name written in
    two ways stays one name.
    """
    notes = []
    zeros = text.count("\0")
    if zeros:
        text = text.replace("\0", "")
        notes.append(f"{zeros} NUL characters were left out")
    lone = len(re.findall("[\ud800-\udfff]", text))
    if lone:
        text = re.sub("[\ud800-\udfff]", "\ufffd", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        notes.append("halves of characters were marked with U+FFFD")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
        notes.append("letters with separate accents were composed (NFC)")
    return text, tuple(notes)


def _decode(data: bytes, declared: str) -> tuple[str, str, tuple[str, ...]]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            text = data.decode(name, "replace")
            return text, name, _damage(text.count("\ufffd"), name)
    wide = _utf16_by_zeros(data)
    if wide:
        text = data.decode(wide, "replace")
        return text, wide, (f"read as {wide} (guessed: no byte order mark)", *_damage(text.count("\ufffd"), wide))
    try:
        return data.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(1 for letter in text if letter > "\x7f") - broken
    # In text of another encoding hardly two neighbouring bytes happen to be right UTF-8.
    if whole >= 2 * broken:
        return text, "utf-8", _damage(broken, "utf-8")
    if declared:
        try:
            return data.decode(declared), declared, (f"read as {declared}, as the file declares",)
        except (LookupError, ValueError):
            pass
    return _guess(data)


def _guess(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    from charset_normalizer import from_bytes

    likely = western(data)
    if likely is not None and beyond_ascii(data) < _ENOUGH:
        return likely[0], likely[1], (f"read as {likely[1]} (guessed)",)
    matches = list(from_bytes(data[:_GUESS_BYTES]))
    name = matches[0].encoding if matches else ""
    if likely is not None and name not in _LATIN_NEIGHBOURS:
        return likely[0], likely[1], (f"read as {likely[1]} (guessed)",)
    if not matches and beyond_ascii(data) < _SPARSE * len(data):
        readable = data.decode("utf-8", "replace")
        return readable, "utf-8", _damage(readable.count("\ufffd"), "utf-8")
    text = _try(data, name)
    if text is None:
        raise NotText("its text is in no encoding that could be recognised")
    for common in _COMMON:
        if common != name and _try(data, common) == text:
            name = common
            break
    return text, name, (f"read as {name} (guessed)", *_damage(text.count("\ufffd"), name))


def _try(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name, "replace")
    except (LookupError, ValueError):
        return None


def _utf16_by_zeros(data: bytes) -> str:
    """The byte order of UTF-16 without a mark where nearly every second byte is zero, else ""."""
    sample = data[:4096]
    if len(sample) < 4:
        return ""
    half = len(sample) // 2
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.6 and even < 0.1:
        return "utf-16-le"
    if even > 0.6 and odd < 0.1:
        return "utf-16-be"
    return ""


def _damage(broken: int, name: str) -> tuple[str, ...]:
    if not broken:
        return ()
    return (
        f"damaged: {counted(broken, 'character')} could not be read as {name} and "
        f"{agree(broken, 'was', 'were')} marked with U+FFFD",
    )
