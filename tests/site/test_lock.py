import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from greywind_site.embedded import lock as locks
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.lock import Holder, holder, try_lock

HOLD = """
import sys, time
from pathlib import Path
from greywind_site.embedded.lock import try_lock
kept = try_lock(Path(sys.argv[1]), command="up")
print("held", flush=True)
time.sleep(60)
"""


def test_the_second_gets_nothing_and_learns_who_holds_it(tmp_path: Path) -> None:
    first = try_lock(tmp_path, command="up")
    assert first is not None
    assert try_lock(tmp_path, command="check") is None
    assert holder(tmp_path) == Holder(os.getpid(), "up")
    first.release()


def test_released_it_is_free(tmp_path: Path) -> None:
    for _ in range(2):
        lock = try_lock(tmp_path, command="up")
        assert lock is not None
        lock.release()


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], cwd=CHECKOUT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert try_lock(tmp_path, command="up") is None
        process.send_signal(signal.SIGKILL)
    lock = try_lock(tmp_path, command="up")
    assert lock is not None
    lock.release()


def test_children_of_the_last_holder_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "DESCENDANTS_SECONDS", 0.1)
    lock = try_lock(tmp_path, command="up")
    assert lock is not None
    orphan = subprocess.Popen(["sleep", "60"], pass_fds=(lock.heirloom,))
    lock.release()
    with pytest.raises(EmbeddedFault, match="earlier start"):
        try_lock(tmp_path, command="up")
    orphan.kill()
    orphan.wait()
