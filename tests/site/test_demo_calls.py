"""What the demo's agent is answered with the printed key."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from governance.projects import acting_for_owner
from governance.scope import project_scope
from greywind_site.demo import DemoCredentials, contracts, en, mixed, zh, zh_notes
from tests.site.demo_cast import seeded
from threads.models import Thread

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def demo(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoCredentials]:
    with seeded(django_db_blocker, tmp_path_factory.mktemp("demo")) as made:
        yield made


def ask(client: Client, demo: DemoCredentials, text: str, **also: Any) -> dict[str, Any]:
    """What the main call answers to the demo agent; anything but a 200 fails the test with its body."""
    body = {"user_input": {"raw_text": text}} | also
    bearer = {"Authorization": f"Bearer {demo.agent_key}"}
    answer = client.post("/api/v1/context", body, content_type="application/json", headers=bearer)
    assert answer.status_code == 200, answer.content.decode()
    return dict(answer.json())


def titled(demo: DemoCredentials, thread_id: str) -> str:
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        return {thread.public_id: thread.title for thread in Thread.objects.all()}[thread_id]


def test_continue_continues_the_design_thread(client: Client, demo: DemoCredentials) -> None:
    answer = ask(client, demo, "继续")
    assert (answer["resolution"]["rule"], answer["packet"]["thread"]["thread_title"]) == ("recent", zh.THREAD.title)


def test_the_first_continue_is_rebuilt_and_says_what_is_missing(client: Client, demo: DemoCredentials) -> None:
    session = ask(client, demo, "继续")["session"]
    assert (session["recovery"], session["missing"]) == ("rebuilt", ["provider_session"])


def test_continue_has_the_task_under_way_in_hand(client: Client, demo: DemoCredentials) -> None:
    task = ask(client, demo, "继续")["packet"]["thread"]["task"]
    assert (task["title"], task["state"]) == (zh_notes.TASKS[1].title, "doing")


def test_the_printed_agent_acts_as_dev_when_it_names_no_role(client: Client, demo: DemoCredentials) -> None:
    assert ask(client, demo, "继续")["packet"]["persona"]["role"]["slug"] == "dev"


def test_continue_brings_the_vision_and_the_handoff(client: Client, demo: DemoCredentials) -> None:
    packet = ask(client, demo, "继续")["packet"]
    shown = (packet["vision"]["done_when"], packet["handoff"]["summary"])
    assert shown == (list(zh_notes.VISION.done_when), zh_notes.HANDOFF.summary)


def test_continue_brings_the_lessons(client: Client, demo: DemoCredentials) -> None:
    retrieved = ask(client, demo, "继续")["packet"]["retrieved"]
    learnt = {lesson.content for lesson in zh_notes.LESSONS if lesson.admitted_by}
    assert {hit["content"] for hit in retrieved} >= learnt > set()


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
        ("How far did the streaming CSV export get?", en.THREAD.title),
        ("搜“京都”为什么会找到东京的会议？", mixed.THREAD.title),
        ("早上好！今天天气真不错", "闲聊 · Small talk"),
        ("Hi there, how are you today?", "闲聊 · Small talk"),
    ],
)
def test_other_words_find_their_own_thread(client: Client, demo: DemoCredentials, text: str, title: str) -> None:
    assert titled(demo, ask(client, demo, text)["resolution"]["thread_id"]) == title
