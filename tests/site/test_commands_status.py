"""What `status` and `doctor` say of an instance that is well, and of one that is not."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from kombu.exceptions import OperationalError as BrokerAway
from pydantic import SecretStr

from governance.models import User
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.kept_errors import FILE as ERRORS
from greywind_site.embedded.kept_errors import MOST, KeepingErrors, is_error, recent_errors
from greywind_site.embedded.lock import try_lock
from greywind_site.embedded.running import FILE, announced, running
from greywind_site.operating import canary, doctor, examining, facts
from tests.cast import make_cast

everything = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
type Doctor = Callable[[], dict[str, Any]]


class Usage(NamedTuple):
    """What shutil tells of a disk."""

    total: int
    used: int
    free: int


@pytest.fixture
def folder(reachable: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the process's own."""
    monkeypatch.setitem(settings.GREYWIND.__dict__, "instance", Instance(reachable))
    return reachable


@pytest.fixture
def up(folder: Path) -> Iterator[Path]:
    """A data folder on which this process is `up`."""
    lock = try_lock(folder, command="up")
    assert lock is not None
    with announced(folder, url="http://127.0.0.1:9", port=9, processes={"web": os.getpid(), "worker": 2**22 + 1}):
        yield folder
    lock.release()


@pytest.fixture
def well(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """Runs the doctor where no worker and no web process are asked."""
    monkeypatch.setattr(examining.celery_app.control, "ping", lambda **_: [{"celery@here": {"ok": "pong"}}])
    monkeypatch.setattr(doctor, "EXAMINATIONS", [one for one in doctor.EXAMINATIONS if one is not examining.web])
    return examined


def examined() -> dict[str, Any]:
    """What the doctor finds, by name, and `exit`: whether the command failed."""
    out, failed = StringIO(), False
    try:
        call_command("doctor", "--json", stdout=out)
    except SystemExit as end:
        failed = end.code == 1
    told = json.loads(out.getvalue())
    return {"exit": failed} | {finding["name"]: finding for finding in told["findings"]}


def status() -> dict[str, Any]:
    out = StringIO()
    call_command("status", "--json", stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def test_a_running_up_is_found(up: Path) -> None:
    found = running(up)
    assert found is not None
    assert (found.pid, found.url) == (os.getpid(), "http://127.0.0.1:9")


def test_what_it_writes_only_its_owner_reads(up: Path) -> None:
    assert (up / FILE).stat().st_mode & 0o777 == 0o600


def test_a_clean_end_leaves_no_file(folder: Path) -> None:
    with announced(folder, url="http://127.0.0.1:9", port=9, processes={}):
        assert (folder / FILE).exists()
    assert not (folder / FILE).exists()


@pytest.mark.parametrize("stale", [{"pid": 2**22 + 1}, {"began": 1}, {"extra": 1}])
def test_what_a_killed_one_left_counts_for_nothing(up: Path, stale: dict[str, int]) -> None:
    path = up / FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | stale))
    assert running(up) is None


def test_a_folder_that_another_command_holds_has_no_running_up(folder: Path) -> None:
    lock = try_lock(folder, command="import_transcript")
    assert lock is not None
    with announced(folder, url="http://127.0.0.1:9", port=9, processes={}):
        (folder / "lock").write_text(json.dumps({"pid": 1, "command": "up"}))
        assert running(folder) is None
    lock.release()


def test_a_part_that_is_gone_is_told(up: Path) -> None:
    found = running(up)
    assert found is not None
    assert [found.part_runs(name) for name in ("web", "worker", "beat")] == [True, False, False]


def test_restarts_are_told(folder: Path) -> None:
    lock = try_lock(folder, command="up")
    assert lock is not None
    with announced(folder, url="http://127.0.0.1:9", port=9, processes={"web": 2**22 + 1}) as tell:
        tell({"web": os.getpid()}, {"web": 2})
        found = running(folder)
        assert found is not None
        assert (found.part_runs("web"), found.restarts) == (True, {"web": 2})
    lock.release()


@everything
def test_status_and_doctor_tell_restarts(up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = up / FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | {"restarts": {"web": 2}}))
    assert status()["restarts"] == {"web": 2}
    out = StringIO()
    call_command("status", stdout=out)
    assert "web up (restarts: 2)" in " ".join(out.getvalue().split())
    monkeypatch.setattr(examining, "web_says", lambda _url: {"database": "ok"})
    assert "started again: web 2" in examining.web()


def test_errors_are_kept_and_everything_is_passed_on(tmp_path: Path) -> None:
    passed: list[str] = []
    sink = KeepingErrors(tmp_path, sink=passed.append)
    for line in ('web | {"level": "info"}', 'web | {"event": "boom", "level": "error"}', "stopped web"):
        sink(line)
    assert (recent_errors(tmp_path), len(passed)) == (['web | {"event": "boom", "level": "error"}'], 3)


