"""The verbs that a person's word needs: who may, what they refuse, and what they leave behind."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from governance.errors import Clash, Forbidden
from governance.scope import project_scope
from tests.cast import Cast, make_cast
from threads import lifecycle
from threads.dag import TaskWish, create_task, path_to, set_dependencies
from threads.lifecycle import ThreadWish, create_thread, open_thread
from threads.models import Thread
from threads.vision_edits import revise_vision, take_up
from threads.visions import VisionWish

type Verb = Callable[[Cast, Thread], object]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def thread(cast: Cast) -> Thread:
    with project_scope(cast.dev.acting):
        return create_thread(cast.dev.acting, ThreadWish(title="t"), now=timezone.now())


VERBS: dict[str, Verb] = {
    "open": lambda cast, _: open_thread(cast.dev.acting, ThreadWish(title="x"), now=timezone.now()),
    "rename": lambda cast, thread: lifecycle.rename_thread(cast.dev.acting, thread, "x", seen=1),
    "archive": lambda cast, thread: lifecycle.archive_thread(cast.dev.acting, thread, reason="x"),
    "reopen": lambda cast, thread: lifecycle.reopen_thread(cast.dev.acting, thread, reason="x"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_an_agent_has_no_person_s_word(cast: Cast, thread: Thread, verb: str) -> None:
    with project_scope(cast.dev.acting), pytest.raises(Forbidden) as refusal:
        VERBS[verb](cast, thread)
    assert refusal.value.code == "level_too_low"


def test_a_vision_after_another_version_is_refused(cast: Cast, thread: Thread) -> None:
    acting = cast.owner.acting
    with project_scope(acting):
        revise_vision(acting, take_up(acting, thread), VisionWish(origin_goal="first"), seen=0, now=timezone.now())
        with pytest.raises(Clash) as refusal:
            revise_vision(acting, take_up(acting, thread), VisionWish(origin_goal="second"), seen=0, now=timezone.now())
    assert refusal.value.code == "version_moved"


def test_a_circle_is_named_from_its_beginning_to_its_end(cast: Cast, thread: Thread) -> None:
    acting, now = cast.dev.acting, timezone.now()
    with project_scope(acting):
        first = create_task(acting, thread, TaskWish(title="dig"), now=now)
        second = create_task(acting, thread, TaskWish(title="plant", depends_on=[first.pk]), now=now)
        with pytest.raises(Clash) as refusal:
            set_dependencies(first, [second.pk])
    assert [step["title"] for step in refusal.value.extra["circle"]] == ["dig", "plant", "dig"]


def test_a_task_that_waits_for_itself_is_a_circle(cast: Cast, thread: Thread) -> None:
    acting = cast.dev.acting
    with project_scope(acting):
        task = create_task(acting, thread, TaskWish(title="dig"), now=timezone.now())
        with pytest.raises(Clash) as refusal:
            set_dependencies(task, [task.pk])
    assert [step["title"] for step in refusal.value.extra["circle"]] == ["dig", "dig"]


@pytest.mark.parametrize(
    ("starts", "path"),
    [("b", ["b", "a"]), ("db", ["b", "a"]), ("d", ["d", "c", "b", "a"]), ("x", None), ("a", ["a"])],
)
def test_the_shortest_way_is_found(starts: str, path: list[str] | None) -> None:
    edges = {"d": ["c", "x"], "c": ["b"], "b": ["a", "c"], "x": []}
    assert path_to("a", list(starts), edges) == path
