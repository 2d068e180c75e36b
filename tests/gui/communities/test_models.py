"""The item models: what Qt asks of them, sorting in the source, the list of what is in view."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.model_tree import SIZE, TITLE, CommunityTreeModel, NumberRole
from explorer.gui.places.communities.node_table import NodeTableModel
from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.theme import Theme
from explorer.tables.rows import CommunityRow


def forest() -> Hierarchy:
    rows = [(0, 0, -1, 4), (1, 0, -1, 9), (2, 1, 1, 3), (3, 1, 1, 6), (4, 2, 3, 5)]
    return Hierarchy(
        [CommunityRow(f"c{n}", n, level, parent, (), "", size=size) for n, level, parent, size in rows], {}
    )


def numbers(model: CommunityTreeModel, parent: QModelIndex = QModelIndex()) -> list[int]:
    return [model.index(row, TITLE, parent).data(NumberRole) for row in range(model.rowCount(parent))]


def test_the_tree_is_a_sound_model(qtbot: Any, qtmodeltester: Any) -> None:
    theme = Theme()
    model = CommunityTreeModel(theme)
    model.set_hierarchy(forest())
    qtmodeltester.check(model)
    assert numbers(model) == [1, 0]
    assert numbers(model, model.index_of(1)) == [3, 2]
    assert model.index_of(4).parent().data(NumberRole) == 3
    assert model.index_of(4).siblingAtColumn(SIZE).data() == "5"


def test_sorting_keeps_what_was_chosen(qtbot: Any) -> None:
    from PySide6.QtCore import QPersistentModelIndex

    model = CommunityTreeModel(Theme())
    model.set_hierarchy(forest())
    kept = QPersistentModelIndex(model.index_of(2))
    model.sort(SIZE, Qt.SortOrder.AscendingOrder)
    assert numbers(model) == [0, 1] and numbers(model, model.index_of(1)) == [2, 3]
    assert kept.data(NumberRole) == 2 and kept.row() == 0


def test_the_list_holds_what_is_in_view(qtbot: Any, qtmodeltester: Any, carol: CommunitiesPlace) -> None:
    pane = carol.graph_pane
    pane.list_button.setChecked(True)
    assert pane.nodes.rowCount() == 23
    qtmodeltester.check(pane.nodes)
    number = int(pane.view.grouping.numbers[0])
    pane.view.fly_to(*carol.page.scene.discs[number])
    pane.tell()
    drawn = pane.view.drawn
    assert pane.nodes.rowCount() == len(drawn.discs) + len(drawn.dots)
    names = {pane.nodes.index(row, 0).data() for row in range(pane.nodes.rowCount())}
    assert "SCROOGE" in names
    row = pane.nodes.row_of("entity", carol.page.scene.row_of[carol.session.index.entity_by_title["SCROOGE"].id])
    pane.table.setCurrentIndex(pane.nodes.index(row, 0))
    assert carol.session.entity == carol.session.index.entity_by_title["SCROOGE"].id


def test_an_empty_list_is_a_sound_model(qtmodeltester: Any) -> None:
    model = NodeTableModel()
    model.set_drawn(None, None)
    qtmodeltester.check(model)
    assert model.rowCount() == 0