def test_only_the_newest_errors_are_kept(tmp_path: Path) -> None:
    sink = KeepingErrors(tmp_path, sink=lambda _: None)
    for n in range(MOST + 5):
        sink(f'web | {{"event": {n}, "level": "error"}}')
    kept = recent_errors(tmp_path, most=MOST + 5)
    assert (len(kept), kept[-1], (tmp_path / ERRORS).stat().st_mode & 0o777) == (
        MOST,
        f'web | {{"event": {MOST + 4}, "level": "error"}}',
        0o600,
    )


@pytest.mark.parametrize("line", ["", "web | [1]", 'web | "level"', 'web | {"level": "error"', '{"level": "error"}'])
def test_what_is_no_error_of_a_part_is_not_kept(line: str) -> None:
    assert not is_error(line)


@everything
def test_status_counts_what_is_there_in_all_projects(folder: Path) -> None:
    for name in ("alpha", "beta"):
        make_cast(name)
    assert (status()["counts"]["projects"], status()["counts"]["threads"]) == (2, 0)


@everything
@pytest.mark.parametrize(
    ("outside", "told"),
    [
        (None, "not running; start it with: python3 manage.py up"),
        (SecretStr("postgresql://db/x"), "not started by `up`"),
    ],
)
def test_status_without_up_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, outside: SecretStr | None, told: str
) -> None:
    monkeypatch.setattr(settings.GREYWIND, "database_url", outside)
    out = StringIO()
    call_command("status", stdout=out)
    assert told in out.getvalue()


@everything
def test_status_tells_where_up_is_and_that_its_web_does_not_answer(up: Path) -> None:
    told = status()
    assert (told["running"], told["url"], told["parts"]) == (True, "http://127.0.0.1:9", None)


@everything
def test_status_outlives_a_broker_that_is_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> int:
        raise BrokerAway("no such socket")

    monkeypatch.setattr(facts, "_waiting", away)
    assert (status()["broker"], status()["workers"]) == (False, [])


@everything
def test_the_doctor_finds_everything_well(well: Doctor) -> None:
    found = well()
    assert not found["exit"], [finding for finding in found.values() if isinstance(finding, dict) and not finding["ok"]]


@everything
def test_a_worker_that_does_not_answer_fails_the_doctor(well: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining.celery_app.control, "ping", lambda **_: [])
    found = well()
    assert (found["exit"], found["worker"]["ok"], "start" in found["worker"]["remedy"]) == (True, False, True)


@everything
def test_a_full_disk_fails_the_doctor(well: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10, 9, 1))
    assert well()["disk"] == {
        "name": "disk",
        "ok": False,
        "told": f"0.0 GiB are free at {settings.GREYWIND.instance.folder}",
        "remedy": "make room, or name another folder with --data",
    }


@everything
def test_a_broken_chain_fails_the_doctor(well: Doctor) -> None:
    project = make_cast("alpha").project
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE governance_auditevent SET reason = 'rewritten' WHERE seq = 2")
        cursor.execute("SET session_replication_role = origin")
    assert well()["ledger"]["told"] == f"{project.public_id} breaks at entry 2"


@everything
def test_a_table_without_isolation_fails_the_doctor(well: Doctor) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE threads_thread DISABLE ROW LEVEL SECURITY")
    found = well()["isolation"]
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE threads_thread ENABLE ROW LEVEL SECURITY")
    assert found["told"] == "not isolated: threads_thread"


@everything
def test_a_missing_migration_is_named_and_what_leans_on_it_is_not_tried(
    well: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "missing_migrations", lambda: frozenset({("threads", "0009_later")}))
    found = well()
    assert (found["migrations"]["ok"], found["canary"]["told"]) == (False, "not tried, because migrations failed")


@everything
def test_an_examination_that_breaks_is_a_finding(well: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(**_: Any) -> str:
        raise LookupError("nobody thought of this")

    monkeypatch.setattr(examining, "fly", burst)
    assert well()["canary"]["told"] == "LookupError: nobody thought of this"


@everything
def test_a_canary_leaves_nothing_behind(well: Doctor) -> None:
    make_cast("alpha")
    before = facts.counts()
    well()
    assert facts.counts() == before


@everything
def test_a_canary_that_cannot_be_read_back_dies_and_is_buried(well: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "append", lambda *_, **__: None)
    found = well()["canary"]
    assert (found["told"], User.objects.count()) == ("the event that was written is not there", 0)


@everything
def test_without_the_owner_role_a_canary_is_in_no_list(well: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary, "has_owner", lambda: False)
    assert well()["canary"]["told"] == "wrote, read, compiled and archived"
    out = StringIO()
    call_command("project", "list", "--json", stdout=out)
    assert json.loads(out.getvalue()) == {"projects": []}
