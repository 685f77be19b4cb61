"""`up` as a process, for the tests that start the whole product; what it does is told in tests/flows."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from greywind_site.embedded.instance import CHECKOUT
from greywind_site.embedded.lock import try_lock

pytestmark = pytest.mark.slow
# `up` brings its own services; those of the test suite must not shine through.
OURS = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")


class Up:
    """One running `up` on one folder and port."""

    def __init__(self, folder: Path, port: int) -> None:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("GREYWIND_") and name not in OURS
        }
        command = [sys.executable, "manage.py", "up", "--json", "--port", str(port), "--data", str(folder)]
        self.log = (folder / "up.log").open("w+")
        self.process = subprocess.Popen(
            command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True
        )

    def __enter__(self) -> "Up":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.log.close()

    def address(self) -> dict[str, Any]:
        """What it printed; fails with its log when it ended without."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(Path(self.log.name).read_text())
        told: dict[str, Any] = json.loads(line)
        return told

    def ended(self) -> tuple[int, str]:
        """End it as a person does; returns its exit code and what else it printed."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120), self.process.stdout.read()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def await_nobody(folder: Path) -> None:
    """Return once no process of that start is left; the lock waits for every one of them."""
    deadline = time.monotonic() + 20
    while (lock := try_lock(folder, command="test")) is None:
        assert time.monotonic() < deadline, "the killed process still holds its lock"
        time.sleep(0.05)
    lock.release()


def tools_at(told: dict[str, Any]) -> int:
    """How many tools /mcp offers at the printed address, with the printed key."""
    asked = urllib.request.Request(  # noqa: S310 - our own loopback address
        f"{told['url']}/mcp",
        data=b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        headers={
            "Authorization": f"Bearer {told['agent_key']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        },
    )
    with urllib.request.urlopen(asked) as answer:  # noqa: S310 - our own loopback address
        return len(json.load(answer)["result"]["tools"])


def test_a_second_start_on_the_same_folder_names_the_first(reachable: Path) -> None:
    lock = try_lock(reachable, command="up")
    assert lock is not None
    with Up(reachable, free_port()) as second:
        assert second.process.wait(120) == 2
        assert f"process {os.getpid()} (up)" in (reachable / "up.log").read_text()
    lock.release()
