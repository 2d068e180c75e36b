"""Hierarchical Leiden: the communities of a graph and, level by level, the communities inside them.

Level 0 partitions the whole graph. A community with at least `max_cluster_size` entities is cut out and partitioned
again by the modularity of its own inner weight; what does not fall apart stays whole, whatever its size. A community
that was not split does not appear again deeper down. These are the semantics of GraphRAG's communities table.

An index that is renewed may start from its old communities: each level begins with the old ones, one optimisation goes
on from there, and what nothing moves stays as it was, and with it the report that was paid for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.processes import run_in_process
from explorer.graph.network import Network, check_network, modularity
from explorer.graph.old_communities import OldCommunities, Start
from explorer.graph.partition import Edge, describe, effort, library, partition

DEFAULT_SEED = 0xDEADBEEF
ISOLATED = "entity_without_relationship"
OUTSIDE_LCC = "entity_outside_largest_component"
FRESH, OLD = "fresh", "old communities"


@dataclass(frozen=True)
class Cluster:
    """A community: its number, level (0 is coarsest), parent's number (−1 at level 0) and sorted member titles."""

    community: int
    level: int
    parent: int
    titles: tuple[str, ...]


@dataclass(frozen=True)
class Hierarchy:
    """All communities of a graph.

    `clusters` are in ascending order of their numbers: level by level, within a level by parent, then by size
    (descending), then by smallest title. `modularity` is that of level 0 on the graph that was clustered (the
    largest component with `use_lcc`); `runs` the seeded runs of which level 0 is the best; `dropped` the network's
    counts and how many titles are in no community, by reason. `start` is "fresh" or "old communities"; with the latter
    `joined` counts the titles that were in no old community of level 0 and began in one, `alone` those that did not.
    """

    clusters: tuple[Cluster, ...]
    modularity: float
    algorithm: str
    runs: int
    seed: int
    dropped: dict[str, int] = field(default_factory=dict)
    start: str = FRESH
    joined: int = 0
    alone: int = 0


def cluster(
    network: Network,
    *,
    seed: int = DEFAULT_SEED,
    max_cluster_size: int = 10,
    use_lcc: bool = False,
    start: Start | None = None,
    scope: CancelScope | None = None,
) -> Hierarchy:
    """Cluster a network in a spawned process of low priority and wait for the result.

    The same network, seed and options give the same hierarchy in every process. `use_lcc` clusters the largest
    connected component only (of equally large ones the one with the smallest title). `start` holds the old community
    of each title, one mapping a level: the modularity of the result is not below that of the old membership.

    Raises InputError for a weight or size that cannot be used, Cancelled where the scope ended first.
    """
    if max_cluster_size < 1:
        raise InputError(f"max_cluster_size is {max_cluster_size}; it must be at least 1. Nothing was clustered.")
    check_network(network)
    if not network.edges:
        return find_hierarchy(network, seed, max_cluster_size, use_lcc, start)
    return run_in_process(find_hierarchy, network, seed, max_cluster_size, use_lcc, start, scope=scope)


def find_hierarchy(
    network: Network, seed: int, max_cluster_size: int, use_lcc: bool, start: Start | None = None
) -> Hierarchy:
    """What `cluster` does, in the calling process. It holds the interpreter: for worker processes and tests."""
    dropped = dict(network.dropped)
    nodes = sorted({end for i, j, _ in network.edges for end in (i, j)})
    _count(dropped, ISOLATED, len(network.titles) - len(nodes))
    if use_lcc:
        kept = _largest_component(nodes, network.edges)
        _count(dropped, OUTSIDE_LCC, len(nodes) - len(kept))
        nodes = kept
    edges = _induced([nodes], network.edges)[0]
    name = library(len(edges))
    runs, _ = effort(len(edges))
    old = OldCommunities(network.titles, start or ())

    clusters: list[Cluster] = []
    membership: list[int | None] = [None] * len(network.titles)
    pending: list[tuple[int, list[int]]] = []  # (parent, members) of communities found and not yet numbered
    if nodes:
        pending = [(-1, part) for part in _split(nodes, edges, seed, name, old, 0)]
    level = 0
    while pending:
        large: list[tuple[int, list[int]]] = []
        for parent, members in sorted(pending, key=lambda item: (item[0], -len(item[1]), item[1][0])):
            number = len(clusters)
            clusters.append(Cluster(number, level, parent, tuple(network.titles[node] for node in members)))
            if level == 0:
                for node in members:
                    membership[node] = number
            if len(members) >= max_cluster_size:
                large.append((number, members))
        pending = []
        subgraphs = _induced([members for _, members in large], network.edges)
        for (number, members), inner in zip(large, subgraphs, strict=True):
            parts = _split(members, inner, seed, name, old, level + 1)
            if len(parts) > 1:
                pending.extend((number, part) for part in parts)
        level += 1
    return Hierarchy(
        clusters=tuple(clusters),
        modularity=_modularity_of(network, edges, membership),
        algorithm=describe(name, len(edges)),
        runs=1 if old.used else runs,
        seed=seed,
        dropped=dict(sorted(dropped.items())),
        start=OLD if old.used else FRESH,
        joined=old.joined,
        alone=old.alone,
    )


def _split(
    members: list[int], edges: list[Edge], seed: int, name: str, old: OldCommunities, level: int
) -> list[list[int]]:
    """Parts of `members` (ascending node numbers), each ascending; one part where nothing joins them."""
    local = {node: position for position, node in enumerate(members)}
    inner = [(local[i], local[j], weight) for i, j, weight in edges]
    if not inner:
        return [members]
    start = old.membership(members, inner, level)
    parts = partition(len(members), inner, seed=seed, name=name, whole=level == 0, start=start)
    return [[members[position] for position in part] for part in parts]


def _induced(groups: list[list[int]], edges: tuple[Edge, ...]) -> list[list[Edge]]:
    """The edges inside each of some disjoint groups of nodes, sorted as they were."""
    group_of = {node: number for number, group in enumerate(groups) for node in group}
    inside: list[list[Edge]] = [[] for _ in groups]
    for edge in edges:
        number = group_of.get(edge[0])
        if number is not None and group_of.get(edge[1]) == number:
            inside[number].append(edge)
    return inside


def _largest_component(nodes: list[int], edges: tuple[Edge, ...]) -> list[int]:
    """Nodes of the largest connected component, ascending; of equals the one that holds the smallest node."""
    leader = {node: node for node in nodes}

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for i, j, _ in edges:
        first, second = sorted((find(i), find(j)))
        leader[second] = first
    components: dict[int, list[int]] = {}
    for node in nodes:
        components.setdefault(find(node), []).append(node)
    return max(components.values(), key=lambda found: (len(found), -found[0]), default=[])


def _modularity_of(network: Network, edges: list[Edge], membership: list[int | None]) -> float:
    return modularity(Network(network.titles, tuple(edges)), membership)


def _count(dropped: dict[str, int], name: str, number: int) -> None:
    if number:
        dropped[name] = dropped.get(name, 0) + number
