"""The Qt palette and the style sheet of the window, made from the theme's colours and the font's own measure."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QPalette

from explorer.base.paths import resource

Colour = Callable[[str], QColor]


def palette_of(colour: Colour) -> QPalette:
    """A palette of all roles that Fusion paints with."""
    palette = QPalette()
    role = QPalette.ColorRole
    for where, name in (
        (role.Window, "background"), (role.WindowText, "text"), (role.Base, "surface"),
        (role.AlternateBase, "sunken"), (role.Text, "text"), (role.Button, "surface"), (role.ButtonText, "text"),
        (role.ToolTipBase, "surface"), (role.ToolTipText, "text"), (role.PlaceholderText, "muted"),
        (role.BrightText, "failed"), (role.Highlight, "accent_soft"), (role.HighlightedText, "text"),
        (role.Link, "link"), (role.LinkVisited, "link"), (role.Accent, "accent"), (role.Mid, "border"),
        (role.Dark, "border"), (role.Light, "surface"), (role.Midlight, "border"), (role.Shadow, "border"),
    ):  # fmt: skip
        palette.setColor(where, colour(name))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, colour("muted"))
    return palette


def sheet_of(colour: Colour, em: int, dark: bool) -> str:
    """The style sheet. `em` is the height of a line; every size is a part of it."""
    scheme = "dark" if dark else "light"
    down, up = (resource("icons", f"chevron-{way}-{scheme}.svg").as_posix() for way in ("down", "up"))
    tick = resource("icons", f"tick-{scheme}.svg").as_posix()
    c = {name: colour(name).name() for name in (
        "background", "surface", "sunken", "border", "text", "muted", "accent", "accent_soft", "on_accent",
    )}  # fmt: skip
    radius, pad, small = round(em * 0.45), round(em * 0.35), round(em * 0.2)
    return f"""
    #Pane {{ background: {c["surface"]}; border: 1px solid {c["border"]}; border-radius: {radius}px; }}
    #Palette {{ background: {c["surface"]}; border: 1px solid {c["border"]}; }}
    #Rail, #StatusBar, #TopBar {{ background: {c["surface"]}; }}
    #Rail {{ border-right: 1px solid {c["border"]}; }}
    #StatusBar {{ border-top: 1px solid {c["border"]}; }}
    #TopBar {{ border-bottom: 1px solid {c["border"]}; }}
    #StatusBar QLabel, QLabel[role="muted"] {{ color: {c["muted"]}; }}
    QLabel[role="wrong"] {{ color: {colour("failed").name()}; }}
    QLabel[role="title"] {{ font-weight: 600; }}
    QLabel[role="headline"] {{ font-weight: 600; font-size: 17pt; }}
    #Rail QToolButton {{ border: none; border-radius: {radius}px; padding: {pad}px {small}px; color: {c["muted"]}; }}
    #Rail QToolButton:hover {{ background: {c["sunken"]}; }}
    #Rail QToolButton:checked {{ background: {c["accent_soft"]}; color: {c["accent"]}; font-weight: 600; }}
    #Rail QToolButton:focus {{ border: 1px solid {c["accent"]}; }}
    QPushButton, QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit {{
        background: {c["surface"]}; border: 1px solid {c["border"]}; border-radius: {radius}px;
        padding: {small}px {pad}px; min-height: {round(em * 1.25)}px; }}
    QPushButton {{ padding: {small}px {round(em * 0.8)}px; }}
    QPushButton:hover, QComboBox:hover {{ background: {c["sunken"]}; }}
    QPushButton:focus, QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
    QAbstractItemView:focus, QTextBrowser:focus {{ border: 1px solid {c["accent"]}; }}
    QPushButton:disabled, QLineEdit:disabled {{ color: {c["muted"]}; background: {c["sunken"]}; }}
    QPushButton[role="primary"] {{ background: {c["accent"]}; color: {c["on_accent"]}; border-color: {c["accent"]};
        font-weight: 600; }}
    QPushButton[role="primary"]:disabled {{ background: {c["border"]}; color: {c["muted"]};
        border-color: {c["border"]}; }}
    QPushButton[role="link"], QToolButton[role="link"] {{ border: 1px solid transparent; background: transparent;
        color: {c["accent"]}; padding: 0 {small}px; min-height: 0; text-align: left; }}
    QPushButton[role="link"]:focus, QToolButton[role="link"]:focus {{ border: 1px solid {c["accent"]}; }}
    QPushButton[role="link"]:disabled, QToolButton[role="link"]:disabled {{ color: {c["muted"]};
        background: transparent; }}
    QTabBar::tab {{ background: transparent; color: {c["muted"]}; border: none; padding: {pad}px {round(em * 0.8)}px;
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {c["accent"]}; border-bottom: 2px solid {c["accent"]}; font-weight: 600; }}
    QTabBar::tab:focus {{ background: {c["accent_soft"]}; }}
    QAbstractItemView, QTextBrowser, QPlainTextEdit {{ background: {c["surface"]}; border: 1px solid transparent;
        selection-background-color: {c["accent_soft"]}; selection-color: {c["text"]};
        alternate-background-color: {c["sunken"]}; }}
    QHeaderView::section {{ background: {c["surface"]}; color: {c["muted"]}; border: none;
        border-bottom: 1px solid {c["border"]}; padding: {small}px {pad}px; }}
    QProgressBar {{ border: none; border-radius: {small}px; background: {c["border"]}; max-height: {small * 2}px;
        min-height: {small * 2}px; }}
    QProgressBar::chunk {{ background: {c["accent"]}; border-radius: {small}px; }}
    QToolTip {{ background: {c["surface"]}; color: {c["text"]}; border: 1px solid {c["border"]}; padding: {small}px; }}
    QMenu {{ background: {c["surface"]}; border: 1px solid {c["border"]}; }}
    QMenu::item {{ padding: {small}px {em}px; }}
    QMenu::item:selected {{ background: {c["accent_soft"]}; color: {c["text"]}; }}
    QMenu::item:disabled {{ color: {c["muted"]}; }}
    QSplitter::handle {{ background: transparent; }}
    QCheckBox::indicator, QMenu::indicator {{ width: {round(em * 0.75)}px; height: {round(em * 0.75)}px;
        border: 1px solid {c["muted"]}; border-radius: {small}px; background: {c["surface"]}; }}
    QMenu::indicator {{ margin-left: {pad}px; }}
    QCheckBox::indicator:checked, QMenu::indicator:checked {{ background: {c["accent"]};
        border-color: {c["accent"]}; image: url("{tick}"); }}
    QCheckBox::indicator:disabled {{ border-color: {c["border"]}; background: {c["sunken"]}; }}
    QCheckBox::indicator:checked:disabled {{ border-color: {c["muted"]}; background: {c["muted"]}; }}
    QMenu::indicator:exclusive {{ border-radius: {round(em * 0.4)}px; }}
    QComboBox::drop-down {{ border: none; width: {round(em * 1.3)}px; }}
    QComboBox::down-arrow {{ image: url("{down}"); width: {round(em * 0.8)}px; height: {round(em * 0.8)}px; }}
    QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {{
        border: none; background: transparent; width: {round(em * 1.2)}px; }}
    QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{ image: url("{up}"); width: {round(em * 0.6)}px;
        height: {round(em * 0.6)}px; }}
    QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{ image: url("{down}"); width: {round(em * 0.6)}px;
        height: {round(em * 0.6)}px; }}
    QScrollBar:vertical {{ width: {round(em * 0.7)}px; background: transparent; margin: 0; }}
    QScrollBar:horizontal {{ height: {round(em * 0.7)}px; background: transparent; margin: 0; }}
    QScrollBar::handle {{ background: {colour("cut").name()}; border-radius: {round(em * 0.2)}px;
        margin: {round(em * 0.13)}px; min-height: {em * 2}px; min-width: {em * 2}px; }}
    QScrollBar::handle:hover {{ background: {c["muted"]}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """
