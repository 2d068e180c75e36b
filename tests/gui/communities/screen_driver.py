"""Run by test_screen.py in a process of its own, on an X server: the page of a real index under real events.

    python screen_driver.py INDEX FOLDER [PICTURES]

Sends wheel, clicks and drags through xdotool and writes what it saw to FOLDER/seen.json; with PICTURES, three steps of
zoom are saved there. No layout is kept from before: XDG_DATA_HOME is the test's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF
from PySide6.QtWidgets import QWidget

from explorer.gui.app import create_application, make_window
from explorer.gui.preferences import Preferences
from tests.gui.hand import Hand

NOTCHES = 3


class FrameCounter(QObject):
    """Counts the paint events of one widget and when they came."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times: list[float] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.times.append(time.perf_counter())
        return False


def shown(place: Any) -> list[int | None]:
    """What session, tree, icicle, graph and report show as chosen."""
    return [
        place.session.community, place.hierarchy_pane.tree_number, place.hierarchy_pane.icicle.chosen,
        place.graph_pane.view.chosen.community, place.report_pane.community,
    ]  # fmt: skip


def frame(place: Any) -> dict[str, Any]:
    """What the canvas shows, as plain values."""
    view = place.graph_pane.view
    drawn, boxes = view.drawn, [label.box for label in view.labels]
    overlaps = sum(a.overlaps(b) for place_, a in enumerate(boxes) for b in boxes[place_ + 1 :])
    return {
        "level": place.session.level,
        "discs": [[d.community, d.level, d.x, d.y, d.r] for d in drawn.discs],
        "dots": [[place.page.scene.ids[row], float(x), float(y), float(r)]
                 for row, x, y, r in zip(drawn.dots, drawn.dot_x, drawn.dot_y, drawn.dot_r, strict=True)],
        "labels": len(boxes),
        "overlaps": overlaps,
        "footer": place.graph_pane.footer.text(),
        "size": [view.width(), view.height()],
    }  # fmt: skip


def main(index: Path, folder: Path, pictures: Path | None) -> None:
    app = create_application()
    window = make_window(app, scheme="light", preferences=Preferences(folder / "window.ini"))
    window.move(0, 0)
    window.resize(1280, 800)
    window.show_place("communities")
    window.show()
    hand, seen = Hand(app), {}
    place: Any = window.place("communities")
    started = time.monotonic()
    window.open_path(index)
    hand.wait(lambda: place.page is not None and not window.engine.jobs, "the graph")
    seen["open_seconds"] = time.monotonic() - started
    place.graph_pane.view.animated = False
    hand.rest(0.5)
    view = place.graph_pane.view

    def save(name: str) -> None:
        hand.rest(0.4)
        if pictures is not None:
            window.grab().save(str(pictures / f"communities-{name}.png"))

    seen["far"] = frame(place)
    save("1-far")
    # The wheel over the biggest disc.
    disc = max(view.drawn.discs, key=lambda each: each.r)
    at = QPoint(round(disc.x), round(disc.y))
    hand.wheel(view, at, NOTCHES)
    hand.rest(0.2)
    seen["wheel_over"] = [disc.community, at.x(), at.y()]
    seen["mid"] = frame(place)
    save("2-middle")
    # A drag: the hand moves two hundred times, the canvas paints as often as it can.
    counter = FrameCounter(view)
    middle = view.mapToGlobal(QPoint(view.width() // 2, view.height() // 2))
    before = QPointF(view.view.x, view.view.y)
    steps: list[object] = ["mousemove", middle.x(), middle.y(), "mousedown", 1]
    for step in range(200):
        out = step if step < 100 else 200 - step
        steps += ["mousemove", middle.x() + round(1.6 * out), middle.y() + round(0.7 * out), "sleep", 0.008]
    process = subprocess.Popen(["xdotool", *map(str, steps), "mouseup", "1"])
    while process.poll() is None:
        app.processEvents()
    hand.rest(0.05)
    times = counter.times
    gaps = sorted(after - before for before, after in pairwise(times))
    seen["pan"] = {
        "frames": len(times), "frames_per_second": (len(times) - 1) / (times[-1] - times[0]),
        "longest_gap_ms": 1000 * gaps[-1], "median_gap_ms": 1000 * gaps[len(gaps) // 2],
        "moved": [before.x() - view.view.x, before.y() - view.view.y],
    }  # fmt: skip
    hand.rest(0.3)
    hand.wheel(view, at, 4)
    hand.rest(0.2)
    seen["near"] = frame(place)
    save("3-near")
    # A click each way.
    place.graph_pane.view.fit(animate=False)
    hand.rest(0.3)
    seen["fit_again"] = frame(place)
    chosen: dict[str, Any] = {}
    target = sorted(view.drawn.discs, key=lambda each: -each.r)[3]
    hand.click(view, QPoint(round(target.x), round(target.y)))
    chosen["disc"] = [target.community, shown(place)]
    tree, model = place.hierarchy_pane.tree, place.hierarchy_pane.model
    number = place.hierarchy.children[-1][1]
    hand.click(tree.viewport(), tree.visualRect(model.index_of(number)).center())
    chosen["tree"] = [number, shown(place)]
    icicle = place.hierarchy_pane.icicle
    number = place.hierarchy.children[-1][0]
    icicle.zoom_to(None)
    hand.click(icicle, icicle.cell_rect(number).center().toPoint())
    chosen["icicle"] = [number, shown(place)]
    browser = place.report_pane.report
    spot = next(
        QPoint(x, y)
        for y in range(0, browser.viewport().height(), 4)
        for x in range(0, browser.viewport().width(), 4)
        if browser.anchorAt(QPoint(x, y)).startswith("cite:Entities/")
    )
    cited = int(browser.anchorAt(spot).split("/")[1])
    hand.click(browser.viewport(), spot)
    entity = place.session.index.entity_by_number[cited]
    chosen["citation"] = [number, shown(place)]
    chosen["cited_entity"] = [entity.id, place.session.entity]
    seen["chosen"] = chosen
    # The slider.
    place.graph_pane.view.fit(animate=False)
    hand.rest(0.3)
    seen["level0"] = frame(place)
    hand.click(place.toolbar.slider, place.toolbar.slider.stop(1).toPoint())
    seen["level1"] = frame(place)
    (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")
    window.engine.stop(5.0)
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
