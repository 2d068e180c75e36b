"""Worker processes: their order, their priority, and their end when the program that started them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, WorkerError
from explorer.base.processes import lower_thread_priority, map_in_processes, run_in_process


def _double(number: int) -> int:
    return number * 2


def _nice() -> int:
    return int(psutil.Process().nice())


def _die(number: int) -> int:
    if number == 3:
        os._exit(9)  # as the system ends a process when memory is short: no exception, no word
    return number


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(map_in_processes(_double, range(9), processes=2)) == [number * 2 for number in range(9)]


@pytest.mark.skipif(os.name == "nt", reason="priorities are classes there")
def test_a_worker_yields_to_the_window() -> None:
    assert run_in_process(_nice) >= 10


def test_a_cancelled_scope_ends_the_work() -> None:
    scope = CancelScope()
    results = map_in_processes(_double, range(1000), scope=scope, processes=1)
    assert next(results) == 0
    scope.cancel()
    with pytest.raises(Cancelled):
        list(results)


def test_a_worker_that_is_ended_from_outside_is_one_sentence() -> None:
    with pytest.raises(WorkerError, match="ended from outside"):
        list(map_in_processes(_die, range(9), processes=1))


def test_a_pipe_that_breaks_while_a_worker_starts_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line takes a broken pipe for a reader that went away, and would end with 0."""

    def broken(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("explorer.base.processes.ProcessPoolExecutor.submit", broken)
    with pytest.raises(WorkerError):
        list(map_in_processes(_double, range(3)))


PARENT = """
import sys, time
from explorer.base.processes import map_in_processes
if __name__ == "__main__":
    for _ in map_in_processes(abs, iter(range(100000)), processes=2):
        print("working", flush=True)
        time.sleep(0.2)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, "utf-8")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        children = psutil.Process(parent.pid).children(recursive=True)
        assert len(children) >= 2
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 120
    while any(_runs(child) for child in children):
        assert time.monotonic() < deadline, "workers outlived their parent"
        time.sleep(0.1)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two questions
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_a_thread_yields_and_its_process_does_not() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    seen: list[int] = []

    def work() -> None:
        lower_thread_priority()
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [max(10, before)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
