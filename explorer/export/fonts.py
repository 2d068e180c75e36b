"""Fonts of the system for a PDF: one for text, and others for the letters that it lacks.

fontconfig is asked where it is there (Linux, some macOS); otherwise the usual folders are searched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
_PREFERRED = (
    "dejavu sans", "noto sans", "liberation sans", "arial", "segoe ui", "helvetica neue", "helvetica", "verdana",
)  # fmt: skip
_FORMAT = "%{file}\t%{index}\t%{family[0]}\t%{style[0]}\t%{variable}\n"
_MOST_FALLBACKS = 24
_FOLDERS = {
    "win32": (r"%WINDIR%\Fonts", r"%LOCALAPPDATA%\Microsoft\Windows\Fonts"),
    "darwin": ("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    "linux": ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
}


@dataclass(frozen=True)
class Face:
    """A font in a file; `number` is its place in a collection (.ttc)."""

    path: Path
    number: int
    family: str
    style: str

    @property
    def bold(self) -> bool:
        return "bold" in self.style.lower()

    @property
    def slanted(self) -> bool:
        return any(word in self.style.lower() for word in ("italic", "oblique"))


@dataclass(frozen=True)
class Choice:
    """`text` is None where the system has no font at all; `missing` are the letters that no font has, sorted."""

    text: Face | None
    bold: Face | None
    fallbacks: tuple[Face, ...]
    missing: tuple[str, ...]


def choose_faces(letters: Iterable[str], faces: Sequence[Face], having: Callable[[str], Sequence[Face]]) -> Choice:
    """Fonts that together show the letters.

    `having` gives the faces that may have a letter (fontconfig's answer, or all); what a face really has is read from
    it. The same letters and fonts always give the same choice.
    """
    upright = [face for face in faces if not face.slanted]
    text = next((face for face in sorted(upright, key=_rank) if _letters(face)), None)
    if text is None:
        visible = {letter for letter in letters if ord(letter) > 255 and not ignorable(letter)}
        return Choice(None, None, (), tuple(sorted(visible)))
    same = [face for face in upright if face.bold and face.family == text.family and face.style.lower() == "bold"]
    bold = next((face for face in same if _letters(face)), None)
    lacking = {letter for letter in letters if ord(letter) not in _letters(text) and not letter.isspace()}
    language = _east_asian(lacking)
    fallbacks: list[Face] = []
    missing = []
    for letter in sorted(lacking):
        if ignorable(letter) or any(ord(letter) in _letters(face) for face in fallbacks):
            continue
        candidates = [face for face in having(letter) if not face.slanted and not face.bold]
        candidates.sort(key=lambda face: _rank(face, language))
        found = next((face for face in candidates if ord(letter) in _letters(face)), None)
        if found is None or len(fallbacks) >= _MOST_FALLBACKS:
            missing.append(letter)
        else:
            fallbacks.append(found)
    return Choice(text, bold, tuple(fallbacks), tuple(missing))


def ignorable(letter: str) -> bool:
    """Whether a character has no shape of its own (joiners, direction marks, variation selectors)."""
    return unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f"


@lru_cache(maxsize=1)
def system_faces() -> tuple[Face, ...]:
    """Every font of the system that a PDF can hold, sorted by path."""
    asked = _ask_fontconfig([])
    return tuple(asked) if asked else tuple(_search_folders())


@lru_cache(maxsize=4096)
def faces_having(letter: str) -> tuple[Face, ...]:
    """The fonts of the system that may have a letter: those that fontconfig names, or all where it is not there."""
    asked = _ask_fontconfig([f":charset={ord(letter):x}"])
    return system_faces() if asked is None else tuple(asked)


def _ask_fontconfig(pattern: list[str]) -> list[Face] | None:
    try:
        done = subprocess.run(
            ["fc-list", "--format", _FORMAT, *pattern],
            capture_output=True,
            timeout=20,
            check=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    faces = []
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) != 5 or not fields[0].lower().endswith(_SUFFIXES) or fields[4] == "True":
            continue
        # The upper half of the number stands for an instance of a variable font.
        faces.append(Face(Path(fields[0]), int(fields[1] or 0) & 0xFFFF, fields[2], fields[3]))
    return sorted(set(faces), key=lambda face: (str(face.path), face.number))


def _search_folders() -> list[Face]:
    from fontTools.ttLib import TTCollection, TTFont, TTLibError

    faces = []
    for folder in _FOLDERS.get(sys.platform, _FOLDERS["linux"]):
        root = Path(os.path.expandvars(folder)).expanduser()
        for path in sorted(root.rglob("*")) if root.is_dir() else ():
            if path.suffix.lower() not in _SUFFIXES:
                continue
            try:
                with path.open("rb") as handle:
                    collection = path.suffix.lower() in (".ttc", ".otc")
                    fonts = TTCollection(handle, lazy=True).fonts if collection else [TTFont(handle, lazy=True)]
                    for number, font in enumerate(fonts):
                        names = font["name"]
                        family = names.getBestFamilyName() or path.stem
                        faces.append(Face(path, number, family, names.getBestSubFamilyName() or ""))
            except (OSError, TTLibError, KeyError, AttributeError, ValueError):
                continue  # a broken font file of the system is no reason to write no PDF
    return faces


@lru_cache(maxsize=256)
def _letters(face: Face) -> frozenset[int]:
    """The code points of a font that has outlines; none for one that cannot be used."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        # Opened here, because the library leaves a file open that it cannot read.
        with face.path.open("rb") as handle, TTFont(handle, fontNumber=face.number, lazy=True) as font:
            if "glyf" not in font and "CFF " not in font:
                return frozenset()  # pictures of letters (emoji) cannot be embedded
            return frozenset(font.getBestCmap() or ())
    except (OSError, TTLibError, KeyError, AttributeError, ValueError, AssertionError):
        return frozenset()


def _rank(face: Face, language: str = "") -> tuple[object, ...]:
    family = face.family.lower()
    preferred = next((place for place, name in enumerate(_PREFERRED) if family == name), len(_PREFERRED))
    sans = not any(word in family for word in ("serif", "mono", "math", "display", "looped", "kufi", "nastaliq"))
    plain = face.style.lower() in ("", "regular", "book", "normal", "roman")
    mother_tongue = bool(language) and family.endswith((f"cjk {language}", f"sans {language}"))
    return (face.bold, not plain, not sans, not mother_tongue, preferred, family, str(face.path), face.number)


def _east_asian(letters: Iterable[str]) -> str:
    """Which variant of shared Chinese characters the text asks for: jp where there is kana, kr for Hangul, else sc."""
    found = {"jp": 0, "kr": 0}
    for letter in letters:
        found["jp"] += "\u3040" <= letter <= "\u30ff"
        found["kr"] += "\uac00" <= letter <= "\ud7a3"
    best = max(found, key=lambda name: (found[name], name))
    return best if found[best] else "sc"
