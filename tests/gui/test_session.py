"""The shared selection: one choice everywhere, no loops, and the index that was opened last."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from explorer.base.errors import InputError, OpenError
from explorer.gui.engine import Engine
from explorer.gui.loading import NoIndexYet
from explorer.gui.session import Citation, Session
from explorer.models.connection import Connection
from explorer.models.connections import remove_connection, save_connection
from tests.gui.conftest import small_index, small_layout


@pytest.fixture
def session(engine: Engine, qtbot) -> Session:
    session = Session(engine, opener=lambda path: small_index(name=path.name), layouter=small_layout)
    with qtbot.waitSignal(session.layout_ready):
        session.open_path(Path("one"))
    return session


def test_choosing_what_is_chosen_says_nothing(session: Session) -> None:
    said: list[object] = []
    session.community_chosen.connect(said.append)
    session.community_chosen.connect(session.choose_community)  # a view that answers by choosing the same
    session.choose_community(2)
    session.choose_community(2)
    session.choose_community(None)
    assert said == [2, None]


def test_communities_and_entities_have_the_rank_of_their_root(session: Session) -> None:
    assert [session.root_rank(number) for number in (0, 1, 2, 99)] == [0, 1, 0, -1]
    assert [session.entity_rank(name) for name in ("e0", "e2", "e3", "nobody")] == [0, 0, 1, -1]
    assert session.deepest_community("e0") == 2
    assert session.deepest_community("e2") == 0


def test_citations_choose_what_they_name(session: Session) -> None:
    session.open_citation(Citation("Entities", 3))
    assert session.entity == "e3"
    session.open_citation(Citation("Reports", 1))
    assert session.community == 1
    session.open_citation(Citation("Reports", 77))
    assert session.community == 1


def test_levels_are_those_of_the_index(session: Session) -> None:
    session.set_level(9)
    assert session.level == 1
    session.set_level(-3)
    assert session.level == 0


def test_the_path_that_was_asked_for_last_is_opened(engine: Engine, qtbot) -> None:
    gate = threading.Event()

    def opener(path: Path):
        if path.name == "slow":
            gate.wait(120)
        return small_index(name=path.name)

    session = Session(engine, opener=opener, layouter=small_layout)
    opened: list[str] = []
    session.index_opened.connect(lambda index: opened.append(index.name))
    session.open_path(Path("slow"))
    session.open_path(Path("fast"))
    qtbot.waitUntil(lambda: opened == ["fast"])
    gate.set()
    qtbot.waitUntil(lambda: not engine.jobs)
    assert opened == ["fast"] and session.index.name == "fast"


def test_what_cannot_be_opened_leaves_the_index_that_is_open(session: Session, qtbot) -> None:
    def refuse(path: Path):
        raise OpenError("It is of a newer version.")

    session._opener = refuse
    with qtbot.waitSignal(session.failed) as signal:
        session.open_path(Path("two"))
    assert signal.args == ["It is of a newer version."]
    assert session.index.name == "one"


def test_a_folder_without_an_index_is_handed_on(engine: Engine, qtbot, tmp_path: Path) -> None:
    def none(path: Path):
        raise NoIndexYet("no index")

    session = Session(engine, opener=none, layouter=small_layout)
    with qtbot.waitSignal(session.folder_wanted) as signal:
        session.open_path(tmp_path)
    assert signal.args == [tmp_path]


def test_closing_forgets_what_was_chosen(session: Session, qtbot) -> None:
    session.choose_community(1)
    session.choose_entity("e0")
    with qtbot.waitSignal(session.index_closed):
        session.close_index()
    assert (session.index, session.layout, session.community, session.entity) == (None, None, None, None)


def test_the_offline_analyst_is_used_until_another_connection_is_chosen(qapp, engine) -> None:
    session = Session(engine)
    assert session.connection_name == "offline"
    assert session.connection() is None


def test_a_chosen_connection_is_told_and_found_as_it_is_on_disk(qapp, engine) -> None:
    session = Session(engine)
    told: list[str] = []
    session.connection_changed.connect(told.append)
    save_connection(Connection(name="work", kind="openai", chat_model="gpt-4o"))
    session.use_connection("work")
    save_connection(Connection(name="work", kind="openai", chat_model="gpt-5"))
    session.use_connection("work")
    assert told == ["work", "work"]
    assert session.connection().chat_model == "gpt-5"
    remove_connection("work")
    with pytest.raises(InputError, match="no connection named 'work'"):
        session.connection()
