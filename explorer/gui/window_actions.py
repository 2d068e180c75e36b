"""The actions of the window itself: opening, going to places, the look, help. Places register their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QActionGroup

from explorer.gui.finding import CommunityFinder

if TYPE_CHECKING:
    from explorer.gui.window import MainWindow

PLACES = (
    ("start", "Start", "What can be opened", "Ctrl+1"),
    ("documents", "Documents", "The files and their indexing", "Ctrl+2"),
    ("communities", "Communities", "The hierarchy, the graph and the reports", "Ctrl+3"),
    ("ask", "Ask", "A question, and what became of every report, point and call", "Ctrl+4"),
    ("fan-out", "Fan-out", "What a question costs at each level", "Ctrl+5"),
    ("health", "Health", "What is wrong in the index, and what was lost before it was made", "Ctrl+6"),
    ("connections", "Connections", "Language models, their keys, prices and prompts", "Ctrl+7"),
)


def register(window: MainWindow) -> None:
    """Register the actions and connect them to the window."""
    add = window.registry.add
    add("file.open_folder", "Open a folder of documents…", window.ask_folder, category="File", shortcut="Ctrl+O")
    add("file.open_index", "Open a GraphRAG index…", window.ask_index, category="File", shortcut="Ctrl+Shift+O",
        tip="Open an output of GraphRAG or an index of this program; nothing in it is changed")  # fmt: skip
    add("file.open_sample", "Open the bundled sample", window.open_sample, category="File")
    add("file.close_index", "Close the index", window.session.close_index, category="File", shortcut="Ctrl+W")
    add("file.quit", "Quit", window.close, category="File", shortcut="Ctrl+Q")
    for name, title, tip, keys in PLACES:
        action = add(f"go.{name}", f"Go to {title}", lambda name=name: window.show_place(name),
                     category="Go", shortcut=keys, tip=tip)  # fmt: skip
        action.setProperty("title", title)
    add("go.palette", "Go to anything…", window.command_palette.open_for, category="Go", shortcut="Ctrl+K",
        tip="Go to a report, a community or an entity, or run an action")  # fmt: skip
    add("go.commands", "Run an action…", lambda: window.command_palette.open_for(">"), category="Go",
        shortcut="Ctrl+Shift+P")  # fmt: skip
    add("go.next_pane", "Next pane", lambda: window.next_pane(1), category="Go", shortcut="F6")
    add("go.previous_pane", "Previous pane", lambda: window.next_pane(-1), category="Go", shortcut="Shift+F6")
    add("index.pause", "Pause indexing", window.indexing.pause, category="Index")
    add("index.resume", "Go on indexing", window.indexing.resume, category="Index")
    add("index.stop", "Stop indexing", window.indexing.stop, category="Index",
        tip="Finish what is in flight and keep everything that is done")  # fmt: skip
    add("index.again", "Index this folder again", window.index_again, category="Index",
        tip="Read what changed; what is known already costs nothing")  # fmt: skip
    CommunityFinder(window.session, window.engine, window.registry, window)
    group = QActionGroup(window)
    for scheme, text in (("light", "Light colours"), ("dark", "Dark colours"), ("system", "Colours of the system")):
        action = add(f"view.{scheme}", text, lambda scheme=scheme: window.set_scheme(scheme), category="View",
                     checkable=True)  # fmt: skip
        group.addAction(action)
    add("view.activity", "Show the activity", window.toggle_activity, category="View", shortcut="Ctrl+J",
        checkable=True)  # fmt: skip
    add("view.dismiss", "Put all messages away", window.messages.clear, category="View", shortcut="Ctrl+Shift+M")
    add("view.full_screen", "Full screen", window.toggle_full_screen, category="View", shortcut="F11")
    add("view.menu", "Open the menu", window.rail.menu_button.showMenu, category="View", shortcut="F10")
    add("help.keys", "Actions and keys", window.show_help, category="Help", shortcut="F1")
    add("help.about", "About GraphRAG Explorer", window.show_about, category="Help")
