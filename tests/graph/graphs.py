"""Readers of the graphs in the shared test material."""

from __future__ import annotations

import csv
from pathlib import Path

from explorer.graph.network import Network, build_network

Row = tuple[str, str, float | None]


def read_rows(folder: Path, name: str) -> tuple[list[Row], list[str], dict[str, str]]:
    """Relationships, node names and labels of one graph."""
    with (folder / f"{name}.edges.csv").open(encoding="utf-8", newline="") as handle:
        rows: list[Row] = [
            (row["source"], row["target"], float(row["weight"]) if row.get("weight") else None)
            for row in csv.DictReader(handle)
        ]
    with (folder / f"{name}.nodes.csv").open(encoding="utf-8", newline="") as handle:
        nodes = list(csv.DictReader(handle))
    return rows, [node["node"] for node in nodes], {node["node"]: node.get("label") or "" for node in nodes}


def read_network(folder: Path, name: str) -> Network:
    rows, nodes, _ = read_rows(folder, name)
    return build_network(rows, nodes)
