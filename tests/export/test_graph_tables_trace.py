"""Graph, tables and traces read back by networkx, igraph, csv and json."""

from __future__ import annotations

import asyncio
import csv
import json
import math
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.errors import InputError
from explorer.base.events import Event
from explorer.cli import main
from explorer.export.graph_graphml import export_graph
from explorer.export.tables_csv import export_tables
from explorer.export.trace_json import export_trace, find_run
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.search.runs import save_run
from explorer.search.trace import Trace
from explorer.tables.index import Index, open_index
from export.hostile_index import CHINESE, TITLE, make_index


def sentences(events: list[Event]) -> str:
    return " ".join(getattr(event, "sentence", "") for event in events)


def test_graphml_opens_in_networkx_and_igraph(tmp_path: Path) -> None:
    import igraph

    said: list[Event] = []
    path = export_graph(make_index(tmp_path), tmp_path / "g.graphml", sink=said.append)
    graph = nx.read_graphml(path)
    nodes = {data["title"]: data for _, data in graph.nodes(data=True)}
    assert set(nodes) == {TITLE, "BELL", "HARBOUR", CHINESE}  # without the characters that XML cannot hold
    assert nodes[TITLE]["type"] == "thing" and nodes[TITLE]["degree"] == 2
    assert [nodes[TITLE][f"community_{level}"] for level in (0, 1, 2)] == [0, 1, 3]
    assert "community_1" not in nodes[CHINESE] and nodes[CHINESE]["community_0"] == 7
    weights = sorted(data.get("weight", -1.0) for *_, data in graph.edges(data=True))
    assert weights == [-1.0, 0.1, 2.5]  # A–B and B–A stay two edges; NaN has none
    assert not graph.is_directed()
    other = igraph.Graph.Read_GraphML(str(path))
    assert (other.vcount(), other.ecount(), other.is_directed()) == (4, 3, False)
    assert set(other.vs["title"]) == set(nodes)
    assert sorted(weight for weight in other.es["weight"] if not math.isnan(weight)) == [0.1, 2.5]
    assert "1 relationship names an entity" in sentences(said) and "no finite weight" in sentences(said)


def test_graphml_of_a_community_and_of_a_real_index(shared: Path, tmp_path: Path) -> None:
    small = nx.read_graphml(export_graph(make_index(tmp_path), tmp_path / "g.graphml", 1))
    assert small.number_of_nodes() == 2
    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    graph = nx.read_graphml(export_graph(index, tmp_path / "v.graphml"))
    assert graph.number_of_nodes() == 529
    with pytest.raises(InputError, match="no community 4711"):
        export_graph(index, tmp_path / "v.graphml", 4711)


def test_tables_keep_their_values(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    written = export_tables(index, tmp_path / "csv")
    assert {path.name for path in written} == {
        f"{name}.csv"
        for name in ("entities", "relationships", "communities", "community_reports", "text_units", "documents")
    }
    with (tmp_path / "csv" / "entities.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert rows[0]["title"] == TITLE and rows[1]["title"] == "BELL\x07\x00\uffff"
    assert json.loads(rows[0]["text_unit_ids"]) == ["u0"]
    with (tmp_path / "csv" / "relationships.csv").open(encoding="utf-8", newline="") as handle:
        weights = [row["weight"] for row in csv.DictReader(handle)]
    assert weights == ["2.5", "0.1", "NaN", "1.0"]
    documents = (tmp_path / "csv" / "documents.csv").read_text("utf-8").splitlines()
    assert documents[1].startswith("d0,0,=HYPERLINK(1).txt,x,")


def test_tables_of_a_real_index_against_pandas(shared: Path, tmp_path: Path) -> None:
    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    export_tables(index, tmp_path)
    for name in ("entities", "relationships", "text_units", "covariates"):
        truth = index.frame(name)
        read = pd.read_csv(tmp_path / f"{name}.csv", keep_default_na=False, dtype=str)
        assert list(read.columns) == list(truth.columns) and len(read) == len(truth)
        assert list(read["id"]) == list(truth["id"])
    weights = pd.read_csv(tmp_path / "relationships.csv")["weight"]
    assert list(weights) == list(index.frame("relationships")["weight"])


def test_tables_of_csv_and_of_old_names_are_exported(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes" / "microsoft" / "dulce-v0.5.0"
    (tmp_path / "index").mkdir()
    for path in source.glob("*.parquet"):
        pd.read_parquet(path).to_csv(tmp_path / "index" / f"{path.stem}.csv", index=False, sep=";")
    export_tables(open_index(source), tmp_path / "of parquet")
    export_tables(open_index(tmp_path / "index"), tmp_path / "of csv")
    for name in ("entities", "relationships", "text_units", "community_reports"):
        first, second = (
            pd.read_csv(tmp_path / folder / f"{name}.csv", keep_default_na=False, dtype=str)
            for folder in ("of parquet", "of csv")
        )
        assert list(first.columns) == list(second.columns) and list(first["id"]) == list(second["id"])


def test_a_damaged_table_is_named_and_the_others_are_written(shared: Path, tmp_path: Path) -> None:
    for path in (shared / "indexes" / "microsoft" / "dulce-v3.0.0").glob("*.parquet"):
        data = path.read_bytes()
        if path.name == "entities.parquet":
            data = data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :]
        (tmp_path / path.name).write_bytes(data)
    said: list[Event] = []
    written = export_tables(open_index(tmp_path), tmp_path / "csv", sink=said.append)
    assert "entities.parquet is damaged" in sentences(said)
    assert "entities.csv" not in {path.name for path in written} and len(written) == 6
    assert {path.name for path in written} == {path.name for path in (tmp_path / "csv").iterdir()}


def test_tables_are_not_written_among_those_of_the_index(shared: Path) -> None:
    output = shared / "indexes" / "microsoft" / "dulce-v3.0.0"
    with pytest.raises(InputError, match="itself"):
        export_tables(open_index(output), output)


def test_tables_need_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        export_tables(make_index(tmp_path), tmp_path / "file")


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Index, Trace, Path]:
    index = make_index(tmp_path)
    analyst = ScriptedAnalyst([Said(points(("王 found it", 90)))])
    trace = asyncio.run(global_search(index, "What is there?", analyst, GlobalOptions()))
    return index, trace, save_run(index, trace)


def test_a_trace_is_written_as_it_was(asked: tuple[Index, Trace, Path], tmp_path: Path) -> None:
    index, trace, kept = asked
    for name in ("last", kept.name, kept.stem, kept.stem[:12], str(kept)):
        path = export_trace(index, name, tmp_path / "t.json")
        assert Trace.model_validate_json(path.read_text("utf-8")) == trace
    assert "王 found it" in path.read_text("utf-8")
    with pytest.raises(InputError, match="no run 'nothing'"):
        find_run(index, "nothing")


def test_the_command_writes_and_names_its_files(
    asked: tuple[Index, Trace, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(asked[0].output)
    for what, name in (("--reports", "r.html"), ("--graph", "g.graphml"), ("--tables", "csv")):
        assert main(["export", source, what, "--out", str(tmp_path / name), "--json"]) == 0
        written = [Path(path) for path in json.loads(capsys.readouterr().out)["written"]]
        assert written and all(path.is_file() for path in written)
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")  # the ending names the format
    assert main(["export", source, "--trace", "last", "--format", "json", "--out", str(tmp_path / "t.json")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 't.json'}\n"


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--reports", "--format", "odt"], "md, html, pdf"),
        (["--reports", "--community", "99"], "no community 99"),
        (["--tables", "--community", "1"], "--community goes with"),
        (["--trace", "gone"], "no run"),
        (["--graph", "--format", "gexf"], "graphml"),
        (["--reports", "--out", "r.docx"], "r.docx ends otherwise"),
    ],
)
def test_the_command_says_what_it_cannot_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: list[str], said: str
) -> None:
    index = make_index(tmp_path)
    assert main(["export", str(index.output), "--out", str(tmp_path / "x"), *extra]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert not (tmp_path / "x").exists()


def test_an_index_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path / "no"), "--graph", "--out", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
