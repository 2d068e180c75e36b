"""A rehearsal: the real analyst and the real stages over some text units, with a stand-in where the model would be.

What comes after extraction depends on what is found: how many descriptions are to be joined, how many communities the
graph falls into, how long their contexts are, which are written from their children's reports. All of this is not
estimated by formulas but run through, with names and lengths made up as a model's habit has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.analysts.judgements import Extraction, UnitText
from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from explorer.corpus.material import TextUnit
from explorer.graph.leiden import find_hierarchy
from explorer.graph.network import build_network, check_network
from explorer.indexing.communities import build_communities
from explorer.indexing.options import IndexOptions
from explorer.indexing.reports import write_reports
from explorer.indexing.rows import graph_rows
from explorer.planning.stand_in import Rehearsed, StandIn

MakeAnalyst = Callable[[StandIn], Any]


@dataclass(frozen=True)
class Rehearsal:
    """What went by. `texts` are those of entities and reports that a vector would be made of (text units' own are
    known); `levels` the number of levels of communities."""

    calls: tuple[Rehearsed, ...]
    entities: int
    relationships: int
    reports: int
    levels: int
    texts: tuple[str, ...]


def read_units(analyst: Any, units: Sequence[TextUnit], scope: CancelScope) -> Extraction:
    """Extraction alone. Raises Cancelled."""
    texts = [UnitText(unit.id, unit.text, unit.document_id) for unit in units]
    extraction: Extraction = analyst.extract(texts, sink=ignore, scope=scope)
    return extraction


def rehearse(
    stand_in: StandIn,
    make_analyst: MakeAnalyst,
    units: Sequence[TextUnit],
    options: IndexOptions,
    max_input_tokens: int,
    scope: CancelScope,
) -> Rehearsal:
    """Run some text units through all stages that make calls, as indexing does.

    `make_analyst` gives the analyst that asks the stand-in; `max_input_tokens` is the budget of a report's context. The
    graph is clustered in this process, which is then held for a second: the window rehearses in one of its own. Raises
    Cancelled.
    """
    analyst = make_analyst(stand_in)
    extraction = read_units(analyst, units, scope)
    extraction = analyst.describe(extraction, sink=ignore, scope=scope)
    graph = graph_rows(extraction)
    ends = [(item.source, item.target, item.weight) for item in graph.relationships]
    network = build_network(ends, [entity.title for entity in graph.entities])
    check_network(network)
    scope.checkpoint()
    hierarchy = find_hierarchy(network, options.seed, options.max_cluster_size, options.use_lcc)
    communities = build_communities(hierarchy, graph, "")
    reports = write_reports(
        analyst, communities.rows, graph, units, max_input_tokens=max_input_tokens, sink=ignore, scope=scope
    )
    return Rehearsal(
        calls=tuple(stand_in.calls),
        entities=len(graph.entities),
        relationships=len(graph.relationships),
        reports=len(communities.rows),
        levels=len({row.level for row in communities.rows}),
        texts=(
            *(f"{entity.title}:{entity.description}" for entity in graph.entities),
            *(row.full_content for row in reports.rows),
        ),
    )
