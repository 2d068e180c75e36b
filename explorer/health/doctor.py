"""The check-up of a machine or an index: every check in turn, nothing is changed."""

from __future__ import annotations

import re
from pathlib import Path

from explorer import __version__
from explorer.health.content import check_content
from explorer.health.links import check_links
from explorer.health.losses import find_losses
from explorer.health.machine import machine_defects
from explorer.health.membership import check_membership, remark_on_entities
from explorer.health.report import CheckUp, Defect, TableLine
from explorer.health.shape import check_shape
from explorer.health.store import sound_database
from explorer.health.values import check_values
from explorer.health.vectors import check_vectors
from explorer.health.written import check_written
from explorer.models.call_store import CALLS_NAME
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index import OPTIONAL_TABLES, Index, open_index
from explorer.tables.slices import give_back

_ROWS = {"community_reports": "reports", "covariates": "claims"}  # tables whose rows bear another name
_CUT = re.compile(r"the text of (\d+) lists?")
RENEW = "Index the folder again."


def check_machine() -> CheckUp:
    """What this machine lacks."""
    return CheckUp(version=__version__, defects=machine_defects())


def check_index(path: Path, *, index_dir: Path | None = None) -> CheckUp:
    """What is wrong in an index. Raises OpenError where it cannot be opened at all."""
    index = open_index(path, index_dir=index_dir)
    index.read_all()
    give_back()
    defects = [
        *_joined(_check_tables(index)),
        *check_membership(index),
        *check_links(index),
        *check_shape(index),
        *check_content(index),
        *check_values(index),
        *check_written(index),
    ]
    lines = []
    for state in index.tables:
        reason = state.reason
        if state.name == "entities":
            reason = "; ".join(filter(None, (reason, remark_on_entities(index))))
        lines.append(TableLine(name=state.name, state=state.state, rows=state.rows, reason=reason))
    vectors, wrong = check_vectors(index)
    lines.append(vectors)
    defects += wrong
    return CheckUp(
        version=index.version,
        made_by=index.version_words if index.foreign else f"GraphRAG Explorer, in the schema of {index.version_words}",
        path=str(index.output),
        other_runs=[str(other) for other in index.others],
        tables=lines,
        defects=defects,
        losses=find_losses(index),
        notes=list(index.settings.notes) if index.settings is not None else [],
    )


def _check_tables(index: Index) -> list[Defect]:
    defects = []
    for state in index.tables:
        remedy = RENEW if not index.foreign else "Take the table from where the index was made, or index the documents."
        if state.state == "unreadable":
            defects.append(Defect(kind="table_unreadable", count=1, example=state.reason, remedy=remedy))
        elif state.state == "missing" and state.name not in OPTIONAL_TABLES:
            defects.append(Defect(kind="table_missing", count=1, example=state.reason, remedy=remedy))
        elif state.state == "read" and state.name in GRAPHRAG_TABLES:
            left_out = state.rows - len(getattr(index, _ROWS.get(state.name, state.name)))
            if left_out > 0:
                example = f"{state.name}: {state.reason}"
                defects.append(Defect(kind="rows_left_out", count=left_out, example=example, remedy=remedy))
            elif not state.rows and index.foreign and state.name not in OPTIONAL_TABLES:
                beside = ", and there are entities" if index.state("entities").rows else ""
                example = f"{state.name} has no row{beside}"
                defects.append(Defect(kind="table_empty", count=1, example=example, remedy=remedy))
        cut = _CUT.findall(state.reason) if state.state == "read" else []
        if cut:
            count = sum(map(int, cut))
            defects.append(
                Defect(kind="list_cut_off", count=count, example=f"{state.name}: {state.reason}", remedy=remedy)
            )
    if index.old_names:
        defects.append(
            Defect(
                kind="tables_of_two_runs",
                count=len(index.old_names),
                example=f"{index.old_names[0]} beside tables with names of 2.0 and later",
                remedy="Take all tables from the same run.",
            )
        )
    if not index.foreign and not sound_database(index.home / CALLS_NAME):
        defects.append(
            Defect(
                kind="calls_damaged",
                count=1,
                example=f"{CALLS_NAME} cannot be read: it is no SQLite file",
                remedy="Move it away and index the folder again: the calls in it will be made again.",
            )
        )
    if not index.foreign and index.info is not None and not index.info.complete:
        defects.append(
            Defect(
                kind="not_finished",
                count=1,
                example="the last run was stopped before its end",
                remedy="Start indexing again: it goes on where it stopped.",
            )
        )
    return defects


def _joined(defects: list[Defect]) -> list[Defect]:
    """One line a kind, that names every table."""
    found: dict[str, Defect] = {}
    for defect in defects:
        known = found.setdefault(defect.kind, defect)
        if known is not defect:
            known.count += defect.count
            known.example += f"; {defect.example}"
    return list(found.values())
