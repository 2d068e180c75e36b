"""A Communities page over a real index of another program, with a layout of a few lines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.tables.index import open_index
from tests.gui.communities.fake_layout import fake_layout

Opener = Callable[..., CommunitiesPlace]


@pytest.fixture(scope="session")
def indexes() -> Callable[[Path], Any]:
    """Opens each index once a run: nothing writes to what it gives."""
    return functools.cache(open_index)


@pytest.fixture
def open_page(qtbot: Any, engine: Engine, indexes: Callable[[Path], Any]) -> Iterator[Opener]:
    """Opens an index on a page of 1,190 × 770 pixels, without movement; returns once the graph is drawn."""
    made: list[CommunitiesPlace] = []

    def opened(path: Path, layouter: Any = fake_layout, opener: Any = None) -> CommunitiesPlace:
        theme = Theme()
        session = Session(engine, opener=opener or indexes, layouter=layouter)
        place = CommunitiesPlace(session, engine, theme, ActionRegistry())
        theme.setParent(place)
        qtbot.addWidget(place)
        place.resize(1190, 770)
        place.show()
        place.graph_pane.view.animated = False
        session.open_path(path)
        qtbot.waitUntil(lambda: place.page is not None and not engine.jobs, timeout=120_000)
        made.append(place)
        return place

    yield opened
    for place in made:
        place.graph_pane._rest.stop()
        place.graph_pane.view._moving.stop()


@pytest.fixture
def carol(shared: Path, open_page: Opener) -> CommunitiesPlace:
    """A Christmas Carol: 529 entities, 978 relationships, 23/65/32/2 communities."""
    return open_page(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
