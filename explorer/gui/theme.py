"""Colours and sizes of the window: light, dark or as the system has it. No widget names a colour of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication

from explorer.gui.style import palette_of, sheet_of

SCHEMES = ("system", "light", "dark")

LIGHT = {
    "background": "#f4f6f8",
    "surface": "#ffffff",
    "sunken": "#f7f8fa",
    "border": "#dbe0e7",
    "text": "#191d24",
    "muted": "#59636f",
    "accent": "#2f52d0",
    "accent_soft": "#e6ecfc",
    "on_accent": "#ffffff",
    "used": "#0d7a74",
    "cut": "#c5cad3",
    "malformed": "#a34f05",
    "failed": "#b3211c",
    "good": "#1c7a36",
    "warn": "#9a5b00",
    "halo": "#ffffff",
    "link": "#2f52d0",
    "edge": "#8d97a5",
}
DARK = {
    "background": "#14171c", "surface": "#1b1f26", "sunken": "#161a20", "border": "#303742", "text": "#e9edf3",
    "muted": "#9ea8b6", "accent": "#8da3ff", "accent_soft": "#27315a", "on_accent": "#10131a", "used": "#3bb6ab",
    "cut": "#4d5560", "malformed": "#f0a35c", "failed": "#ff8078", "good": "#62c77f", "warn": "#e6b45c",
    "halo": "#14171c", "link": "#8da3ff", "edge": "#6d7785",
}  # fmt: skip

# Twelve hues that stay apart for colour-blind eyes (lightness differs as well as hue); beyond twelve they come again,
# lighter and darker in turn. Rank 0 is the biggest root community.
HUES = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#997700", "#44aa99", "#7788cc", "#882255",
    "#dd8844", "#6b7f8c",
)  # fmt: skip

COMMUNITY_COLOURS = 4 * len(HUES)
"""How many colours `Theme.community_colour` has: ranks as far apart as this have the same."""


class Theme(QObject):
    """The colours in force. `changed` is emitted after the palette changed: repaint what is drawn by hand."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scheme = "system"
        self._dark = False
        self._community_colours = [_community_colour(place) for place in range(COMMUNITY_COLOURS)]
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def dark(self) -> bool:
        """Whether the dark colours are in force."""
        return self._dark

    def set_scheme(self, scheme: str) -> None:
        """Choose "light", "dark" or "system" and repaint everything. Raises ValueError for another name."""
        if scheme not in SCHEMES:
            raise ValueError(f"no colour scheme {scheme!r}: {', '.join(SCHEMES)}")
        self.scheme = scheme
        self._refresh()

    def apply(self, app: QApplication) -> None:
        """Put Fusion, the palette and the sheet on the application."""
        app.setStyle("Fusion")
        self._refresh()

    def colour(self, name: str, alpha: int = 255) -> QColor:
        """A colour by name: background, surface, sunken, border, text, muted, accent, accent_soft, on_accent, used,
        cut, malformed, failed, good, warn, halo (behind labels), link, edge. `alpha` is 0 to 255."""
        colour = QColor((DARK if self._dark else LIGHT)[name])
        colour.setAlpha(alpha)
        return colour

    def community_colour(self, rank: int, alpha: int = 255) -> QColor:
        """The colour of all communities under the level-0 community of that rank by size (Session.root_rank).

        A negative rank (an entity in no community) is the colour "cut". The same in every view.
        """
        if rank < 0:
            return self.colour("cut", alpha)
        colour = QColor(self._community_colours[rank % COMMUNITY_COLOURS])
        if alpha != 255:
            colour.setAlpha(alpha)
        return colour

    @property
    def em(self) -> int:
        """The height of a line of the application's font, in device-independent pixels: the measure of all sizes."""
        return QFontMetrics(QGuiApplication.font()).height()

    def _follow_system(self) -> None:
        if self.scheme == "system":
            self._refresh()

    def _refresh(self) -> None:
        system = QGuiApplication.styleHints().colorScheme()
        self._dark = self.scheme == "dark" or (self.scheme == "system" and system == Qt.ColorScheme.Dark)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(palette_of(self.colour))
            app.setStyleSheet(sheet_of(self.colour, self.em, self._dark))
        self.changed.emit()


def tabular(font: QFont) -> QFont:
    """The same font with digits of one width, for figures that stand under each other."""
    font = QFont(font)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _community_colour(place: int) -> QColor:
    colour, turn = QColor(HUES[place % len(HUES)]), place // len(HUES)
    return (colour, colour.lighter(125), colour.darker(130), colour.lighter(150))[turn]
