"""Runs are kept beside the index and found again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.errors import InputError
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.search.runs import list_runs, load_run, save_run
from search.small_index import make_index


def test_a_saved_run_is_listed_and_loaded(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    for question in ('First ,"reports":[ question?', "Second?"):
        analyst = ScriptedAnalyst([Said(points(("a", 1)))])
        trace = asyncio.run(global_search(index, question, analyst, GlobalOptions()))
        path = save_run(index, trace)
        assert path.parent == index.home / "runs"
        assert load_run(path) == trace
    listed = list_runs(index)
    assert [run.question for run in listed] == ["Second?", 'First ,"reports":[ question?']
    assert {run.status for run in listed} == {"answered"}


def test_what_is_no_run_is_left_out_of_the_list_and_refused_in_one_sentence(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    runs = index.home / "runs"
    runs.mkdir(parents=True)
    (runs / "broken.json").write_text("{", "utf-8")
    (runs / "newer.json").write_text('{"schema_version": 2}', "utf-8")
    (runs / "letters.json").write_bytes(b"\xff\xfe")
    assert list_runs(index) == []
    with pytest.raises(InputError, match="not the trace of a run"):
        load_run(runs / "broken.json")
    with pytest.raises(InputError, match="newer version"):
        load_run(runs / "newer.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_run(runs / "letters.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_run(runs / "missing.json")


def test_a_run_of_an_older_version_is_read_without_what_calls_say_since(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    trace = asyncio.run(global_search(index, "Who?", ScriptedAnalyst([Said(points(("a", 1)))]), GlobalOptions()))
    older = json.loads(save_run(index, trace).read_text("utf-8"))
    del older["connection"]["models"]
    for call in older["calls"]:
        for field in ("key", "note", "attempts"):
            del call[field]
    path = index.home / "runs" / "older.json"
    path.write_text(json.dumps(older), "utf-8")
    assert load_run(path) == trace
