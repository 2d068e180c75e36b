"""The page as a whole: its states in words, finding, filters, colours, exports, two starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.markup import escape
from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.places.communities.saving import picture, save_picture
from explorer.gui.session import Session
from explorer.gui.theme import Theme


def test_with_no_index_it_says_what_to_do(qtbot: Any, engine: Engine) -> None:
    actions, opened = ActionRegistry(), []
    actions.add("file.open_folder", "Open a folder of documents…", lambda: opened.append(1), category="File")
    place = CommunitiesPlace(Session(engine), engine, Theme(), actions)
    qtbot.addWidget(place)
    place.show()
    assert place.settled
    assert "No index is open" in place.nothing.headline.text()
    button = next(b for b in place.nothing.findChildren(QWidget) if b.accessibleName() == "Open a folder of documents…")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened == [1]


def test_what_cannot_be_opened_is_said_in_words(qtbot: Any, engine: Engine, tmp_path: Path) -> None:
    session = Session(engine)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.show()
    with qtbot.waitSignal(session.failed, timeout=120_000) as signal:
        session.open_path(tmp_path / "nowhere")
    assert place.nothing.words.text() == signal.args[0]


def test_a_layout_that_fails_is_said_on_the_canvas(qtbot: Any, engine: Engine, shared: Path) -> None:
    from explorer.base.errors import StorageError

    def refuse(index: Any, sink: Any, scope: Any) -> Any:
        raise StorageError("The disk is full: positions were not kept.")

    session = Session(engine, layouter=refuse)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.show()
    with qtbot.waitSignal(session.failed, timeout=120_000):
        session.open_path(shared / "indexes" / "mit" / "joelandres-christmas")
    assert place.graph_pane.view._words == "The disk is full: positions were not kept."
    assert place.hierarchy_pane.model.rowCount() == 9  # hierarchy and reports are there all the same
    qtbot.waitUntil(lambda: not engine.jobs)


def test_closing_the_index_empties_every_pane(carol: CommunitiesPlace) -> None:
    carol.session.choose_community(3)
    carol.session.close_index()
    assert carol.stack.currentWidget() is carol.nothing
    assert carol.graph_pane.view.drawn is None
    assert carol.hierarchy_pane.model.rowCount() == 0


def test_find_flies_to_an_entity_a_report_and_a_relationship(carol: CommunitiesPlace) -> None:
    box, view = carol.toolbar.find, carol.graph_pane.view
    box.setFocus()
    QTest.keyClicks(box, "tiny tim")
    QTest.keyClick(box, Qt.Key.Key_Return)
    tim = carol.session.index.entity_by_title["TINY TIM"]
    assert carol.session.entity == tim.id
    assert tim.id in {carol.page.scene.ids[row] for row in view.drawn.dots}
    report = carol.session.index.report_by_community[100]
    box.clear()
    QTest.keyClicks(box, report.title)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert carol.session.community == 100
    found = carol.page.find.search("scrooge fred")
    assert any(each.kind == "relationship" for each in carol.page.find.search("scrooge marley"))
    assert carol.page.find.search("") == [] and isinstance(found, list)
    assert carol.page.find.search("no such thing at all") == []


def test_the_best_match_comes_first(carol: CommunitiesPlace) -> None:
    found = [each for each in carol.page.find.search("scrooge") if each.kind == "entity"]
    assert found[0].title == "SCROOGE"
    assert all("SCROOGE" in each.title for each in found)


def test_filters_are_said_and_taken_off(carol: CommunitiesPlace) -> None:
    panel, pane = carol.toolbar.filters, carol.graph_pane
    panel.degree.setValue(10)
    degrees = [row.degree for row in carol.session.index.entities]
    grouped = {id for row in carol.session.index.communities for id in row.entity_ids}
    out = sum(d < 10 and row.id in grouped for d, row in zip(degrees, carol.session.index.entities, strict=True))
    assert f"{out:,} entities filtered out" in pane.footer.text()
    assert carol.toolbar.filter.text() == "Filter on"
    assert len(pane.view.drawn.discs) == 23  # a disc stays, though none of its members may pass
    panel.clear()
    assert "filtered" not in pane.footer.text() and carol.toolbar.filter.text() == "Filter"


def test_types_can_be_left_out(carol: CommunitiesPlace) -> None:
    panel, view = carol.toolbar.filters, carol.graph_pane.view
    items = [panel.types.item(row) for row in range(panel.types.rowCount())]
    assert [item.data() for item in items] == ["PERSON", "GEO", "EVENT", "ORGANIZATION"]
    items[0].setCheckState(Qt.CheckState.Unchecked)
    view.fly_to(*carol.page.scene.discs[carol.hierarchy.children[-1][0]])
    assert {carol.page.scene.types[row] for row in view.drawn.dots} <= {"GEO", "EVENT", "ORGANIZATION"}
    panel.clear()


@pytest.mark.parametrize(("mode", "rows"), [("community", 0), ("type", 4), ("degree", 5)])
def test_the_legend_names_the_colours(carol: CommunitiesPlace, mode: str, rows: int) -> None:
    carol.toolbar.set_mode(mode)
    assert len(carol.graph_pane.view.colouring.legend()) == rows
    assert carol.graph_pane.legend.isVisibleTo(carol.graph_pane) == bool(rows)
    if mode == "type":
        assert carol.graph_pane.view.colouring.legend()[0][1] == "person (209)"


def test_a_community_has_one_colour_in_every_view(carol: CommunitiesPlace) -> None:
    for number in (1, 30, 100):
        expected = carol.theme.community_colour(carol.session.root_rank(number))
        assert carol.hierarchy.nodes[number].rank == carol.session.root_rank(number)
        level = carol.hierarchy.nodes[number].level
        carol.session.set_level(level)
        view = carol.graph_pane.view
        assert view.colouring.disc(view.grouping.place[number]) == expected


def test_the_graph_is_saved_as_a_picture(carol: CommunitiesPlace, tmp_path: Path) -> None:
    carol.toolbar.set_mode("type")
    pane = carol.graph_pane
    image = picture(pane.view, pane.legend)
    assert image.height() == 2 * (pane.view.height() + pane.legend.height())
    assert image.width() == 2 * carol.graph_pane.view.width()
    save_picture(image, tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_every_focusable_widget_has_a_name(carol: CommunitiesPlace) -> None:
    carol.session.choose_community(1)
    nameless = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in carol.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []


def test_positions_are_the_same_in_two_starts(shared: Path, open_page: Any) -> None:
    """With the program's own layout, computed twice."""
    from explorer.graph.positions import find_layout, layout_input

    def layouter(index: Any, sink: Any, scope: Any) -> Any:
        return find_layout(layout_input(index.entities, index.relationships, index.communities))

    pictures = []
    for _ in range(2):
        place = open_page(shared / "indexes" / "mit" / "joelandres-christmas", layouter)
        view = place.graph_pane.view
        frame = [(d.community, d.x, d.y, d.r) for d in view.drawn.discs]
        view.fly_to(*place.page.scene.discs[place.hierarchy.children[-1][0]])
        dots = list(zip(view.drawn.dots.tolist(), view.drawn.dot_x.tolist(), view.drawn.dot_y.tolist(), strict=True))
        assert dots
        pictures.append((frame, dots, [(label.lines, label.box) for label in view.labels]))
    assert pictures[0] == pictures[1]


