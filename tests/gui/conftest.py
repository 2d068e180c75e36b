"""Windows for tests: each with folders and preferences of its own, and nothing left running behind it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.base.paths import user_data_dir
from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.indexing import IndexingRun
from explorer.gui.preferences import Preferences
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.window import MainWindow
from explorer.tables.index import TableState
from explorer.tables.rows import CommunityRow, DocumentRow, EntityRow, FindingRow, RelationshipRow, ReportRow, UnitRow


def _running() -> set[str]:
    """Names of Python threads, and of Qt threads and timers that run now."""
    found = {f"thread {thread.name}" for thread in threading.enumerate() if thread is not threading.main_thread()}
    for item in gc.get_objects():
        # Its type, not isinstance: lazy proxies of libraries import what they stand for when asked for their class.
        if issubclass(type(item), QThread | QTimer) and shiboken6.isValid(item):
            if isinstance(item, QThread) and item.isRunning() and item is not QThread.currentThread():
                found.add(f"QThread {item.objectName()} {id(item)}")
            elif isinstance(item, QTimer) and item.isActive():
                found.add(f"QTimer of {type(item.parent()).__name__} every {item.interval()} ms {id(item)}")
    return found


@pytest.fixture(autouse=True)
def nothing_left_behind(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a thread, a QThread or an active QTimer."""
    before = _running()
    yield
    # A thread that has done its work may need long to end on a busy machine; nothing of Qt does.
    for turn in range(800):
        left = _running() - before
        if not left:
            return
        if turn >= 40 and any(name.startswith("Q") for name in left):
            break
        qapp.processEvents()
        threading.Event().wait(0.025)
    pytest.fail(f"left running: {sorted(left)}")


class PatientBot(QtBot):
    """Waits two minutes where a test says nothing else: patience only keeps a test that hangs from hanging on."""

    def waitSignal(self, signal: Any, *, timeout: int = 120_000, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitUntil(self, callback: Callable[[], Any], *, timeout: int = 120_000) -> None:
        super().waitUntil(callback, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def engine(qapp: QApplication) -> Iterator[Engine]:
    engine = Engine()
    yield engine
    assert engine.stop(60.0), "a job did not end"


def small_index(folder: Path | None = None, *, foreign: bool = True, name: str = "small") -> Any:
    """An index of four entities in two communities, one of them split, as the views read it."""
    titles = ("ALMA", "BRUNO", "CLARA", "DORA")
    entities = [
        EntityRow(f"e{n}", n, title, "person", f"{title} lives here.", (f"u{n % 2}",), 1, 2)
        for n, title in enumerate(titles)
    ]
    relationships = [
        RelationshipRow(f"r{n}", n, a, b, f"{a} knows {b}.", 1.0, 4, (f"u{n % 2}",))
        for n, (a, b) in enumerate([("ALMA", "BRUNO"), ("BRUNO", "CLARA"), ("CLARA", "DORA")])
    ]
    members = [
        (0, 0, -1, (2,), ("e0", "e1", "e2")), (1, 0, -1, (), ("e3",)), (2, 1, 0, (), ("e0", "e1")),
    ]  # fmt: skip
    communities = [
        CommunityRow(f"c{n}", n, level, parent, children, f"Community {n}", ids, (), ("u0",), "2026-01-01", len(ids))
        for n, level, parent, children, ids in members
    ]
    reports = [
        ReportRow(
            f"p{n}", n, level, parent, children, f"The circle of {titles[n]}", "They meet.", "# They meet", 5.0, "why",
            (FindingRow("They meet", "They meet often. [Data: Entities (0)]"),), None, "2026-01-01", len(ids),
        )
        for n, level, parent, children, ids in members[:2]
    ]  # fmt: skip
    units = [UnitRow(f"u{n}", n, f"Text {n}", 120, "d0", (), (), ()) for n in range(2)]
    documents = [DocumentRow("d0", 0, "letter.txt", "Text 0 Text 1", ("u0", "u1"), None, None)]
    return SimpleNamespace(
        name=name, folder=folder, output=Path("/nowhere"), home=user_data_dir() / "made", foreign=foreign, info=None,
        settings=None, others=(), filled={},
        tables=[], state=lambda table: TableState(table, "read"),
        entities=entities, relationships=relationships, communities=communities, reports=reports, text_units=units,
        documents=documents, claims=[], spans=[], levels=[0, 1], entity_by_id={row.id: row for row in entities},
        entity_by_number={row.number: row for row in entities}, entity_by_title={row.title: row for row in entities},
        relationship_by_id={row.id: row for row in relationships},
        relationship_by_number={row.number: row for row in relationships},
        community_by_number={row.community: row for row in communities},
        report_by_community={row.community: row for row in reports}, unit_by_id={row.id: row for row in units},
        unit_by_number={row.number: row for row in units}, document_by_id={row.id: row for row in documents},
        span_by_unit={},
    )  # fmt: skip


def small_layout(_index: Any, _sink: Any, _scope: Any) -> Any:
    """Where `small_index` stands: two discs beside each other, a third inside the first."""
    circles = {0: (0.0, 0.0, 2.0), 1: (4.0, 0.0, 1.0), 2: (-0.5, 0.0, 1.2)}
    points = {"e0": (-1.0, 0.0), "e1": (0.0, 0.0), "e2": (1.2, 0.0), "e3": (4.0, 0.0)}
    return SimpleNamespace(
        discs={number: SimpleNamespace(x=x, y=y, r=r) for number, (x, y, r) in circles.items()}, points=points
    )


MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def make_window(qapp: QApplication, tmp_path: Path) -> Iterator[MakeWindow]:
    """Makes a window over fakes (`opener`, `runner`, `lister`) or, where none is given, over the engine itself."""
    made: list[MainWindow] = []

    def make(*, opener: Any = None, layouter: Any = None, runner: Any = None, lister: Any = None) -> MainWindow:
        theme = Theme()
        theme.scheme = "light"
        theme.apply(qapp)
        engine = Engine()
        given = {name: value for name, value in (("opener", opener), ("layouter", layouter)) if value is not None}
        session = Session(engine, **given)
        given = {name: value for name, value in (("runner", runner), ("lister", lister)) if value is not None}
        window = MainWindow(
            session, engine, theme, ActionRegistry(), preferences=Preferences(tmp_path / "window.ini"),
            indexing=IndexingRun(engine, **given),
        )  # fmt: skip
        for owned in (theme, engine, session, window.indexing, window.registry):
            owned.setParent(window)
        window.resize(1280, 800)
        window.show_place("start")
        window.show()
        made.append(window)
        return window

    yield make
    for window in made:
        if not shiboken6.isValid(window):
            continue
        assert window.engine.stop(60.0), "a job did not end"
        window.close()
        window.hide()
        window.deleteLater()
    qapp.sendPostedEvents(None, 52)  # QEvent.DeferredDelete


@pytest.fixture
def window(make_window: MakeWindow) -> MainWindow:
    """A window over a small made-up index: whatever is opened, that index comes."""
    return make_window(opener=lambda path: small_index(name=path.name), layouter=small_layout)
