"""The action that finds communities in an index without any; they are kept with the user's own data."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.session import Session
from explorer.gui.words import count

ACTION = "index.cluster"


class CommunityFinder(QObject):
    """Offers the action while an index without communities is open, and opens the index again once they are found."""

    def __init__(
        self, session: Session, engine: Engine, actions: ActionRegistry, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._engine = session, engine
        self._action = actions.add(
            ACTION, "Find communities", self._find, category="Index",
            tip="Group the entities by their relationships; kept with your own data, the folder is not changed",
        )  # fmt: skip
        session.index_opened.connect(self._offer)
        session.index_closed.connect(lambda: self._offer(None))
        self._offer(None)

    def _offer(self, index: Any) -> None:
        from explorer.tables.clustered import can_be_clustered

        useful = index is not None and can_be_clustered(index)
        self._action.setEnabled(useful)
        self._action.setVisible(useful)

    def _find(self) -> None:
        from explorer.graph.cluster_index import cluster_index

        index = self._session.index
        if index is None:
            return
        self._action.setEnabled(False)
        self._engine.run(
            lambda sink, scope: cluster_index(index, scope),
            name="Finding communities",
            on_done=lambda number: self._found(index, number),
            on_error=self._failed,
            on_cancelled=lambda: self._offer(self._session.index),
        )

    def _found(self, index: Any, number: int) -> None:
        self._session.notice.emit(
            f"{count(number, 'community was', 'communities were')} found in the relationships of {index.name} and kept "
            "with your own data; the folder was not changed."
        )
        if index is self._session.index:
            self._session.open_path(index.output)

    def _failed(self, sentence: str) -> None:
        self._session.failed.emit(sentence)
        self._offer(self._session.index)
