"""The window as a person meets it: places, palette, look, drops, and a name on everything that takes the focus."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtWidgets import QApplication, QGraphicsTextItem, QToolButton, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.known_places import PLACES
from explorer.gui.preferences import Preferences
from explorer.gui.theme import HUES, Theme, tabular
from explorer.gui.window import MainWindow
from tests.gui.conftest import small_layout


def open_something(window: MainWindow, qtbot, name: str = "letters") -> None:
    with qtbot.waitSignal(window.session.layout_ready):
        window.session.open_path(Path("/somewhere") / name)


def test_every_place_opens_without_an_index_and_is_never_empty(window: MainWindow) -> None:
    for name in PLACES:
        window.show_place(name)
        place = window.place(name)
        assert window.stack.currentWidget() is place
        assert window.registry.get(f"go.{name}").isChecked()
        words = [child.text() for child in place.findChildren(QWidget) if hasattr(child, "text") and child.isVisible()]
        assert any(str(word() if callable(word) else word).strip() for word in words), name


def test_keys_go_to_places(window: MainWindow, qtbot) -> None:
    for key, name in (
        (Qt.Key.Key_2, "documents"), (Qt.Key.Key_3, "communities"), (Qt.Key.Key_4, "ask"), (Qt.Key.Key_5, "fan-out"),
        (Qt.Key.Key_6, "health"), (Qt.Key.Key_7, "connections"), (Qt.Key.Key_1, "start"),
    ):  # fmt: skip
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert window.current == name


def test_the_rail_shows_where_one_is_also_after_a_second_click(window: MainWindow, qtbot) -> None:
    button = next(button for button in window.rail.findChildren(QToolButton) if button.text() == "Documents")
    for _ in range(2):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert window.current == "documents" and button.isChecked()
    checked = [button.text() for button in window.rail.findChildren(QToolButton) if button.isChecked()]
    assert checked == ["Documents"]


def test_an_index_that_opens_is_named_in_title_and_status_and_shown(window: MainWindow, qtbot) -> None:
    open_something(window, qtbot)
    assert window.windowTitle().startswith("letters")
    assert window.status.index.text() == "letters · 4 entities · 3 communities · 2 levels"
    assert "opened read-only" in window.status.made.text()
    assert window.current == "communities"
    assert [path.name for path in window.preferences.recent] == ["nowhere"]


def test_the_status_says_what_is_being_opened_and_what_stays_open(make_window, qtbot) -> None:
    from explorer.base.errors import OpenError

    def refuse(path: Path):
        raise OpenError("It is of a newer version.")

    window = make_window(opener=refuse, layouter=small_layout)
    window.open_path(Path("/somewhere/letters"))
    assert window.status.index.text() == "Opening letters …"
    qtbot.waitUntil(lambda: bool(window.messages.messages()))
    assert window.messages.messages()[0].sentence == "It is of a newer version."
    assert window.status.index.text() == "No index is open"


def test_the_status_names_the_connection_and_its_grade(window: MainWindow) -> None:
    assert window.status.connection.text() in (
        "offline analyst · English grade", "offline analyst · patterns grade",
    )  # fmt: skip


def test_the_palette_finds_and_runs_an_action(window: MainWindow, qtbot) -> None:
    window.registry.get("go.commands").trigger()
    palette = window.command_palette
    assert palette.isVisible() and palette.line.text() == ">"
    qtbot.keyClicks(palette.line, "dark col")
    assert palette.model.entry(0).title == "Dark colours"
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.theme.dark


def test_the_palette_goes_to_an_entity_and_to_a_report(window: MainWindow, qtbot) -> None:
    open_something(window, qtbot)
    window.show_place("documents")
    palette = window.command_palette
    palette.open_for()
    qtbot.keyClicks(palette.line, "clar")
    assert palette.model.entry(0).title == "CLARA"
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.session.entity == "e2" and window.current == "communities"
    palette.open_for()
    qtbot.keyClicks(palette.line, "circle of bruno")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert window.session.community == 1


def test_the_palette_says_when_nothing_fits(window: MainWindow, qtbot) -> None:
    window.command_palette.open_for()
    qtbot.keyClicks(window.command_palette.line, "zzzz")
    assert window.command_palette.model.rowCount() == 0
    assert "zzzz" in window.command_palette.none.text()
    window.command_palette.close()


def test_an_action_that_is_not_possible_now_is_shown_and_not_run(window: MainWindow, qtbot) -> None:
    palette = window.command_palette
    palette.open_for(">pause indexing")
    assert palette.model.entry(0).action is window.registry.get("index.pause")
    assert not palette.model.entry(0).enabled
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()


def test_light_dark_and_system_are_remembered(window: MainWindow, tmp_path: Path) -> None:
    def brightness() -> int:
        return QApplication.palette().color(QPalette.ColorRole.Window).lightness()

    window.registry.get("view.light").trigger()
    light = brightness()
    window.registry.get("view.dark").trigger()
    assert brightness() < light - 100
    window.preferences.sync()
    assert Preferences(tmp_path / "window.ini").scheme == "dark"
    window.registry.get("view.system").trigger()
    window.preferences.sync()
    assert Preferences(tmp_path / "window.ini").scheme == "system"


def _contrast(a, b) -> float:
    def luminance(colour) -> float:
        parts = [
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour.getRgbF()[:3]
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_in_both_schemes(qapp, scheme: str) -> None:
    theme = Theme()
    theme.set_scheme(scheme)
    for name in ("text", "muted", "accent", "malformed", "failed", "good", "warn", "link"):
        for ground in ("background", "surface"):
            ratio = _contrast(theme.colour(name), theme.colour(ground))
            assert ratio >= 4.5, f"{name} on {ground} in {scheme}: {ratio:.2f}"
    assert _contrast(theme.colour("on_accent"), theme.colour("accent")) >= 4.5


def test_colours_of_communities_differ_beyond_twelve(qapp) -> None:
    theme = Theme()
    names = {theme.community_colour(rank).name() for rank in range(4 * len(HUES))}
    assert len(names) > 3 * len(HUES)
    assert theme.community_colour(-1) == theme.colour("cut")


def test_figures_stand_under_each_other(qapp) -> None:
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(tabular(qapp.font()))
    assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1


def test_everything_that_takes_the_focus_has_a_name(window: MainWindow, qtbot) -> None:
    window.make_places()
    for state in ("closed", "open"):
        if state == "open":
            open_something(window, qtbot)
        for name in PLACES:
            window.show_place(name)
        window.show_help()
        window.command_palette.open_for()
        window.fail("A sentence.")
        nameless = [
            f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
            for widget in window.findChildren(QWidget)
            if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
            and not widget.accessibleName()
            and not widget.objectName().startswith("qt_")
            and type(widget) is not QWidget
            and not (hasattr(widget, "text") and isinstance(widget.text, object) and _shown_text(widget))
            and widget.focusProxy() is None
        ]
        assert not nameless, f"{state}: {nameless}"
        window.command_palette.close()


def _shown_text(widget: QWidget) -> bool:
    """Whether a screen reader has the widget's own text to read (a button's or a label's, not what is typed)."""
    from PySide6.QtWidgets import QAbstractButton, QLabel

    return isinstance(widget, QAbstractButton | QLabel) and bool(widget.text())