def test_dark_and_light_are_drawn_from_the_theme(carol: CommunitiesPlace) -> None:
    view = carol.graph_pane.view
    carol.theme.set_scheme("light")
    light = view.grab().toImage().pixelColor(3, 3)
    carol.theme.set_scheme("dark")
    dark = view.grab().toImage().pixelColor(3, 3)
    carol.theme.set_scheme("light")
    assert light.lightness() > 200 and dark.lightness() < 80


def test_text_of_documents_never_becomes_markup() -> None:
    assert escape('<img src="http://x"> & "a"\n') == "&lt;img src=&quot;http://x&quot;&gt; &amp; &quot;a&quot;<br>"
    assert "\x00" not in escape("a\x00b")


def test_an_index_without_communities_says_so(qtbot: Any, engine: Engine) -> None:
    session = Session(engine)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.show()
    place.take_index(SimpleNamespace(communities=[]))
    assert "no communities" in place.nothing.headline.text()


def test_the_hierarchy_is_not_made_on_the_gui_thread(
    shared: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from explorer.gui.places.communities import place as module

    where: list[threading.Thread] = []

    class Watched(Hierarchy):
        def __init__(self, *arguments: Any) -> None:
            where.append(threading.current_thread())
            super().__init__(*arguments)

    monkeypatch.setattr(module, "Hierarchy", Watched)
    open_page(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    assert len(where) == 1
    assert where[0] is not threading.main_thread()
