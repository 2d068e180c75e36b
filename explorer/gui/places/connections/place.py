"""The place Connections: three pages under one row of tabs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.places.base import Place
from explorer.gui.places.connections.page import ConnectionsPage
from explorer.gui.places.connections.prices_page import PricesPage
from explorer.gui.places.connections.prompts_page import PromptsPage

if TYPE_CHECKING:
    from explorer.models.local_servers import LocalServer

Page = TypeVar("Page", bound=QWidget)
PAGES = ("Connections", "Prices", "Prompts")


class ConnectionsPlace(Place):
    """`connections`, `prices` and `prompts` are its pages, once it was shown."""

    name, title, icon_name = "connections", "Connections", "connections"

    def declare_actions(self, actions: ActionRegistry) -> None:
        def add(id: str, text: str, does: str, tip: str = "", page: int = 0, enabled: bool = False) -> None:
            action = actions.add(id, text, lambda: self._do(page, does), category="Connections", tip=tip)
            action.setEnabled(enabled)

        add("connections.new", "New connection", "new", "Set up another language model", enabled=True)
        add("connections.save", "Save the connection", "save", "Keep it, and the key that was typed")
        add("connections.discard", "Discard the changes", "discard")
        add("connections.test", "Test the connection", "test", "One chat and one embedding call; says what is wrong")
        add("connections.stop_test", "Stop the test", "stop_test")
        add("connections.use", "Use this connection", "use", "Index and ask with it from now on")
        add("connections.remove", "Remove the connection…", "remove", "Take it and its key away")
        add("connections.find", "Find local servers", "find", "Ask the usual ports of this machine", enabled=True)
        add(
            "connections.take_models",
            "Take the models of the project's settings",
            "take_models",
            "Put the names that the settings.yaml of the open index's project gives into the fields",
        )
        add("connections.set_up", "Set up the chosen local server", "set_up")
        add("prices.add", "Enter the price of another model", "add", page=1, enabled=True)
        add("prices.restore", "Take your price away", "restore", "The price that ships holds again", page=1)
        add("prompts.save", "Save the prompt", "save", "Keep it for the open folder", page=2)
        add("prompts.restore", "Restore the shipped prompt", "restore", page=2)
        add(
            "prompts.offers",
            "Prompts of the GraphRAG project…",
            "show_offers",
            "What the prompts of the open index's project would do here, and take them over",
            page=2,
        )
        for number, title in enumerate(PAGES):
            actions.add(f"connections.page_{title.lower()}", f"Go to {title if number else 'the list of connections'}",
                        lambda number=number: self.show_page(number), category="Go")  # fmt: skip

    def build(self) -> None:
        em = self.theme.em
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        bar = QFrame()
        bar.setObjectName("TopBar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(round(em * 0.9), round(em * 0.3), round(em * 0.9), 0)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Pages of Connections")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for title in PAGES:
            self.tabs.addTab(title)
        row.addWidget(self.tabs)
        row.addStretch(1)
        column.addWidget(bar)
        holder = QVBoxLayout()
        holder.setContentsMargins(round(em * 0.9), round(em * 0.7), round(em * 0.9), round(em * 0.6))
        self.pages = QStackedWidget()
        self.connections = ConnectionsPage(self.session, self.engine, self.theme, self.registry)
        self.pages.addWidget(self.connections)
        self.tabs.currentChanged.connect(lambda number: self.pages.setCurrentWidget(self._page(number)))
        holder.addWidget(self.pages)
        column.addLayout(holder, 1)

    @cached_property
    def prices(self) -> PricesPage:
        """The page of prices, made when it is first needed."""
        return self._add(PricesPage(self.session, self.theme, self.registry))

    @cached_property
    def prompts(self) -> PromptsPage:
        """The page of prompts, made when it is first needed."""
        return self._add(PromptsPage(self.session, self.theme, self.registry))

    def show_page(self, number: int) -> None:
        """Show one of PAGES."""
        self.session.show_place(self.name)
        self.ensure_built()
        self.tabs.setCurrentIndex(number)

    def offer(self, servers: list[LocalServer]) -> None:
        """Show servers that were found on this machine."""
        self.ensure_built()
        self.connections.servers_pane.show_servers(servers)

    def prepare_screenshot(self) -> None:
        """An example in the place of the person's own connections."""
        from explorer.gui.places.connections.example import show_example

        self.tabs.setCurrentIndex(0)
        show_example(self.connections)

    def _do(self, page: int, does: str) -> Any:
        """Run an action of a page; the page is shown first where it is not."""
        self.ensure_built()
        self.tabs.setCurrentIndex(page)
        if not self.isVisible():
            self.session.show_place(self.name)
        return getattr(self._page(page), does)()

    def _page(self, number: int) -> Any:
        return getattr(self, PAGES[number].lower())

    def _add(self, page: Page) -> Page:
        page.setParent(self.pages)
        self.pages.addWidget(page)
        for child in page.findChildren(QWidget):
            child.setAcceptDrops(False)  # a folder dropped on any part of the window reaches the window
        return page
