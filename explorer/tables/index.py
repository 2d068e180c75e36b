"""An index opened for reading: its tables as rows, read when they are first asked for, and lookups built once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.base.errors import OpenError
from explorer.tables import convert
from explorer.tables.clustered import REMARK as CLUSTERED
from explorer.tables.clustered import clustered_file
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.filled_in import Filled, filled_in, filled_notes
from explorer.tables.index_file import FILE_NAME, DamagedIndexFile, IndexInfo, load_info
from explorer.tables.lists import cut_notes
from explorer.tables.locate import Located, locate
from explorer.tables.lookups import first_by
from explorer.tables.older import communities_from_nodes, modern_columns
from explorer.tables.read_columns import (
    DamagedTable,
    Shape,
    arrow_columns,
    parquet_frame,
    some_columns,
    table_columns,
    table_shape,
)
from explorer.tables.rows import (
    ClaimRow,
    CommunityRow,
    DocumentRow,
    EntityRow,
    RelationshipRow,
    ReportRow,
    SpanRow,
    UnitRow,
)
from explorer.tables.settings import GraphragSettings, settings_of_index
from explorer.tables.sources import NODES, TableFile, find_tables
from explorer.tables.states import NEEDED, TableState, has_column, missed_columns, missing_table, reasons, standing_note
from explorer.tables.version import WORDS, schema_version

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from explorer.tables.memberships import Memberships

OPTIONAL_TABLES = ("covariates",)
R = TypeVar("R")


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
        self.others = located.others
        self._root = located.root
        self._files = find_tables(located.output)
        spans = located.home / "spans.parquet"
        if not located.foreign and spans.is_file():
            self._files["spans"] = TableFile("spans", spans, "parquet", False)
        self._clustered = False
        if located.foreign and "communities" not in self._files and NODES not in self._files:
            found = clustered_file(located.home, self._files)
            if found is not None:
                self._files["communities"], self._clustered = found, True
        self._shapes = {name: table_shape(file) for name, file in self._files.items()}
        self._faults: dict[str, str] = {}
        self._raw: dict[str, dict[str, list[Any]] | None] = {}
        self._left_out: dict[str, int] = {}
        self._notes: dict[str, tuple[str, ...]] = {}
        self.filled: dict[str, list[Filled]] = {}  # of the tables that were read, what their rows do not say
        names = [*GRAPHRAG_TABLES, *([NODES] if self._has_nodes() else []), *([] if located.foreign else ["spans"])]
        self._states = {name: self._first_state(name) for name in names}
        if info_state is not None:
            self._states[info_state.name] = info_state

    @cached_property
    def settings(self) -> GraphragSettings | None:
        """What the settings.yaml of a project made for GraphRAG says; None without one."""
        return settings_of_index(self._root, self.output, self.folder)

    @property
    def version(self) -> str:
        """The schema of the tables, a key of `explorer.tables.version.WORDS` ("3", "2.3", "2.0", "1.0" …)."""
        return schema_version(self._files, lambda name: self._shapes.get(name, Shape()).columns)

    @property
    def version_words(self) -> str:
        """The versions of GraphRAG that write such tables, in words."""
        return WORDS[self.version]

    @property
    def old_names(self) -> tuple[str, ...]:
        """Files that bear a name from before 2.0 where others bear today's: tables of two runs stand side by side."""
        old = tuple(file.path.name for name, file in self._files.items() if file.legacy and name != NODES)
        return old if any(not file.legacy and name in GRAPHRAG_TABLES for name, file in self._files.items()) else ()

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
        _ = self.claims

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
    def claims(self) -> list[ClaimRow]:
        return self._rows("covariates", convert.claims)

    @cached_property
    def documents(self) -> list[DocumentRow]:
        return self._rows("documents", convert.documents)

    @cached_property
    def spans(self) -> list[SpanRow]:
        return self._rows("spans", convert.spans) if "spans" in self._states else []

    @cached_property
    def entity_by_id(self) -> dict[str, EntityRow]:
        return first_by(self.entities, lambda row: row.id)

    @cached_property
    def entity_by_number(self) -> dict[int, EntityRow]:
        return first_by(self.entities, lambda row: row.number)

    @cached_property
    def entity_by_title(self) -> dict[str, EntityRow]:
        return first_by(self.entities, lambda row: row.title)

    @cached_property
    def relationship_by_id(self) -> dict[str, RelationshipRow]:
        return first_by(self.relationships, lambda row: row.id)

    @cached_property
    def relationship_by_number(self) -> dict[int, RelationshipRow]:
        return first_by(self.relationships, lambda row: row.number)

    @cached_property
    def community_by_number(self) -> dict[int, CommunityRow]:
        return first_by(self.communities, lambda row: row.community)

    @cached_property
    def report_by_community(self) -> dict[int, ReportRow]:
        """The first report of each community in file order."""
        return first_by(self.reports, lambda row: row.community)

    @cached_property
    def unit_by_id(self) -> dict[str, UnitRow]:
        return first_by(self.text_units, lambda row: row.id)

    @cached_property
    def unit_by_number(self) -> dict[int, UnitRow]:
        return first_by(self.text_units, lambda row: row.number)

    @cached_property
    def document_by_id(self) -> dict[str, DocumentRow]:
        return first_by(self.documents, lambda row: row.id)

    @cached_property
    def span_by_unit(self) -> dict[str, SpanRow]:
        return first_by(self.spans, lambda row: row.text_unit_id)

    @cached_property
    def levels(self) -> list[int]:
        """The levels that have communities, ascending."""
        return sorted({row.level for row in self.communities})

    @cached_property
    def memberships(self) -> Memberships | None:
        """Who is in which community, as arrays; None where the tables are not plain enough for it."""
        from explorer.tables.kept_memberships import kept_memberships
        from explorer.tables.memberships import memberships_of_rows, read_memberships

        if {"entities", "communities"} <= set(vars(self)):
            return memberships_of_rows(self)
        return kept_memberships(self, read_memberships)

    def columns(self, name: str) -> list[str]:
        """The column names that the file of a table has, in its order; [] where it is missing or unreadable."""
        return list(self._shapes.get(name, Shape()).columns)

    def may_be_null(self, name: str, column: str) -> bool:
        """Whether the head of a parquet file leaves it open that a column has empty cells."""
        return column in self._shapes.get(name, Shape()).nullable

    def some_columns(self, name: str, wanted: Collection[str]) -> dict[str, list[Any]] | None:
        """Those of the wanted columns that a table has, without reading the others; None where the table cannot be
        used, or is of an old naming, a csv file or one with names in other case, which are read whole.
        """
        file = self._modern(name)
        if file is None:
            return None
        try:
            return some_columns(file, wanted)
        except DamagedTable:
            return None  # whoever reads the whole table says why

    def plain_file(self, name: str) -> Path | None:
        """The file of a table that `some_columns` can be asked of, or the folder of its parts; None for another."""
        file = self._modern(name)
        return None if file is None else file.path

    def arrow(self, name: str, wanted: Collection[str]) -> pa.Table | None:
        """The same as an Arrow table."""
        file = self._modern(name)
        if file is None:
            return None
        try:
            return arrow_columns(file.path, wanted)
        except DamagedTable:
            return None

    def _modern(self, name: str) -> TableFile | None:
        file, state = self._files.get(name), self._states.get(name)
        if file is None or state is None or state.state != "read" or file.legacy or file.kind != "parquet":
            return None
        if not self._shapes[name].plain:
            return None
        return file

    def frame(self, name: str) -> pd.DataFrame:
        """A table as a pandas DataFrame with the columns that the file has, under today's names.

        Raises OpenError in one sentence where the table is missing or cannot be read.
        """
        state, file = self._states.get(name), self._files.get(name)
        if file is None or state is None or state.state != "read":
            reason = state.reason if state is not None else "there is no such table"
            raise OpenError(f"The table {name} of {self.name} cannot be used: {reason}.")
        if file.legacy or file.kind == "csv" or not self._shapes[name].plain:
            import pandas as pd

            columns = self._columns(name)
            if columns is None:
                raise OpenError(f"The table {name} of {self.name} cannot be read: {self._states[name].reason}.")
            return pd.DataFrame(columns)
        try:
            return parquet_frame(file.path)
        except DamagedTable as error:
            raise OpenError(f"The table {name} of {self.name} cannot be read: {error}.") from error

    def _first_state(self, name: str) -> TableState:
        file, shape = self._files.get(name), self._shapes.get(name, Shape())
        if file is None:
            if name == "communities" and NODES in self._files and not self._shapes[NODES].fault:
                found = self._columns_of_nodes()
                if found is not None:
                    return TableState(name, "read", len(found["community"]), "derived from create_final_nodes")
            return missing_table(name, optional=name in OPTIONAL_TABLES)
        if shape.fault:
            return TableState(name, "unreadable", 0, shape.fault)
        needed = NEEDED.get(name, ())
        lacking = [column for column in needed if not has_column(shape.columns, column, legacy=file.legacy)]
        if lacking:
            reason = f"{file.path.name} has no column {', '.join(lacking)}"
            return TableState(name, "unreadable", shape.rows or 0, reason)
        rows = shape.rows
        if rows is None:  # the rows of a csv table are known when it has been read
            raw = self._read_raw(name)
            if raw is None:
                return TableState(name, "unreadable", 0, self._faults[name])
            rows = len(next(iter(raw.values()), [])) + self._left_out.get(name, 0)
        notes = standing_note(file)
        if name == "communities" and self._clustered:
            notes.append(CLUSTERED)
        if shape.remark:
            notes.append(shape.remark)
        notes += missed_columns(name, shape.columns, legacy=file.legacy)
        if file.kind == "csv":
            notes += [*self._notes.get(name, ()), *cut_notes(self._read_raw(name) or {})]
        return TableState(name, "read", rows, "; ".join(notes))

    def _columns(self, name: str) -> dict[str, list[Any]] | None:
        if self._states[name].state != "read":
            return None
        file = self._files.get(name)
        if file is None:
            return self._columns_of_nodes()
        raw = self._read_raw(name)
        if raw is None:
            self._states[name] = replace(self._states[name], state="unreadable", reason=self._faults[name])
            return None
        if file.kind != "csv":  # what is said of a csv table was said when it was opened
            self._remark(name, (*self._notes.get(name, ()), *cut_notes(raw)))
        found = modern_columns(name, dict(raw), self._read_raw) if file.legacy else raw
        self.filled[name] = filled_in(name, found)
        self._remark(name, filled_notes(self.filled[name]))
        return found

    def _columns_of_nodes(self) -> dict[str, list[Any]] | None:
        nodes = self._read_raw(NODES)
        return None if nodes is None else communities_from_nodes(nodes, self._read_raw)

    def _read_raw(self, name: str) -> dict[str, list[Any]] | None:
        """The columns of a file as they are; kept only of old tables, where several tables are made from one file."""
        if name in self._raw:
            return self._raw[name]
        file = self._files.get(name)
        found: dict[str, list[Any]] | None = None
        if file is not None and not self._shapes[name].fault:
            try:
                read = table_columns(file)
                found = read.values
                self._left_out[name], self._notes[name] = read.left_out, read.notes
            except DamagedTable as error:
                self._faults[name] = f"{file.path.name} is damaged: {error}"
            if file.legacy or file.kind == "csv":
                self._raw[name] = found
        return found

    def _rows(self, name: str, build: Callable[[dict[str, list[Any]]], list[R]]) -> list[R]:
        columns = self._columns(name)
        return [] if columns is None else build(columns)

    def _numbered(self, name: str, build: Callable[[dict[str, list[Any]]], tuple[list[R], tuple[str, ...]]]) -> list[R]:
        columns = self._columns(name)
        if columns is None:
            return []
        rows, notes = build(columns)
        self._remark(name, notes)
        return rows

    def _remark(self, name: str, notes: Sequence[str]) -> None:
        """Add to what is said of a table, once."""
        state = self._states[name]
        new = [note for note in notes if note not in state.reason]
        if new:
            self._states[name] = replace(state, reason="; ".join([state.reason, *new] if state.reason else new))

    def _has_nodes(self) -> bool:
        """Whether there is a table of nodes, or ought to be: entities before 2.0 have their degrees there."""
        entities = self._files.get("entities")
        if NODES in self._files or entities is None or not entities.legacy:
            return NODES in self._files
        return not self._shapes["entities"].fault and "degree" not in self._shapes["entities"].columns


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
        raise OpenError(f"No table in {located.output} can be used ({reasons(index.tables)}); nothing was changed.")
    return index
