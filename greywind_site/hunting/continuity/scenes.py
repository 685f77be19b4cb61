"""What is killed: each deed of the living window, with the state that it needs before."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from governance.working import Shift
from greywind_site.hunting.continuity.world import (
    DEV,
    HARNESS,
    TESTER,
    Place,
    World,
    call,
    move,
    quiet_for,
    say,
    settled_down,
)
from sessions.cooling_due import sweep_sealed
from sessions.sweeping import sweep_crashed, sweep_quiet, sweep_stuck

MUTTERED = (("assistant", "message", "The suite fails at the last token."),)
type Deed = Callable[[World, Place], Any]
type Stage = Callable[[World], Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One deed. `stage` makes a line of work that is ready for it, and `deed` may be done again and again."""

    stage: Stage
    deed: Deed


def over_http(path: str, body: Any, *, by: str = DEV) -> Deed:
    """Return a deed that is one call: its client repeats it, with the same Idempotency-Key, until it is answered."""

    def deed(world: World, place: Place) -> Any:
        named = {"thread": place.thread, "task": place.task, "session": place.session, "tester": place.tester}
        told = {name: value.format(**named) if isinstance(value, str) else value for name, value in body.items()}
        return call(world, path.format(**named), told, by=by, once=f"{path}-{place.session}")

    return deed


def swept(sweep: Callable[..., int]) -> Deed:
    """Return a deed that is one round of a sweep."""
    return lambda _world, _place: sweep(now=timezone.now())


def work(_world: World, _place: Place) -> int:
    """Do what waits as rows, as a worker does that was woken; returns how many jobs came to an end."""
    return Shift().work(seconds=60).total()


def with_a_job(world: World) -> Place:
    """A window whose summary was asked for."""
    place = settled_down(world)
    call(world, f"/sessions/{place.session}/interrupt", {"kind": "connection_lost"})
    return place


def under_review(world: World) -> Place:
    """A task under review, with the window of its tester."""
    place = settled_down(world)
    move(world, place.task, "review")
    call(world, f"/sessions/{place.session}/handoff", {"next_actor": TESTER})
    work(world, place)
    wish = {"thread_id": place.thread, "role": TESTER, "task_id": place.task}
    tester = call(world, "/sessions", wish, by=TESTER)["id"]
    say(world, tester, MUTTERED, mark="t", by=TESTER)
    return replace(place, tester=tester)


def left_in_a_turn(world: World) -> Place:
    """A window whose process died in the middle of a turn."""
    place = settled_down(world)
    say(world, place.session, (("user", "message", "Go on with the retry."),), mark="l")
    quiet_for(place, "2 hours")
    return place


def left_after_a_turn(world: World) -> Place:
    """A window in which nothing was said for two hours."""
    place = settled_down(world)
    quiet_for(place, "2 hours")
    return place


def left_over(world: World) -> Place:
    """An idle window whose task was done days ago."""
    place = settled_down(world)
    call(world, f"/sessions/{place.session}/handoff", {"next_actor": DEV})
    work(world, place)
    move(world, place.task, "review", "done")
    quiet_for(place, "3 days")
    return place


def to_be_compressed(world: World) -> Place:
    """A window that was closed months ago, and a worker that is about to compress its transcript."""
    place = settled_down(world)
    call(world, f"/sessions/{place.session}/close", {"head_seq": 8})
    work(world, place)
    quiet_for(place, "90 days")
    sweep_sealed(after_days=30)
    return place


SCENES = {
    "close": Scene(stage=settled_down, deed=over_http("/sessions/{session}/close", {"head_seq": 8})),
    "handoff": Scene(stage=settled_down, deed=over_http("/sessions/{session}/handoff", {"next_actor": TESTER})),
    "resume": Scene(stage=settled_down, deed=over_http("/sessions/{session}/resume", {"provider_session": HARNESS})),
    "checkpoint": Scene(stage=settled_down, deed=over_http("/sessions/{session}/checkpoint", {})),
    "interrupt": Scene(stage=settled_down, deed=over_http("/sessions/{session}/interrupt", {"kind": "user"})),
    "send_back": Scene(
        stage=under_review,
        deed=over_http(
            "/tasks/{task}/send-back", {"reason": "the last token is dropped", "session_id": "{tester}"}, by=TESTER
        ),
    ),
    "summary_job": Scene(stage=with_a_job, deed=work),
    "cooling_job": Scene(stage=to_be_compressed, deed=work),
    "sweep_crashed": Scene(stage=left_in_a_turn, deed=swept(sweep_crashed)),
    "sweep_quiet": Scene(stage=left_after_a_turn, deed=swept(sweep_quiet)),
    "sweep_stuck": Scene(stage=left_over, deed=swept(sweep_stuck)),
}
