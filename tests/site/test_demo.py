import stat
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from governance.models import Actor, AuditEvent, User
from governance.projects import acting_for_owner, owned_projects
from governance.scope import project_scope
from greywind_site.demo import DemoCredentials, credentials, ensure_demo, seeding
from greywind_site.embedded.secrets import changing
from memories.models import Memory
from sessions.models import Artifact, ContextPacket, Event, Handoff, Session, WorkSummary
from tests.demos import stored_demo
from threads.models import Task, Thread

pytestmark = pytest.mark.django_db
COUNTED = (
    Actor,
    Thread,
    Task,
    Session,
    Event,
    Artifact,
    Handoff,
    WorkSummary,
    ContextPacket,
    Memory,
    AuditEvent,
)


@pytest.fixture
def demo(transactional_db: None, tmp_path: Path) -> DemoCredentials:
    return stored_demo(tmp_path)


def counted(demo: DemoCredentials) -> list[int]:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        return [model.objects.count() for model in COUNTED]


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_the_second_start_shows_the_same_and_makes_nothing(demo: DemoCredentials, tmp_path: Path) -> None:
    before = counted(demo)
    assert (ensure_demo(data_dir=tmp_path), counted(demo), len(owned_projects())) == (demo, before, 1)


def test_the_credentials_are_for_the_owner_of_the_folder_alone(demo: DemoCredentials, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


def test_the_console_account_opens_with_its_password(client: Client, demo: DemoCredentials) -> None:
    assert client.login(username=demo.console_user, password=demo.console_password)


def test_a_seed_cut_short_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeding, "keep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ensure_demo(data_dir=tmp_path)
    assert (owned_projects(), credentials.recorded(tmp_path), User.objects.count()) == ([], None, 0)


def test_a_demo_that_is_gone_is_made_anew_under_its_id(tmp_path: Path) -> None:
    gone = DemoCredentials(f"prj_{'0' * 32}", "gw_gone", "demo", "word")
    with changing(tmp_path / "secrets.json") as stored:
        stored["demo"] = vars(gone)
    assert ensure_demo(data_dir=tmp_path).project_id == owned_projects()[0].public_id == gone.project_id


def test_a_demo_whose_owner_is_shut_out_is_left_and_another_one_made(demo: DemoCredentials, tmp_path: Path) -> None:
    User.objects.filter(username=demo.console_user).update(is_active=False)
    again = ensure_demo(data_dir=tmp_path)
    assert (again.project_id == demo.project_id, again.console_user) == (False, "demo2")


def test_the_second_human_keeps_the_account_when_the_demo_is_made_anew(demo: DemoCredentials, tmp_path: Path) -> None:
    User.objects.filter(username=demo.console_user).update(is_active=False)
    ensure_demo(data_dir=tmp_path)
    assert User.objects.filter(email=credentials.SECOND_EMAIL).count() == 1


def test_a_stranger_named_demo_keeps_the_account(tmp_path: Path) -> None:
    stranger = User.objects.create_user("demo", password="their own")
    assert ensure_demo(data_dir=tmp_path).console_user == "demo2"
    stranger.refresh_from_db()
    assert stranger.check_password("their own")


def test_a_start_holds_its_turn_until_it_commits(tmp_path: Path) -> None:
    ensure_demo(data_dir=tmp_path)
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = %s"
    with connection.cursor() as cursor:
        cursor.execute(held, [seeding.TURN])
        assert cursor.fetchone() == (1,)
