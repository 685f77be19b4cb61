"""Commands on a data folder in a state that only an accident makes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest
from django.conf import settings

from greywind_site.embedded import entrance, up
from greywind_site.embedded.entrance import services_for
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import CHECKOUT, Instance
from greywind_site.embedded.lock import Holder, holder, try_lock
from greywind_site.embedded.running import announced
from greywind_site.embedded.services import Services
from greywind_site.embedded.supervisor import Supervisor

OURS = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")


def manage(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one command as a person does, on its own services."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GREYWIND_") and k not in OURS}
    command = [sys.executable, "manage.py", *words, "--data", str(folder)]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def cut_short(reachable: Path) -> Path:
    """A folder whose first start ended after PostgreSQL was made, and before any migration."""
    instance = Instance(reachable)
    instance.prepare()
    lock = try_lock(reachable, command="up")
    assert lock is not None
    with Supervisor(sink=lambda _: None) as supervisor:
        Services(instance, supervisor, lock, fast=True).start_postgres()
    lock.release()
    return reachable


@pytest.mark.slow
def test_a_first_start_that_was_cut_short_is_completed_by_the_next_command(cut_short: Path) -> None:
    done = manage(cut_short, "project", "create", "late", "--owner", "ann", "--json")
    assert (json.loads(done.stdout)["name"], "Traceback" in done.stderr) == ("late", False)


@pytest.mark.slow
def test_status_tells_of_a_first_start_that_was_cut_short(cut_short: Path) -> None:
    done = manage(cut_short, "status", "--json")
    told = json.loads(done.stdout)
    assert (told["running"], told["database"]["migrations_missing"] > 0, told["counts"]["threads"]) == (
        False,
        True,
        None,
    )


@pytest.mark.parametrize("command", ["status", "doctor"])
def test_where_nothing_was_started_nothing_is_made(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("GREYWIND_DATA", str(tmp_path / "none"))
    with pytest.raises(EmbeddedFault, match=r"manage\.py up"), services_for(command):
        pass
    assert not (tmp_path / "none").exists()


@pytest.fixture
def starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instance]:
    """A folder whose lock an `up` holds that is not ready yet."""
    monkeypatch.setattr(entrance, "PATIENCE_SECONDS", 0.2)
    lock = try_lock(tmp_path, command="up")
    assert lock is not None
    yield Instance(tmp_path)
    lock.release()


def test_a_command_does_not_join_an_up_that_is_not_ready(starting: Instance) -> None:
    with pytest.raises(EmbeddedFault, match=r"\(up\) holds"):
        entrance._lock_or_running(starting, command="member")


def test_a_command_joins_an_up_that_is_ready(starting: Instance) -> None:
    with announced(starting.folder, url="http://127.0.0.1:9", port=9, processes={}):
        assert entrance._lock_or_running(starting, command="member") is None


def test_status_looks_at_an_up_that_is_not_ready(starting: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance.postgres, "answers", lambda _: True)
    assert entrance._lock_or_running(starting, command="status") is None


def test_an_up_waits_for_a_command_that_is_at_work(reachable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.GREYWIND.__dict__, "instance", Instance(reachable))
    lock = try_lock(reachable, command="status")
    assert lock is not None
    Timer(0.3, lock.release).start()
    mine = up._lock(settings.GREYWIND)
    assert holder(reachable) == Holder(os.getpid(), "up")
    mine.release()
