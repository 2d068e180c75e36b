"""An index opened for reading: its tables as rows, read when they are first asked for, and lookups built once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.base.errors import OpenError
from explorer.tables import convert
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index_file import FILE_NAME, DamagedIndexFile, IndexInfo, load_info
from explorer.tables.locate import Located, locate, table_files
from explorer.tables.rows import (
    CommunityRow,
    DocumentRow,
    EntityRow,
    RelationshipRow,
    ReportRow,
    SpanRow,
    UnitRow,
)

if TYPE_CHECKING:
    import pandas as pd

OPTIONAL_TABLES = ("covariates",)
K = TypeVar("K")
R = TypeVar("R")


@dataclass(frozen=True)
class TableState:
    """What became of a table: "read", "missing" or "unreadable", with the number of its rows and the reason."""

    name: str
    state: str
    rows: int = 0
    reason: str = ""


class Index:
    """The tables of one index. Rows are in file order; a table that cannot be used is an empty list with a reason.

    Made by `open_index`. Reading is lazy; nothing is ever written to `output`.
    """

    def __init__(self, located: Located, info: IndexInfo | None, info_state: TableState | None = None) -> None:
        self.name = located.name
        self.folder = located.folder
        self.output = located.output
        self.home = located.home
        self.foreign = located.foreign
        self.info = info
        self._files = table_files(located.output)
        spans = located.home / "spans.parquet"
        if not located.foreign and spans.is_file():
            self._files["spans"] = spans
        self._states = {name: self._first_state(name) for name in GRAPHRAG_TABLES}
        if not located.foreign:
            self._states["spans"] = self._first_state("spans")
        if info_state is not None:
            self._states[info_state.name] = info_state

    @property
    def tables(self) -> list[TableState]:
        """The state of every table. A table that is opened but damaged inside turns "unreadable" when it is read."""
        return list(self._states.values())

    def state(self, name: str) -> TableState:
        """The state of one table. Raises KeyError for a name that is no table."""
        return self._states[name]

    def read_all(self) -> None:
        """Read every table, so that `tables` says all there is to say."""
        for name in ("entities", "relationships", "communities", "reports", "text_units", "documents", "spans"):
            getattr(self, name)

    @cached_property
    def entities(self) -> list[EntityRow]:
        return self._rows("entities", convert.entities)

    @cached_property
    def relationships(self) -> list[RelationshipRow]:
        return self._rows("relationships", convert.relationships)

    @cached_property
    def communities(self) -> list[CommunityRow]:
        return self._numbered("communities", convert.communities)

    @cached_property
    def reports(self) -> list[ReportRow]:
        communities = self.community_by_number
        return self._numbered("community_reports", lambda columns: convert.reports(columns, communities))

    @cached_property
    def text_units(self) -> list[UnitRow]:
        return self._rows("text_units", convert.text_units)

    @cached_property
    def documents(self) -> list[DocumentRow]:
        return self._rows("documents", convert.documents)

    @cached_property
    def spans(self) -> list[SpanRow]:
        return self._rows("spans", convert.spans) if "spans" in self._states else []

    @cached_property
    def entity_by_id(self) -> dict[str, EntityRow]:
        return _first(self.entities, lambda row: row.id)

    @cached_property
    def entity_by_number(self) -> dict[int, EntityRow]:
        return _first(self.entities, lambda row: row.number)

    @cached_property
    def entity_by_title(self) -> dict[str, EntityRow]:
        return _first(self.entities, lambda row: row.title)

    @cached_property
    def relationship_by_id(self) -> dict[str, RelationshipRow]:
        return _first(self.relationships, lambda row: row.id)

    @cached_property
    def relationship_by_number(self) -> dict[int, RelationshipRow]:
        return _first(self.relationships, lambda row: row.number)

    @cached_property
    def community_by_number(self) -> dict[int, CommunityRow]:
        return _first(self.communities, lambda row: row.community)

    @cached_property
    def report_by_community(self) -> dict[int, ReportRow]:
        """The first report of each community in file order."""
        return _first(self.reports, lambda row: row.community)

    @cached_property
    def unit_by_id(self) -> dict[str, UnitRow]:
        return _first(self.text_units, lambda row: row.id)

    @cached_property
    def unit_by_number(self) -> dict[int, UnitRow]:
        return _first(self.text_units, lambda row: row.number)

    @cached_property
    def document_by_id(self) -> dict[str, DocumentRow]:
        return _first(self.documents, lambda row: row.id)

    @cached_property
    def span_by_unit(self) -> dict[str, SpanRow]:
        return _first(self.spans, lambda row: row.text_unit_id)

    @cached_property
    def levels(self) -> list[int]:
        """The levels that have communities, ascending."""
        return sorted({row.level for row in self.communities})

    def columns(self, name: str) -> list[str]:
        """The column names that the file of a table has, in its order; [] where it is missing or unreadable."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if name not in self._files:
            return []
        try:
            return list(pq.read_schema(self._files[name]).names)
        except (OSError, pa.ArrowException):
            return []

    def frame(self, name: str) -> pd.DataFrame:
        """A table as a pandas DataFrame with the columns that the file has.

        Raises OpenError in one sentence where the table is missing or cannot be read.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        state = self._states.get(name)
        if name not in self._files or state is None or state.state != "read":
            reason = state.reason if state is not None else "there is no such table"
            raise OpenError(f"The table {name} of {self.name} cannot be used: {reason}.")
        try:
            frame: pd.DataFrame = pq.read_table(self._files[name]).to_pandas(ignore_metadata=True)
        except (OSError, pa.ArrowException) as error:
            raise OpenError(f"The table {name} of {self.name} cannot be read: {_short(error)}.") from error
        return frame

    def _first_state(self, name: str) -> TableState:
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self._files.get(name)
        if path is None:
            optional = " (it is optional)" if name in OPTIONAL_TABLES else ""
            return TableState(name, "missing", 0, f"there is no {name}.parquet{optional}")
        try:
            if path.stat().st_size == 0:
                return TableState(name, "unreadable", 0, f"{path.name} has 0 bytes")
            meta = pq.read_metadata(path)
            columns = set(meta.schema.to_arrow_schema().names)
        except (OSError, pa.ArrowException) as error:
            return TableState(name, "unreadable", 0, f"{path.name} is no parquet file: {_short(error)}")
        lacking = [column for column in convert.NEEDED[name] if column not in columns]
        if lacking:
            return TableState(name, "unreadable", meta.num_rows, f"{path.name} has no column {', '.join(lacking)}")
        return TableState(name, "read", meta.num_rows)

    def _columns(self, name: str) -> dict[str, list[Any]] | None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from explorer.tables.slices import values

        if self._states[name].state != "read":
            return None
        try:
            with pq.ParquetFile(self._files[name]) as file:
                table = file.read()  # read_table would import pandas, 0.3 s of every start
            return {column: values(table.column(position)) for position, column in enumerate(table.column_names)}
        except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
            reason = f"{self._files[name].name} is damaged: {_short(error)}"
            self._states[name] = replace(self._states[name], state="unreadable", reason=reason)
            return None

    def _rows(self, name: str, build: Callable[[dict[str, list[Any]]], list[R]]) -> list[R]:
        columns = self._columns(name)
        return [] if columns is None else build(columns)

    def _numbered(self, name: str, build: Callable[[dict[str, list[Any]]], tuple[list[R], int]]) -> list[R]:
        columns = self._columns(name)
        if columns is None:
            return []
        rows, left_out = build(columns)
        if left_out:
            reason = f"left out without a community number: {left_out} of {left_out + len(rows)} rows"
            self._states[name] = replace(self._states[name], reason=reason)
        return rows


def open_index(path: Path, *, index_dir: Path | None = None) -> Index:
    """Open the index that `path` means (see `locate`) for reading.

    Raises OpenError in one sentence: there is no index, it is of a newer schema, or no table of it can be used.
    """
    located = locate(Path(path), index_dir)
    info: IndexInfo | None = None
    info_state: TableState | None = None
    if not located.foreign:
        try:
            info = load_info(located.home)
        except DamagedIndexFile as error:
            info_state = TableState(FILE_NAME, "unreadable", 0, error.sentence)
    index = Index(located, info, info_state)
    if not any(state.state == "read" for state in index.tables):
        reasons = "; ".join(state.reason for state in index.tables if state.state == "unreadable")
        raise OpenError(f"No table in {located.output} can be used ({reasons}); nothing was changed.")
    return index


def _first(rows: Iterable[R], key: Callable[[R], K]) -> dict[K, R]:
    found: dict[K, R] = {}
    for row in rows:
        found.setdefault(key(row), row)
    return found


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
