import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.processes import Program
from greywind_site.embedded.restarts import Patience, Restarts
from greywind_site.embedded.supervisor import Stopped, Supervisor

# Starts two children, of which one ignores the polite signal, and says who they are.
FAMILY = """
import signal, sys, time
from greywind_site.embedded.processes import Program
from greywind_site.embedded.supervisor import Supervisor
supervisor = Supervisor()
sleeper = supervisor.start(Program("sleeper", ["sleep", "60"]))
deaf = supervisor.start(Program("deaf", ["sh", "-c", "trap '' TERM; exec sleep 60"], orphaned=signal.SIGKILL))
print(sleeper.process.pid, deaf.process.pid, flush=True)
time.sleep(60)
"""
STOPS = """
import signal
from greywind_site.embedded.processes import Program
from greywind_site.embedded.supervisor import Supervisor
with Supervisor() as supervisor, supervisor.obeying_signals():
    for name in ("first", "second"):
        supervisor.start(Program(name, ["sleep", "60"]))
    print("up", flush=True)
    supervisor.watch()
"""


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def await_gone(pids: list[int]) -> list[int]:
    """Who of them is still there after at most ten seconds."""
    deadline = time.monotonic() + 10
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [pid for pid in pids if is_alive(pid)]


def test_a_killed_supervisor_leaves_no_process() -> None:
    with subprocess.Popen([sys.executable, "-c", FAMILY], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        children = [int(word) for word in process.stdout.readline().split()]
        assert all(map(is_alive, children))
        process.send_signal(signal.SIGKILL)
    assert await_gone(children) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_all_in_the_reverse_order(number: signal.Signals) -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", STOPS], cwd=CHECKOUT, **pipes) as process:
        process.stdout.readline()
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert said.index("stopped second") < said.index("stopped first")


def test_a_child_that_dies_is_named() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor:
        supervisor.start(Program("brittle", ["sh", "-c", "exit 3"]))
        with pytest.raises(EmbeddedFault, match=r"brittle ended by itself \(exit code 3\)"):
            supervisor.watch()


def test_a_child_killed_by_a_signal_is_named_with_it() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor:
        child = supervisor.start(Program("victim", ["sleep", "60"]))
        child.process.kill()
        with pytest.raises(EmbeddedFault, match=r"victim ended by itself .*SIGKILL"):
            supervisor.watch()


def test_a_part_that_may_come_again_is_started_again_in_its_place() -> None:
    lines: list[str] = []
    with Supervisor(sink=lines.append) as supervisor:
        victim = supervisor.start(Program("victim", ["sleep", "60"], again=True))
        other = supervisor.start(Program("other", ["sleep", "60"], again=True))
        victim.process.kill()
        supervisor.watch(changed=supervisor.stopping.set)
        assert supervisor.pids()["victim"] != victim.process.pid
        assert is_alive(supervisor.pids()["victim"])
        assert [child.process.pid for child in supervisor.children][1:] == [other.process.pid]
        assert supervisor.restarts.counts == {"victim": 1}
    assert lines[0] == ("victim ended by itself (signal SIGKILL): starting it again in 0 s (1 of 5 times in 10 min)")


def test_what_an_ended_part_left_running_goes_before_its_next_start() -> None:
    lines: list[str] = []
    with Supervisor(sink=lines.append) as supervisor:
        parent = supervisor.start(Program("parent", ["sh", "-c", "sleep 60 & echo $!; wait"], again=True))
        supervisor.until(lambda: bool(lines), what="parent", seconds=5)
        grandchild = int(lines[0].rpartition(" ")[2])
        parent.process.kill()
        supervisor.watch(changed=supervisor.stopping.set)
        assert await_gone([grandchild]) == []


def test_a_part_that_ends_too_often_stops_everything_with_the_remedy() -> None:
    lines: list[str] = []
    with Supervisor(sink=lines.append, patience=Patience(waits=(0, 0.3))) as supervisor:
        supervisor.start(Program("brittle", ["sh", "-c", "exit 3"], again=True))
        began = time.monotonic()
        too_often = (
            r"brittle ended by itself \(exit code 3\), after it was started again 2 of 2 times.*manage.py doctor"
        )
        with pytest.raises(EmbeddedFault, match=too_often):
            supervisor.watch()
        assert time.monotonic() - began > 0.3
    assert sum("starting it again" in line for line in lines) == 2


def test_restarts_are_forgiven_after_the_window() -> None:
    restarts = Restarts(Patience(waits=(0, 1), window=10))
    assert [restarts.next_wait("web", now=at) for at in (0, 5, 9, 10.5)] == [0, 1, None, 1]
    assert restarts.next_wait("worker", now=11) == 0


def test_a_stop_does_not_wait_for_a_restart() -> None:
    with Supervisor(sink=lambda _line: None, patience=Patience(waits=(60,))) as supervisor:
        supervisor.start(Program("brittle", ["sh", "-c", "exit 3"], again=True))
        began = time.monotonic()
        with supervisor.obeying_signals():
            threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGTERM)).start()
            supervisor.watch()
    assert time.monotonic() - began < 5


def test_a_deaf_child_is_killed_after_its_grace() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor:
        child = supervisor.start(Program("deaf", ["sh", "-c", "trap '' TERM; echo set; while :; do sleep 1; done"]))
        supervisor.until(lambda: child.process.pid > 0, what="deaf", seconds=5)
        time.sleep(0.2)
        assert child.stop(grace=0.1) == -signal.SIGKILL


def test_grandchildren_go_with_their_parent() -> None:
    lines: list[str] = []
    with Supervisor(sink=lines.append) as supervisor:
        supervisor.start(Program("parent", ["sh", "-c", "sleep 60 & echo $!; wait"]))
        supervisor.until(lambda: bool(lines), what="parent", seconds=5)
    grandchild = int(lines[0].rpartition(" ")[2])
    assert await_gone([grandchild]) == []


def test_output_carries_the_name() -> None:
    lines: list[str] = []
    with Supervisor(sink=lines.append) as supervisor:
        supervisor.start(Program("talker", ["sh", "-c", "echo 你好; sleep 60"]))
        supervisor.until(lambda: bool(lines), what="talker", seconds=5)
    assert lines[0] == "  talker | 你好"


def test_a_step_returns_what_it_printed() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor:
        assert supervisor.run(Program("step", ["sh", "-c", "echo one; echo two"])) == ["one", "two"]


def test_a_failed_step_is_named() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor, pytest.raises(EmbeddedFault, match="step failed"):
        supervisor.run(Program("step", ["sh", "-c", "exit 4"]))


def test_a_stop_cuts_waiting_short() -> None:
    with Supervisor(sink=lambda _line: None) as supervisor, supervisor.obeying_signals():
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(Stopped):
            supervisor.until(lambda: False, what="nothing", seconds=30)
