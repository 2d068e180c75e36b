"""Small marks that tell a state by shape as well as by colour: the words stand beside them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPixmapCache, QPolygonF

SHAPES = ("check", "cross", "ring", "dot", "dash", "square", "diamond", "triangle", "pause")


def draw_shape(painter: QPainter, shape: str, box: QRectF, colour: QColor) -> None:
    """Draw a mark of SHAPES into a square. Raises ValueError for another name."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    side = min(box.width(), box.height())
    painter.translate(box.center())
    painter.scale(side / 10, side / 10)  # the marks below are drawn in a square from -5 to 5
    pen = QPen(colour, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    if shape == "check":
        painter.drawPolyline(QPolygonF([QPointF(-3.6, 0.3), QPointF(-1.1, 2.8), QPointF(3.7, -2.7)]))
    elif shape == "cross":
        painter.drawLine(QPointF(-3, -3), QPointF(3, 3))
        painter.drawLine(QPointF(-3, 3), QPointF(3, -3))
    elif shape == "ring":
        painter.drawEllipse(QPointF(0, 0), 3.3, 3.3)
    elif shape == "dash":
        painter.drawLine(QPointF(-3.2, 0), QPointF(3.2, 0))
    elif shape == "pause":
        painter.drawLine(QPointF(-1.8, -3), QPointF(-1.8, 3))
        painter.drawLine(QPointF(1.8, -3), QPointF(1.8, 3))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPath(_filled(shape))
    painter.restore()


def shape_pixmap(shape: str, colour: QColor, size: int, ratio: float = 2.0) -> QPixmap:
    """A mark as a pixmap for item models (DecorationRole); `size` in device-independent pixels.

    Views ask for it with every paint, so it is drawn once and found in Qt's own cache of pixmaps after that.
    """
    name = f"mark {shape} {colour.rgba():08x} {size} {ratio}"
    found = QPixmap()
    if QPixmapCache.find(name, found):
        return found
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_shape(painter, shape, QRectF(0, 0, size * ratio, size * ratio), colour)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    QPixmapCache.insert(name, pixmap)
    return pixmap


def _filled(shape: str) -> QPainterPath:
    path = QPainterPath()
    if shape == "dot":
        path.addEllipse(QPointF(0, 0), 3.4, 3.4)
    elif shape == "square":
        path.addRect(QRectF(-3.2, -3.2, 6.4, 6.4))
    elif shape == "diamond":
        path.addPolygon(QPolygonF([QPointF(0, -4.2), QPointF(4.2, 0), QPointF(0, 4.2), QPointF(-4.2, 0)]))
    elif shape == "triangle":
        path.addPolygon(QPolygonF([QPointF(0, -3.8), QPointF(4, 3.2), QPointF(-4, 3.2)]))
    else:
        raise ValueError(f"no shape {shape!r}")
    path.closeSubpath()
    return path
