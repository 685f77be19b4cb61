"""Playing the demo's stories through the verbs, each at a moment before now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from governance.actors import Acting
from governance.scope import project_scope
from greywind_site.demo import en, talk, zh
from greywind_site.demo.records import hand_over, learn, summarise
from greywind_site.demo.stories import LessonText, Line, Scene, TaskText, ThreadText
from memories.models import Memory
from memories.writes import admit
from sessions.lifecycle import Opening, OpenWish, advance_session, end_attempt, open_or_resume
from sessions.models import Session
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, SessionState
from sessions.windows import close, interrupt
from threads.dag import TaskWish, create_task, move_task
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Task, Thread, Vision
from threads.visions import VisionWish, write_vision
from threads.vocabulary import TaskState, VisionSource

ADMITTED = "读过证据，准许使用 · read with its evidence"
DONE = (TaskState.READY, TaskState.DOING, TaskState.REVIEW, TaskState.DONE)
UNDER_WAY = (TaskState.READY, TaskState.DOING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who plays: the human who owns the project, and the agent."""

    owner: Acting
    agent: Acting


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scene after it was played: its window, its last seq and when it ended."""

    opening: Opening
    head_seq: int
    ended: datetime

    @property
    def session(self) -> Session:
        return self.opening.session


def stage(cast: Cast, *, now: datetime) -> None:
    """Play all three stories; the design thread is the one that the agent used last."""
    with project_scope(cast.agent):
        _play_paused(cast, talk.THREAD, talk.CHATTING, reason=talk.PAUSED, now=now)
        coding = _play_paused(cast, en.THREAD, en.CODING, reason=en.PAUSED, now=now)
        design, drafting = _play_design(cast, now=now)
        lessons = [(lesson, coding) for lesson in en.LESSONS] + [(lesson, drafting) for lesson in zh.LESSONS]
        proposed = [_learn(cast.agent, *pair) for pair in lessons if not pair[0].by_owner]
    with project_scope(cast.owner):
        _sharpen_vision(cast.owner, design)
        proposed += [_learn(cast.owner, *pair) for pair in lessons if pair[0].by_owner]
        _admit(cast.owner, proposed, now=now)


def _play_design(cast: Cast, *, now: datetime) -> tuple[Thread, Played]:
    thread = _thread(cast.agent, zh.THREAD, now=now - zh.PLANNING.ago)
    planning = _play(cast, thread, zh.PLANNING, now=now)
    tasks = _tasks(cast.agent, thread, zh.TASKS, now=planning.ended)
    _walk(tasks[0], DONE, reason=zh.TASK_MOVED)
    close(planning.session, reason=zh.CLOSED_BECAUSE, now=planning.ended)
    drafting = _play(cast, thread, zh.DRAFTING, now=now)
    _walk(tasks[1], UNDER_WAY, reason=zh.TASK_MOVED)
    hand_over(
        cast.agent, zh.HANDOFF, source=planning.session, to=drafting.session, seq=planning.head_seq, now=planning.ended
    )
    summarise(cast.agent, zh.SUMMARY, session=drafting.session, to_seq=drafting.head_seq, now=drafting.ended)
    # The harness left its place in the text before it was cut off: idle first, with the place, then interrupted.
    _pause(drafting, reason="checkpoint", resume_point=zh.RESUME_POINT)
    interrupt(drafting.session, kind="harness_exit", reason=zh.INTERRUPTED, now=drafting.ended)
    return thread, drafting


def _play_paused(cast: Cast, text: ThreadText, scene: Scene, *, reason: str, now: datetime) -> Played:
    thread = _thread(cast.agent, text, now=now - scene.ago)
    played = _play(cast, thread, scene, now=now)
    _pause(played, reason=reason)
    return played


def _thread(acting: Acting, text: ThreadText, *, now: datetime) -> Thread:
    wish = ThreadWish(title=text.title, type=text.type, tags=text.tags, keywords=text.keywords, summary=text.summary)
    return create_thread(acting, wish, now=now)


def _play(cast: Cast, thread: Thread, scene: Scene, *, now: datetime) -> Played:
    began = now - scene.ago
    opening = open_or_resume(cast.agent, thread, OpenWish(role=scene.role), now=began)
    times = [began + scene.pace * n for n in range(len(scene.lines))]
    events = [_event(n, line, at) for n, (line, at) in enumerate(zip(scene.lines, times, strict=True), start=1)]
    done = append(cast.agent, opening.session.pk, events, now=times[-1])
    return Played(opening=opening, head_seq=done.head_seq, ended=times[-1] + timedelta(minutes=1))


def _event(n: int, line: Line, at: datetime) -> NewEvent:
    return NewEvent(
        client_id=f"demo-{n}",
        role=line.role,
        kind=line.kind,
        text=line.text,
        tool=line.tool,
        failed=line.failed,
        attested_by=AttestedBy.HARNESS if line.attested else AttestedBy.AGENT,
        occurred_at=at,
    )


def _pause(played: Played, *, reason: str, resume_point: str = "") -> None:
    end_attempt(played.opening.attempt, now=played.ended, reason=reason)
    advance_session(played.session, SessionState.IDLE, reason=reason, resume_point=resume_point)


def _tasks(acting: Acting, thread: Thread, texts: Sequence[TaskText], *, now: datetime) -> list[Task]:
    tasks: list[Task] = []
    for n, text in enumerate(texts):
        wish = TaskWish(
            title=text.title,
            brief=text.brief,
            phase=text.phase,
            risk=text.risk,
            next_steps=text.next_steps,
            depends_on=[tasks[other].pk for other in text.depends_on],
        )
        tasks.append(create_task(acting, thread, wish, now=now + timedelta(seconds=n)))
    return tasks


def _walk(task: Task, states: Sequence[TaskState], *, reason: str) -> None:
    for state in states:
        move_task(task, state, reason=reason)


def _sharpen_vision(owner: Acting, thread: Thread) -> None:
    """Add what the owner wants to the goal that the first request left as version 1."""
    first = Vision.objects.filter(thread=thread).latest("version")
    wish = VisionWish(
        origin_goal=first.origin_goal,
        origin_ref=first.origin_ref,
        done_when=zh.VISION.done_when,
        non_goals=zh.VISION.non_goals,
        user_priorities=zh.VISION.user_priorities,
        quality_bar=zh.VISION.quality_bar,
    )
    write_vision(thread, wish, acting=owner, source=VisionSource.MAINTAINER, base=first)


def _learn(acting: Acting, lesson: LessonText, played: Played) -> Memory:
    return learn(acting, lesson, played.session, now=played.ended)


def _admit(owner: Acting, memories: Sequence[Memory], *, now: datetime) -> None:
    for memory in memories:
        admit(owner, memory, reason=ADMITTED, now=now)
