"""Run by test_whole_path.py on a screen of its own: the whole path on the bundled sample by mouse and keyboard."""

from __future__ import annotations

import html
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hand import Hand
from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton, QTextBrowser, QToolButton, QWidget

from explorer.gui.app import create_application, make_window


def button(parent: QWidget, text: str) -> QWidget:
    """The visible button with that text or accessible name."""
    for kind in (QPushButton, QToolButton):
        for found in parent.findChildren(kind):
            if found.isVisible() and text in (found.text(), found.accessibleName()):
                return found
    raise AssertionError(f"no visible button {text!r}")


def shown_words(parent: QWidget) -> str:
    """All that the visible text browsers under a widget show."""
    return " ".join(view.toPlainText() for view in parent.findChildren(QTextBrowser) if view.isVisible())


def main(out: Path) -> None:
    app = create_application()
    window = make_window(app, scheme="light")
    hand = Hand(app)
    window.resize(1280, 800)
    window.move(0, 0)
    window.show_place("start")
    window.show()
    hand.rest(0.5)

    # Open the sample: it is indexed where one sees it, then its communities appear.
    hand.click(button(window.place("start"), "Open the bundled sample"))
    session = window.session
    hand.wait(lambda: window.current == "documents", "the documents page")
    hand.wait(lambda: session.index is not None and session.layout is not None, "the index of the sample", 240)
    hand.wait(lambda: window.current == "communities", "the communities page")
    page = window.place("communities")
    hand.wait(lambda: page.page is not None and page.settled, "the graph")
    hand.rest(0.5)
    window.grab().save(str(out / "communities.png"))

    # Choose a community by its disc: the hierarchy and the report follow.
    view = page.graph_pane.view
    level_discs = [disc for disc in view.drawn.discs if not disc.carried]
    assert len(level_discs) == sum(1 for row in session.index.communities if row.level == session.level)
    disc = max(level_discs, key=lambda disc: disc.r)
    hand.click(view, QPointF(disc.x, disc.y))
    hand.wait(lambda: session.community == disc.community, "the community of the disc that was clicked")
    report = session.index.report_by_community[disc.community]
    hand.wait(lambda: report.title in shown_words(page.report_pane), "the report of that community")

    # Ask what the program suggests.
    hand.click(button(window.rail, "Ask"))
    hand.wait(lambda: window.current == "ask", "the Ask page")
    ask = window.place("ask")
    hand.rest(0.3)
    hand.click(ask.suggest_button)
    assert ask.question.text()
    hand.wait(lambda: "batches" in ask.plan_line.text(), "the plan")
    hand.click(ask.ask_button)
    hand.wait(lambda: session.trace is not None, "the answer", 60)
    hand.rest(0.5)
    trace = session.trace
    assert trace.answer.status == "answered", trace.answer
    assert trace.ledger.balanced
    window.grab().save(str(out / "ask.png"))

    # Open a batch.
    mark = ask.batches.chart.marks[0]
    hand.click(ask.batches.chart, mark.rect.center())
    hand.wait(lambda: getattr(ask, "dialog", None) is not None and ask.dialog.isVisible(), "the batch")
    assert ask.dialog.windowTitle() == "Batch 1"
    ask.dialog.close()
    hand.rest(0.2)

    # Export the report that is shown: the dialog is filled in by keyboard.
    hand.click(button(window.rail, "Communities"))
    hand.wait(lambda: window.current == "communities", "the communities page")
    hand.rest(0.3)
    target = out / "reports.html"
    QTimer.singleShot(800, lambda: save_as(hand, target))
    hand.click(button(page.report_pane, "Export"))
    hand.wait(target.exists, "the exported report")
    assert html.escape(report.title) in target.read_text("utf-8")

    window.close()
    hand.wait(lambda: not window.isVisible(), "the window to close", 20)
    window.deleteLater()
    hand.rest(0.1)
    sys.stdout.write("whole path done\n")


def save_as(hand: Hand, target: Path) -> None:
    """Fill in the file dialog that is open."""
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QFileDialog)
    edit = dialog.findChild(QLineEdit, "fileNameEdit")
    assert edit is not None
    hand.click(edit)
    hand.key("ctrl+a")
    hand.type(str(target))
    hand.key("Return")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
