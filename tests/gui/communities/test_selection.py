"""One selection: whoever chooses, the others show the same community, by its number."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.session import Citation


def shown(place: CommunitiesPlace) -> dict[str, int | None]:
    """The community that each view shows as chosen."""
    return {
        "session": place.session.community,
        "tree": place.hierarchy_pane.tree_number,
        "icicle": place.hierarchy_pane.icicle.chosen,
        "graph": place.graph_pane.view.chosen.community,
        "report": place.report_pane.community,
    }


def all_show(place: CommunitiesPlace, number: int) -> None:
    assert shown(place) == dict.fromkeys(("session", "tree", "icicle", "graph", "report"), number)
    assert any(disc.community == number for disc in place.graph_pane.view.drawn.discs)
    assert not place.hierarchy_pane.icicle.cell_rect(number).isEmpty()


def disc_of(place: CommunitiesPlace, number: int) -> QPoint:
    (disc,) = [disc for disc in place.graph_pane.view.drawn.discs if disc.community == number]
    return QPoint(round(disc.x), round(disc.y))


def test_a_click_on_a_disc(carol: CommunitiesPlace) -> None:
    for number in carol.graph_pane.view.grouping.numbers[:6].tolist():
        QTest.mouseClick(carol.graph_pane.view, Qt.MouseButton.LeftButton, pos=disc_of(carol, number))
        all_show(carol, number)
    report = carol.session.index.report_by_community[number]
    assert report.title.split()[0] in carol.report_pane.report.toPlainText()


def test_a_click_on_a_row_of_the_tree_takes_the_graph_to_its_level(carol: CommunitiesPlace) -> None:
    tree, model = carol.hierarchy_pane.tree, carol.hierarchy_pane.model
    for number in (carol.hierarchy.children[-1][2], carol.hierarchy.children[carol.hierarchy.children[-1][0]][1]):
        index = model.index_of(number)
        tree.expand(index.parent())
        tree.scrollTo(index)
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(index).center())
        all_show(carol, number)
        assert carol.session.level == carol.hierarchy.nodes[number].level


def test_a_click_on_a_cell_of_the_icicle_goes_in_and_escape_out(carol: CommunitiesPlace) -> None:
    icicle = carol.hierarchy_pane.icicle
    root = carol.hierarchy.children[-1][1]
    QTest.mouseClick(icicle, Qt.MouseButton.LeftButton, pos=icicle.cell_rect(root).center().toPoint())
    all_show(carol, root)
    assert icicle.focus == root
    child = carol.hierarchy.children[root][0]
    QTest.mouseClick(icicle, Qt.MouseButton.LeftButton, pos=icicle.cell_rect(child).center().toPoint())
    all_show(carol, child)
    while icicle.focus is not None:
        QTest.keyClick(icicle, Qt.Key.Key_Escape)
    assert len(icicle.rows[0]) == 23


def test_a_citation_of_an_entity_shows_its_community_and_the_entity(carol: CommunitiesPlace) -> None:
    session = carol.session
    entity = session.index.entity_by_title["BOB CRATCHIT"]
    carol.report_pane.citation_clicked.emit(Citation("Entities", entity.number))
    number = session.community
    assert number is not None and entity.id in session.index.community_by_number[number].entity_ids
    all_show(carol, number)
    assert carol.page.scene.ids[carol.graph_pane.view.chosen.entity] == entity.id
    assert entity.id in {carol.page.scene.ids[row] for row in carol.graph_pane.view.drawn.dots}
    text = carol.report_pane.drawer.browser.toPlainText()
    assert entity.title in text and entity.description[:60] in text


def test_citations_of_a_relationship_and_of_a_report(carol: CommunitiesPlace) -> None:
    session = carol.session
    tie = next(row for row in session.index.relationships if row.source == "BOB CRATCHIT")
    session.open_citation(Citation("Relationships", tie.number))
    members = session.index.community_by_number[session.community].entity_ids
    assert session.index.entity_by_title["BOB CRATCHIT"].id in members
    all_show(carol, session.community)
    assert tie.description[:50] in carol.report_pane.drawer.browser.toPlainText()
    session.open_citation(Citation("Reports", 100))
    all_show(carol, 100)


def test_a_click_on_a_citation_in_the_report(carol: CommunitiesPlace, qtbot: Any) -> None:
    """A real click on the first chip of a report opens what it names."""
    browser = carol.report_pane.report
    target = None
    for number in carol.hierarchy.nodes:
        carol.session.choose_community(number)
        spots = ((x, y) for y in range(0, browser.viewport().height(), 5) for x in range(0, 260, 5))
        target = next(
            ((QPoint(*at), url) for at in spots if (url := browser.anchorAt(QPoint(*at))).startswith("cite:")),
            None,
        )
        if target is not None:
            break
    assert target is not None
    with qtbot.waitSignal(carol.session.citation_chosen) as signal:
        QTest.mouseClick(browser.viewport(), Qt.MouseButton.LeftButton, pos=target[0])
    citation = signal.args[0]
    assert f"cite:{citation.kind}/{citation.number}" == target[1]
    assert carol.report_pane.drawer.shown == citation
    all_show(carol, carol.session.community)


def test_a_focus_that_comes_in_chooses_nothing(carol: CommunitiesPlace) -> None:
    carol.activateWindow()
    for widget in (carol.toolbar.find, carol.hierarchy_pane.tree, carol.graph_pane.view, carol.hierarchy_pane.tree):
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
    assert carol.session.community is None
    root = carol.hierarchy.children[-1][0]
    carol.session.choose_community(root)
    all_show(carol, root)
    QTest.keyClick(carol.hierarchy_pane.tree, Qt.Key.Key_Down)
    all_show(carol, carol.hierarchy.children[-1][1])


def test_choosing_elsewhere_and_by_keys(carol: CommunitiesPlace) -> None:
    carol.session.choose_community(100)
    all_show(carol, 100)
    view = carol.graph_pane.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    all_show(carol, carol.session.community)
    icicle = carol.hierarchy_pane.icicle
    carol.session.choose_community(carol.hierarchy.children[-1][0])
    QTest.keyClick(icicle, Qt.Key.Key_Right)
    all_show(carol, carol.hierarchy.children[-1][1])
    QTest.keyClick(icicle, Qt.Key.Key_Down)
    all_show(carol, carol.hierarchy.children[carol.hierarchy.children[-1][1]][0])
    QTest.keyClick(icicle, Qt.Key.Key_Up)
    all_show(carol, carol.hierarchy.children[-1][1])


def test_a_click_on_a_dot_chooses_the_entity(carol: CommunitiesPlace) -> None:
    view = carol.graph_pane.view
    view.fly_to(*carol.page.scene.discs[carol.hierarchy.children[-1][0]])
    k = len(view.drawn.dots) - 1  # the biggest, drawn last
    row = int(view.drawn.dots[k])
    at = QPoint(round(float(view.drawn.dot_x[k])), round(float(view.drawn.dot_y[k])))
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert carol.session.entity == carol.page.scene.ids[row]
    assert carol.page.scene.titles[row] in carol.report_pane.drawer.browser.toPlainText()


def test_the_wheel_over_a_disc_brings_its_members(carol: CommunitiesPlace) -> None:
    view = carol.graph_pane.view
    number = carol.hierarchy.children[-1][0]
    assert len(view.drawn.dots) == 0
    at = disc_of(carol, number)
    for _ in range(3):
        QTest.wheelEvent(view.window().windowHandle(), view.mapTo(view.window(), at).toPointF(), QPoint(0, 120))
    QApplication.processEvents()
    (disc,) = [disc for disc in view.drawn.discs if disc.community == number]
    assert abs(disc.x - at.x()) < 2 and abs(disc.y - at.y()) < 2  # it stays under the pointer
    mine = [k for k, row in enumerate(view.drawn.dots) if row in set(carol.page.scene.members[number].tolist())]
    assert len(mine) == carol.hierarchy.nodes[number].size
    for k in mine:
        away = ((view.drawn.dot_x[k] - disc.x) ** 2 + (view.drawn.dot_y[k] - disc.y) ** 2) ** 0.5
        assert away + view.drawn.dot_r[k] <= disc.r
    assert view.labels
    for place, label in enumerate(view.labels):
        assert not any(label.box.overlaps(other.box) for other in view.labels[place + 1 :])


def test_the_slider_regroups_and_moves_nothing(carol: CommunitiesPlace) -> None:
    view, slider = carol.graph_pane.view, carol.toolbar.slider
    before = {disc.community: (disc.x, disc.y, disc.r) for disc in view.drawn.discs}
    spot = (view.view.x, view.view.y, view.view.scale)
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=slider.stop(1).toPoint())
    assert carol.session.level == 1
    assert sum(disc.level == 1 for disc in view.drawn.discs) == 65
    assert (view.view.x, view.view.y, view.view.scale) == spot
    after = {disc.community: (disc.x, disc.y, disc.r) for disc in view.drawn.discs}
    stayed = before.keys() & after.keys()
    assert len(stayed) == 11 and all(before[number] == after[number] for number in stayed)
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert carol.session.level == 0


def test_dragging_moves_the_page_and_is_no_click(carol: CommunitiesPlace) -> None:
    view = carol.graph_pane.view
    number = carol.hierarchy.children[-1][0]
    at = disc_of(carol, number)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
    for step in range(1, 6):
        QTest.mouseMove(view, at + QPoint(10 * step, 4 * step))
        QApplication.processEvents()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at + QPoint(50, 20))
    moved = disc_of(carol, number)
    assert (moved - at - QPoint(50, 20)).manhattanLength() <= 2
    assert carol.session.community is None


def test_what_is_shifted_is_what_would_be_painted_afresh(carol: CommunitiesPlace, qtbot: Any) -> None:
    """The picture that is shifted while the page moves agrees with the whole frame once it rests."""
    view = carol.graph_pane.view
    view.zoom(2.0, QPointF(view.width() / 2, view.height() / 2))
    view.repaint()
    for _ in range(8):
        view.pan(7, -5)
        view.repaint()
    moving = view.grab().toImage()
    qtbot.waitUntil(lambda: not view._moving.isActive())
    resting = view.grab().toImage()
    differing = sum(
        moving.pixelColor(x, y) != resting.pixelColor(x, y)
        for x in range(0, view.width(), 4)
        for y in range(0, view.height(), 4)
    )
    assert differing < 0.02 * (view.width() // 4) * (view.height() // 4)
