import stat
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from governance.models import AuditEvent, User
from governance.projects import acting_for_owner, owned_projects
from governance.scope import project_scope
from greywind_site.demo import DemoCredentials, contracts, credentials, ensure_demo, seeding, zh
from greywind_site.embedded.secrets import changing
from memories.models import Memory
from sessions.models import Event, Session
from threads.models import Task, Thread

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(tmp_path: Path) -> DemoCredentials:
    return ensure_demo(data_dir=tmp_path)


def ask(client: Client, demo: DemoCredentials, text: str, **also: Any) -> dict[str, Any]:
    """What the main call answers to the demo agent; anything but a 200 fails the test with its body."""
    body = {"user_input": {"raw_text": text}} | also
    bearer = {"Authorization": f"Bearer {demo.agent_key}"}
    answer = client.post("/api/v1/context", body, content_type="application/json", headers=bearer)
    assert answer.status_code == 200, answer.content.decode()
    return answer.json()


def titled(demo: DemoCredentials, thread_id: str) -> str:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        return {thread.public_id: thread.title for thread in Thread.objects.all()}[thread_id]


def counted(demo: DemoCredentials) -> list[int]:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        return [model.objects.count() for model in (Thread, Task, Session, Event, Memory, AuditEvent)]


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_three_threads_are_there(demo: DemoCredentials) -> None:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        kinds = sorted(Thread.objects.filter(provisional=False).values_list("type", flat=True))
    assert kinds == ["small_talk", "work", "work"]


def test_one_task_is_under_way(demo: DemoCredentials) -> None:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        states = list(Task.objects.order_by("created_at").values_list("state", flat=True))
    assert states == ["done", "doing", "planned"]


def test_continue_continues_the_design_thread(client: Client, demo: DemoCredentials) -> None:
    answer = ask(client, demo, "继续")
    assert (answer["resolution"]["rule"], answer["packet"]["thread"]["thread_title"]) == ("recent", zh.THREAD.title)


def test_the_first_continue_is_rebuilt_and_says_what_is_missing(client: Client, demo: DemoCredentials) -> None:
    session = ask(client, demo, "继续")["session"]
    assert (session["recovery"], session["missing"]) == ("rebuilt", ["provider_session"])


def test_continue_brings_the_vision_and_the_handoff(client: Client, demo: DemoCredentials) -> None:
    packet = ask(client, demo, "继续")["packet"]
    shown = (packet["vision"]["done_when"], packet["handoff"]["summary"])
    assert shown == (list(zh.VISION.done_when), zh.HANDOFF.summary)


def test_continue_brings_the_lessons(client: Client, demo: DemoCredentials) -> None:
    retrieved = ask(client, demo, "继续")["packet"]["retrieved"]
    assert {hit["content"] for hit in retrieved} >= {lesson.content for lesson in zh.LESSONS}


def test_layers_sum_to_what_is_used(client: Client, demo: DemoCredentials) -> None:
    budget = ask(client, demo, "继续", budget={"max_input_tokens": 12000})["budget"]
    assert 0 < sum(layer["used"] for layer in budget["layers"]) == budget["used"] <= budget["input_cap"]


def test_continue_twice_is_the_same_packet(client: Client, demo: DemoCredentials) -> None:
    first, second = ask(client, demo, "继续"), ask(client, demo, "继续")
    assert (first["packet_hash"], second["session"]["recovery"]) == (second["packet_hash"], "continued")


@pytest.mark.parametrize("role", contracts.AGENT_ROLES)
def test_every_role_gets_a_packet(client: Client, demo: DemoCredentials, role: str) -> None:
    thread = ask(client, demo, "继续")["resolution"]["thread_id"]
    packet = ask(client, demo, "继续", role=role, thread_id=thread)["packet"]
    assert packet["persona"]["role"]["slug"] == role


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("How far did the streaming CSV export get?", "Stream the CSV export of the expense tracker"),
        ("早上好！今天天气真不错", "闲聊 · Small talk"),
        ("Hi there, how are you today?", "闲聊 · Small talk"),
    ],
)
def test_other_words_find_their_own_thread(client: Client, demo: DemoCredentials, text: str, title: str) -> None:
    assert titled(demo, ask(client, demo, text)["resolution"]["thread_id"]) == title


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


def test_credentials_without_their_project_are_replaced(tmp_path: Path) -> None:
    gone = DemoCredentials(f"prj_{'0' * 32}", "gw_gone", "demo", "word")
    with changing(tmp_path / "secrets.json") as stored:
        stored["demo"] = vars(gone)
    assert ensure_demo(data_dir=tmp_path).project_id == owned_projects()[0].public_id


def test_a_stranger_named_demo_keeps_the_account(tmp_path: Path) -> None:
    stranger = User.objects.create_user("demo", password="their own")
    assert ensure_demo(data_dir=tmp_path).console_user == "demo2"
    stranger.refresh_from_db()
    assert stranger.check_password("their own")


def test_a_start_holds_its_turn_until_it_commits(demo: DemoCredentials) -> None:
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = %s"
    with connection.cursor() as cursor:
        cursor.execute(held, [seeding.TURN])
        assert cursor.fetchone() == (1,)
