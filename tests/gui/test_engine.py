"""The engine thread: order, one ending, and nothing on the GUI thread but the listeners."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from explorer.base.errors import InputError
from explorer.base.events import Notice, StageProgress, StageStarted
from explorer.gui.engine import Engine


def test_events_come_in_order_on_the_gui_thread_and_before_the_result(engine: Engine, qtbot) -> None:
    seen: list[object] = []
    where: set[object] = set()

    def work(sink, scope):
        assert threading.current_thread() is not threading.main_thread()
        for number in range(100):
            sink(Notice(str(number)))
        return "made"

    def event(value):
        where.add(threading.current_thread())
        seen.append(value.sentence)

    engine.run(work, on_event=event, on_done=seen.append)
    qtbot.waitUntil(lambda: seen[-1:] == ["made"])
    assert seen == [str(number) for number in range(100)] + ["made"]
    assert where == {threading.main_thread()}


def test_a_coroutine_runs_on_the_one_loop(engine: Engine, qtbot) -> None:
    seen: list[object] = []

    async def where():
        await asyncio.sleep(0)
        return threading.current_thread()

    for _ in range(2):
        engine.run(lambda sink, scope: where(), on_done=seen.append)
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen[0] is seen[1] is not threading.main_thread()


def test_an_error_for_the_person_arrives_as_its_sentence(engine: Engine, qtbot) -> None:
    said: list[str] = []

    def work(sink, scope):
        raise InputError("There is no folder.")

    job = engine.run(work, on_error=said.append, on_done=lambda _: said.append("done"))
    qtbot.waitUntil(lambda: bool(said))
    assert said == ["There is no folder."]
    assert job.state == "failed" and not job.running


def test_a_fault_of_ours_is_said_and_logged(engine: Engine, qtbot, caplog: pytest.LogCaptureFixture) -> None:
    said: list[str] = []
    engine.run(lambda sink, scope: 1 // 0, name="Dividing", on_error=said.append)
    qtbot.waitUntil(lambda: bool(said))
    assert "Dividing failed through a fault of the program" in said[0]
    assert "ZeroDivisionError" in caplog.text
    caplog.clear()


def test_cancel_pause_and_resume_reach_the_work(engine: Engine, qtbot) -> None:
    steps = []
    ended: list[str] = []

    def work(sink, scope):
        while True:
            scope.checkpoint()
            steps.append(1)
            time.sleep(0.005)

    job = engine.run(work, on_cancelled=lambda: ended.append("cancelled"))
    qtbot.waitUntil(lambda: len(steps) > 2)
    job.pause()
    stood = len(steps) + 1  # one more where it looked just before
    qtbot.wait(200)
    assert len(steps) <= stood and job.state == "paused"
    job.resume()
    qtbot.waitUntil(lambda: len(steps) > stood)
    job.cancel()
    assert job.state == "stopping" and job.running
    qtbot.waitUntil(lambda: ended == ["cancelled"])
    assert job.state == "cancelled"


def test_a_flood_of_events_is_one_batch_a_drain(engine: Engine, qtbot) -> None:
    batches: list[int] = []
    flooded = threading.Event()

    def flood(sink, scope):
        for number in range(1, 20_001):
            sink(StageProgress("read", number, 20_000))
        flooded.set()

    job = engine.run(flood, on_batch=lambda events: batches.append(len(events)))
    assert flooded.wait(120)  # no drain meanwhile: that is the GUI thread's, which stands here
    qtbot.waitUntil(lambda: not job.running)
    assert batches == [20_000]
    assert (job.done, job.total) == (20_000, 20_000)


def test_the_timer_rests_when_nothing_runs(engine: Engine, qtbot) -> None:
    job = engine.run(lambda sink, scope: sink(StageStarted("read", 3)))
    qtbot.waitUntil(lambda: not job.running)
    assert not engine._timer.isActive()
    assert engine.jobs == []


def test_stop_ends_what_runs(qapp, qtbot) -> None:
    engine = Engine()
    ended: list[str] = []

    def work(sink, scope):
        while True:
            scope.checkpoint()
            time.sleep(0.005)

    async def long():
        await asyncio.sleep(60)

    engine.run(work, on_cancelled=lambda: ended.append("thread"))
    engine.run(lambda sink, scope: long(), on_cancelled=lambda: ended.append("loop"))
    qtbot.wait(50)
    assert engine.stop(20.0)
    assert sorted(ended) == ["loop", "thread"]


def test_jobs_with_a_turn_run_one_after_the_other_the_smaller_first(engine: Engine, qtbot) -> None:
    order: list[str] = []
    running: list[str] = []

    def work(name: str):
        def body(sink, scope):
            running.append(name)
            time.sleep(0.02)
            assert running == [name], "two jobs with a turn computed at once"
            running.remove(name)
            return name

        return body

    for name, turn in (("late", 3), ("first", 0), ("later", 4), ("second", 1)):
        engine.run(work(name), name=name, turn=turn, on_done=order.append)
    qtbot.waitUntil(lambda: len(order) == 4)
    assert order == ["first", "second", "late", "later"]


def test_a_job_that_is_stopped_before_its_turn_never_begins(engine: Engine, qtbot) -> None:
    begun: list[str] = []
    ended: list[str] = []
    engine.run(lambda sink, scope: time.sleep(0.05), turn=0)
    job = engine.run(lambda sink, scope: begun.append("begun"), turn=1, on_cancelled=lambda: ended.append("cancelled"))
    job.cancel()
    qtbot.waitUntil(lambda: not engine.jobs)
    assert (begun, ended) == ([], ["cancelled"])
