"""An estimate says prompt tokens as the server counts them, once it is known how, and counts the same call once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.indexing.run import index_folder
from explorer.models.connection import Connection
from explorer.models.prices import Price
from explorer.models.stored_call import StoredCall
from explorer.planning.bill import compare
from explorer.planning.estimate import estimate
from explorer.planning.figures import Three, as_counted
from explorer.planning.server_count import ServerCount, learn_count
from explorer.planning.stand_in import Rehearsed
from tests.indexing.model_folders import model_folder
from tests.servers.running import RunningServer


def connect(server: RunningServer) -> Connection:
    return Connection(
        name="scripted", base_url=server.url, chat_model="chat", key="none", tokenizer="o200k_base",
        prices={"chat": Price(prompt=1.0, output=4.0)},
    )  # fmt: skip


def seen(ours: int, theirs: int) -> Rehearsed:
    return Rehearsed("extract", "u", ours, 5, StoredCall("k", "extract", "{}", "chat", prompt_tokens=theirs))


def test_a_frame_is_exact_and_another_tokenizer_a_share() -> None:
    framed = learn_count([seen(100, 107), seen(300, 307)], "extract")
    assert framed == ServerCount(frame=7) and framed.ours(107) == 100
    assert as_counted(framed, Three.exact(10), Three.exact(1000)) == Three.exact(1070)
    other = learn_count([seen(100, 120), seen(300, 390)], "extract")
    assert other is not None and other.frame == 0 and other.share == 510 / 400
    assert other.least < 1.2 and other.most > 1.3
    assert learn_count([seen(100, 107)], "glean") is None
    assert learn_count([Rehearsed("extract", "u", 100, 5)], "extract") is None


@pytest.mark.parametrize("settings", [{}, {"message_tokens": 7}, {"tokens": "approximate"}])
def test_after_a_pilot_prompts_are_counted_as_the_server_counts(
    tmp_path: Path, model_server: RunningServer, settings: dict[str, Any]
) -> None:
    folder = model_folder(tmp_path / "documents", files=12, sentences=60)
    model_server.set(**settings)
    tried = index_folder(folder, connection=connect(model_server), pilot=8)
    after = estimate(folder, connection=connect(model_server), pilot=tried.pilot)
    whole = index_folder(folder, connection=connect(model_server), vectors=False)
    bill = compare(after, whole.calls)
    outside = {name: stage.prompt_tokens for name, stage in bill.stages.items() if not stage.prompt_tokens.inside}
    assert outside == {}
    extract = bill.stages["extract"].prompt_tokens
    assert extract.actual and extract.error is not None and abs(extract.error) < 0.02
    if "message_tokens" in settings:
        assert extract.error == 0 and isinstance(after.stages["extract"].prompt_tokens, int)


def test_text_that_stands_in_several_files_is_read_and_counted_once(
    tmp_path: Path, model_server: RunningServer
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(9):
        name = ("Anna Kern", "Karl Bauer", "Rose Miller")[number % 3]
        (folder / f"{number}.txt").write_text(f"{name} met Greta Sund in Altmark.", "utf-8")
    before = estimate(folder, connection=connect(model_server))
    assert (before.text_units, before.stages["extract"].calls, before.stages["extract"].cached) == (9, 3, 6)
    summary = index_folder(folder, connection=connect(model_server), vectors=False)
    assert summary.calls["extract"].count - summary.calls["extract"].cached == 3
    assert before.stages["extract"].prompt_tokens == summary.calls["extract"].prompt_tokens
    assert compare(before, summary.calls).stages["glean"].prompt_tokens.inside