def test_every_action_has_a_subject_a_name_and_keys_of_its_own(window: MainWindow) -> None:
    window.make_places()
    actions = window.registry.all()
    assert all(action.text() and action.property("category") for action in actions)
    keys = [action.shortcut().toString() for action in actions if not action.shortcut().isEmpty()]
    assert len(keys) == len(set(keys))
    assert set(actions) <= set(window.actions())
    listed = {
        action for menu in window.registry.categories().values() for action in menu
    }  # fmt: skip
    assert listed == set(actions)


def test_the_menu_shows_the_registry(window: MainWindow) -> None:
    window.rail.menu.aboutToShow.emit()
    shown = {
        action
        for entry in window.rail.menu.actions()
        if entry.menu() is not None
        for action in entry.menu().actions()
    }  # fmt: skip
    assert shown == {action for action in window.registry.all() if action.isVisible()}


def test_help_lists_every_action_with_its_keys(window: MainWindow) -> None:
    dialog = window.show_help()
    assert dialog.model.rowCount() == len(window.registry.all())
    dialog.line.setText("ctrl+k")
    rows = [dialog.model.index(row, 1).data() for row in range(dialog.model.rowCount())]
    assert rows == ["Go to anything…"]
    dialog.close()


def test_a_taken_name_of_an_action_is_refused(qapp) -> None:
    registry = ActionRegistry()
    registry.add("one.two", "Two", category="View")
    with pytest.raises(ValueError, match=r"one\.two"):
        registry.add("one.two", "Two again", category="View")


