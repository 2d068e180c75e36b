"""Saving from the page: a picture of the graph as it stands, the reports, the whole graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.base.files import write_atomic
from explorer.gui.places.communities.graph_view import GraphView
from explorer.gui.places.communities.legend import Legend
from explorer.gui.session import Session

REPORT_KINDS = {"Markdown (*.md)": "md", "One HTML page (*.html)": "html", "PDF (*.pdf)": "pdf"}
_SCALE = 2.0  # a picture is for paper as well as for a screen


def picture(view: GraphView, legend: Legend | None = None, scale: float = _SCALE) -> QImage:
    """The graph as it stands on the canvas, `scale` times as fine as the screen, the legend above it if it is shown."""
    above = legend.height() if legend is not None and legend.isVisibleTo(legend.parentWidget()) else 0
    width, height = round(view.width() * scale), round((view.height() + above) * scale)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(view.theme.colour("surface"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if legend is not None and above:
        legend.paint_on(painter)
    painter.translate(0, above)
    view.paint_on(painter, scale)
    painter.end()
    return image


def save_picture(image: QImage, target: Path) -> None:
    """Write a picture as PNG, whole or not at all. Raises StorageError."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    data = bytes(buffer.data().data())
    write_atomic(target, lambda path: _write(path, data))


def ask_picture(owner: QWidget, view: GraphView, legend: Legend, session: Session) -> None:
    """Ask where, and save the graph as a picture."""
    target = _ask(owner, "Save the graph as a picture", "graph.png", "Picture (*.png)")
    if target is None:
        return
    image, target = picture(view, legend), target.with_suffix(".png")
    session.engine.run(
        lambda sink, scope: save_picture(image, target), name="Saving the picture", on_error=session.failed.emit,
        on_done=lambda _none: session.notice.emit(f"The graph was saved as {target.name}."),
    )  # fmt: skip


def ask_reports(owner: QWidget, session: Session, community: int | None) -> None:
    """Ask where and in which format, and export the reports of a community and what is under it (None: all)."""
    name = f"reports of community {community}" if community is not None else "reports"
    chosen, kind = QFileDialog.getSaveFileName(owner, f"Export the {name}", f"{name}.html", ";;".join(_html_first()))
    if not chosen:
        return
    form = REPORT_KINDS.get(kind, Path(chosen).suffix.lstrip(".").lower())
    index = session.index

    def work(sink: Any, scope: Any) -> list[Path]:
        from explorer.export.reports import export_reports

        return export_reports(index, Path(chosen), form, community, sink=sink)

    session.engine.run(
        work, name="Exporting reports", on_error=session.failed.emit,
        on_done=lambda written: session.notice.emit(f"Written: {', '.join(path.name for path in written[:3])}."),
    )  # fmt: skip


def ask_graph(owner: QWidget, session: Session) -> None:
    """Ask where, and export all entities and relationships as GraphML."""
    target = _ask(owner, "Export the whole graph", "graph.graphml", "GraphML (*.graphml)")
    if target is None:
        return
    index = session.index

    def work(sink: Any, scope: Any) -> Any:
        from explorer.export.graph_graphml import export_graph

        return export_graph(index, target, sink=sink)

    session.engine.run(
        work, name="Exporting the graph", on_error=session.failed.emit,
        on_done=lambda _written: session.notice.emit(f"The graph was written to {target.name}."),
    )  # fmt: skip


def _html_first() -> list[str]:
    return sorted(REPORT_KINDS, key=lambda kind: REPORT_KINDS[kind] != "html")


def _ask(owner: QWidget, title: str, name: str, kind: str) -> Path | None:
    chosen, _ = QFileDialog.getSaveFileName(owner, title, name, kind)
    return Path(chosen) if chosen else None


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
