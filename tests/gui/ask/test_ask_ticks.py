"""The GUI thread is never held while a model answers and its words stream in: the ticks of a 10 ms timer say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.gui.ticks import TickRecorder
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from explorer.models.prices import Price
from tests.gui.conftest import MakeWindow
from tests.gui.test_ticks import as_the_program, control, judge
from tests.servers.running import RunningServer
from tests.servers.settings import FaultRule

PATIENCE = 300_000


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_the_window_is_never_held_while_a_model_answers(
    make_window: MakeWindow, qtbot, shared: Path, model_server: RunningServer
) -> None:
    model_server.set(latency=0.2, chunk_delay=0.03, faults=[FaultRule("503", probability=0.15, seed=3)])
    save_connection(
        Connection(
            name="mine", base_url=model_server.url, chat_model="m", key="none", concurrency=32,
            prices={"m": Price(prompt=1.0, output=4.0)},
        )
    )  # fmt: skip
    window = make_window()
    window.engine.prepare(4)
    warm: list[bool] = []
    window.warm_up(lambda: warm.append(True))
    qtbot.waitUntil(lambda: bool(warm), timeout=60_000)
    window.open_path(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    qtbot.waitUntil(lambda: window.session.index is not None, timeout=PATIENCE)
    qtbot.waitUntil(lambda: window.session.layout is not None, timeout=PATIENCE)
    window.show_place("ask")
    place = window.place("ask")
    recorder = TickRecorder(window)
    with as_the_program(window), control() as machine:
        qtbot.wait(300)
        recorder.start()
        window.session.use_connection("mine")
        place.knobs.numbers["max_context_tokens"].setValue(2000)
        place.question.setText("Who is Scrooge, and how is he connected with Marley?")
        qtbot.waitUntil(lambda: "$" in place.plan_line.text(), timeout=PATIENCE)
        place.ask()
        qtbot.waitUntil(lambda: not place.control.running and place.settled, timeout=PATIENCE)
        qtbot.wait(500)
        stalls = recorder.stop()
    trace = window.session.trace
    assert trace.answer.status == "answered" and len(trace.batches) > 40
    print(f"the window: {stalls}; {machine}")
    judge(stalls, machine)
