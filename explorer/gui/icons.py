"""Icons from our own SVG files, drawn in the theme's colours at whatever resolution the screen has."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from explorer.base.paths import resource

_INK = b"#000000"  # the files are drawn in black; this is what a colour takes the place of


def icon(name: str, colour: QColor, checked: QColor | None = None, size: int = 24) -> QIcon:
    """The icon resources/icons/`name`.svg in a colour, and in another one while it is checked."""
    result = QIcon()
    for ratio in (1, 2, 3):
        result.addPixmap(_paint(name, colour, size, ratio), QIcon.Mode.Normal, QIcon.State.Off)
        if checked is not None:
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
                result.addPixmap(_paint(name, checked, size, ratio), mode, QIcon.State.On)
    return result


def _paint(name: str, colour: QColor, size: int, ratio: int) -> QPixmap:
    drawing = resource("icons", f"{name}.svg").read_bytes().replace(_INK, colour.name().encode())
    pixmap = QPixmap(size * ratio, size * ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(drawing)).render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
