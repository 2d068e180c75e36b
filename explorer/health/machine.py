"""What this machine has of what the program needs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from explorer.analysts.offline.tagged import model_name
from explorer.analysts.offline.vectors import why_not
from explorer.base.errors import ExplorerError
from explorer.base.tokens import EncodingName, count_tokens
from explorer.health.collect import Defects
from explorer.health.report import Defect

OLDEST = (3, 11)
_QT = "from PySide6 import QtCore, QtGui, QtWidgets"
_QT_LIMIT = 60  # seconds; a cold disk is slow, a hanging import must not hang the check-up
_LIBRARIES = ("igraph", "leidenalg", "pyarrow", "pandas", "networkx", "pypdf", "docx", "nupunkt", "lancedb")
MACHINE_CHECKS = {  # kind of defect → what was looked at for it
    "python_too_old": f"Python, {OLDEST[0]}.{OLDEST[1]} or later: this is {'.'.join(map(str, sys.version_info[:3]))}",
    "qt_not_loaded": "Qt, which the window needs: loaded in a process of its own, without a screen",
    "vocabulary_missing": "the vocabularies that count tokens: o200k_base and cl100k_base",
    "library_missing": f"libraries: {', '.join(_LIBRARIES)}",
    "spacy_grade_missing": "spaCy and its small English model: the better grade of the offline analyst",
    "offline_vectors_missing": "the small model of vectors that works offline",
    "no_fonts": "a font, for the window and for PDF",
}
_SUFFIXES = (".ttf", ".otf", ".ttc")


def machine_defects() -> list[Defect]:
    """Everything that is missing, each with its remedy. Takes a second or two: Qt is loaded in a process of its own."""
    defects = Defects()
    _python(defects)
    _qt(defects)
    _vocabulary(defects)
    _libraries(defects)
    _spacy(defects)
    _offline_vectors(defects)
    _fonts(defects)
    return defects.all()


def _python(defects: Defects) -> None:
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        defects.add("python_too_old", f"Python {found}", f"Install Python {OLDEST[0]}.{OLDEST[1]} or later.")


def _qt(defects: Defects) -> None:
    """Qt's own libraries are those of the system; a missing one shows only when it is loaded."""
    remedy = "python3 packaging/launch.py names the system packages that are missing and installs them as root."
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _QT], capture_output=True, text=True, timeout=_QT_LIMIT, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        defects.add("qt_not_loaded", str(error)[:200], remedy)
        return
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        defects.add("qt_not_loaded", (lines[-1] if lines else f"exit code {done.returncode}")[:200], remedy)


def _vocabulary(defects: Defects) -> None:
    names: tuple[EncodingName, ...] = ("o200k_base", "cl100k_base")
    for name in names:
        try:
            count_tokens("text", name)
        except (ExplorerError, OSError, ValueError, ImportError) as error:
            defects.add(
                "vocabulary_missing", f"{name}: {error}"[:200], "Install the program again: the file ships with it."
            )


def _libraries(defects: Defects) -> None:
    for name in _LIBRARIES:
        if importlib.util.find_spec(name) is None:
            defects.add("library_missing", name, "python3 packaging/launch.py installs it.")


def _spacy(defects: Defects) -> None:
    if model_name() is None:
        defects.add(
            "spacy_grade_missing",
            "spaCy or its small English model is not installed",
            "The offline analyst works by patterns; for its better grade: pip install 'graphrag-explorer[offline]'.",
        )


def _offline_vectors(defects: Defects) -> None:
    if sentence := why_not():
        defects.add(
            "offline_vectors_missing", sentence, "Local, basic and DRIFT search then need a connection's vectors."
        )


def _fonts(defects: Defects) -> None:
    if next(_font_files(), None) is None:
        defects.add(
            "no_fonts", "no font file was found", "Install a font, on Debian: apt-get install fonts-dejavu-core."
        )


def _font_files() -> Iterator[Path]:
    home = Path.home()
    if os.name == "nt":
        folders = [Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts"]
    elif sys.platform == "darwin":
        folders = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    else:
        folders = [
            Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts",
        ]  # fmt: skip
    for folder in folders:
        for _, _, names in os.walk(folder):
            yield from (Path(name) for name in names if name.lower().endswith(_SUFFIXES))