def _mime(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def _drop(target: QWidget, data: QMimeData) -> None:
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(target, enter)
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(target, drop)


def test_a_folder_dropped_on_the_window_is_opened(window: MainWindow, qtbot, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    with qtbot.waitSignal(window.session.index_opened):
        _drop(window, _mime(folder))
    assert window.session.index.name == "letters"
    assert not window.drop_hint.isVisible()


def test_a_file_dropped_on_the_window_opens_its_folder(window: MainWindow, qtbot, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    file = tmp_path / "letters" / "one.txt"
    file.write_text("Dear Alma")
    with qtbot.waitSignal(window.session.index_opened):
        _drop(window, _mime(file))
    assert window.session.index.name == "letters"


def test_no_part_of_a_place_takes_a_drop_away(window: MainWindow) -> None:
    for name in PLACES:
        window.show_place(name)
        takers = [type(child).__name__ for child in window.place(name).findChildren(QWidget) if child.acceptDrops()]
        assert not takers, f"{name}: {takers}"


def test_what_hovers_is_named(window: MainWindow, tmp_path: Path) -> None:
    data = _mime(tmp_path)
    QApplication.sendEvent(
        window,
        QDragEnterEvent(
            QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        ),
    )
    assert window.drop_hint.isVisible()
    assert tmp_path.name in window.drop_hint.accessibleName()
    window.drop_hint.hide()


def test_messages_stay_until_they_are_put_away_and_do_not_repeat(window: MainWindow) -> None:
    window.fail("The folder is empty.")
    window.fail("The folder is empty.")
    window.say("Three files changed.")
    assert [message.sentence for message in window.messages.messages()] == [
        "Three files changed.", "The folder is empty.",
    ]  # fmt: skip
    window.registry.get("view.dismiss").trigger()
    assert window.messages.messages() == [] and not window.messages.isVisible()


def test_markup_in_a_sentence_is_only_text(window: MainWindow) -> None:
    window.fail("<img src='x'> & <b>bold</b>")
    message = window.messages.messages()[0]
    labels = [child for child in message.findChildren(QWidget) if hasattr(child, "textFormat")]
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels if label.text())


def test_f6_goes_from_pane_to_pane(window: MainWindow, qtbot) -> None:
    window.preferences.remember(Path("/somewhere"))
    window.show_place("start")
    window.activateWindow()
    seen = set()
    for _ in range(3):
        window.registry.get("go.next_pane").trigger()
        seen.add(window.focusWidget())
    assert len(seen) > 1


def test_geometry_is_remembered(window: MainWindow, tmp_path: Path) -> None:
    window.resize(1111, 777)
    window.close()
    assert Preferences(tmp_path / "window.ini").geometry is not None


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_qt_does_not_lose_references_to_none(qapp) -> None:
    item = QGraphicsTextItem()
    before = sys.getrefcount(None)
    for _ in range(1000):
        item.setPos(1.0, 2.0)
    assert sys.getrefcount(None) > before - 100
