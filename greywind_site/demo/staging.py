"""The plots of the demo: who does what on which thread, in which order."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from governance.actors import Acting
from governance.proposals import ProposalWish, propose
from governance.scope import project_scope
from governance.vocabulary import ContractKind
from greywind_site.demo import contracts, en, en_notes, mixed, private, talk, zh, zh_notes
from greywind_site.demo.casting import Cast
from greywind_site.demo.playing import Played, open_window, pause, play
from greywind_site.demo.records import hand_over, learn, summarise
from greywind_site.demo.stories import TaskText, ThreadText, VisionText, Who
from sessions.vocabulary import InterruptionKind
from sessions.windows import close, interrupt
from threads.dag import TaskWish, create_task, move_task, send_back
from threads.lifecycle import BindingWish, ThreadWish, create_thread
from threads.models import Task, Thread
from threads.visions import VisionWish, current_vision, write_vision
from threads.vocabulary import TaskState, ThreadType, VisionSource

ASKED = timedelta(hours=5)  # before now: after Tester sent the work back
READY = (TaskState.READY,)
DOING = (*READY, TaskState.DOING)
BLOCKED = (*DOING, TaskState.BLOCKED)
REVIEW = (*DOING, TaskState.REVIEW)
DONE = (*REVIEW, TaskState.DONE)


def stage(cast: Cast, *, now: datetime) -> None:
    """Play all stories. The design thread comes last: it is the one that the printed key's agent goes on with."""
    _chat(cast, now=now)
    _search(cast, now=now)
    _export(cast, now=now)
    _private_notes(cast, now=now)
    _ask_for_a_preference(cast, now=now)
    _design(cast, now=now)


def _chat(cast: Cast, *, now: datetime) -> None:
    thread = _thread(cast[Who.GREYWIND], talk.THREAD, now=now - talk.CHATTING.ago)
    pause(play(open_window(cast, thread, talk.CHATTING, now=now)), reason=talk.PAUSED)


def _private_notes(cast: Cast, *, now: datetime) -> None:
    thread = _thread(cast[Who.OWNER], private.THREAD, now=now - private.THINKING.ago)
    thinking = play(open_window(cast, thread, private.THINKING, now=now))
    learn(private.MEMORIES, thinking)


def _ask_for_a_preference(cast: Cast, *, now: datetime) -> None:
    wish = ProposalWish(
        kind=ContractKind.PERSONA,
        slug="default",
        body=contracts.asked_persona(),
        title=contracts.ASKED_TITLE,
        rationale=contracts.ASKED_BECAUSE,
    )
    with project_scope(cast[Who.GREYWIND]):
        propose(cast[Who.GREYWIND], wish, now=now - ASKED)


def _search(cast: Cast, *, now: datetime) -> None:
    thread = _thread(cast[Who.CHIEF], mixed.THREAD, now=now - mixed.SURVEYING.ago)
    surveying = play(open_window(cast, thread, mixed.SURVEYING, now=now))
    survey, cutting, joining, _ = _tasks(cast[Who.CHIEF], thread, mixed.TASKS, now=surveying.ended)
    _sharpen_vision(cast[Who.MAINTAINER], thread, mixed.VISION)
    pause(surveying, reason=mixed.SURVEYED)
    window = open_window(cast, thread, mixed.CUTTING, now=now)
    hand_over(mixed.TO_DEV, source=surveying, to=window.session)
    _walk(cast[Who.DEV], survey, DONE, reason=mixed.MOVED)
    _walk(cast[Who.DEV], cutting, DOING, reason=mixed.MOVED)
    cut = play(window)
    _walk(cast[Who.DEV], cutting, (TaskState.REVIEW,), reason=mixed.CUT)
    _walk(cast[Who.CHIEF], joining, READY, reason=mixed.MOVED)
    summarise(mixed.SUMMARY, cut)
    pause(cut, reason=mixed.CUT)
    hand_over(mixed.TO_TESTER, source=cut, to=None)
    learn(mixed.MEMORIES, cut)
    learn(mixed.DISPUTED, cut)


def _export(cast: Cast, *, now: datetime) -> None:
    thread = _thread(cast[Who.CHIEF], en.THREAD, now=now - en.PLANNING.ago)
    planning = play(open_window(cast, thread, en.PLANNING, now=now))
    golden, writer, proxy, memory, *_ = _tasks(cast[Who.CHIEF], thread, en_notes.TASKS, now=planning.ended)
    _sharpen_vision(cast[Who.OWNER], thread, en_notes.VISION)
    pause(planning, reason=en.PLANNED)
    _walk(cast[Who.CHIEF], proxy, BLOCKED, reason=en_notes.WAITING)
    building = _build(cast, planning, (golden, writer), now=now)
    _walk(cast[Who.CHIEF], memory, READY, reason=en_notes.MOVED)
    _check(cast, building, writer, now=now)


def _build(cast: Cast, planning: Played, tasks: tuple[Task, Task], *, now: datetime) -> Played:
    golden, writer = tasks
    window = open_window(cast, planning.session.thread, en.BUILDING, now=now)
    hand_over(en_notes.TO_DEV, source=planning, to=window.session)
    _walk(cast[Who.DEV], golden, DONE, reason=en_notes.MOVED)
    _walk(cast[Who.DEV], writer, DOING, reason=en_notes.MOVED)
    building = play(window)
    _walk(cast[Who.DEV], writer, (TaskState.REVIEW,), reason=en.BUILT)
    pause(building, reason=en.BUILT)
    learn(en_notes.BUILT_MEMORIES, building)
    return building


def _check(cast: Cast, building: Played, writer: Task, *, now: datetime) -> None:
    """Tester looks at what Dev built, sends it back, and Dev goes on in the session it had."""
    built = summarise(en_notes.BUILT_SUMMARY, building)
    window = open_window(cast, building.session.thread, en.CHECKING, now=now)
    hand_over(en_notes.TO_TESTER, source=building, to=window.session)
    checking = play(window)
    with project_scope(cast[Who.TESTER]):
        send_back(writer, reason=en.SENT_BACK)
    pause(checking, reason=en.CHECKED)
    hand_over(en_notes.BACK_TO_DEV, source=checking, to=building.session)
    learn(en_notes.CHECKED_MEMORIES, checking)
    mending = play(open_window(cast, building.session.thread, en.MENDING, now=now))
    summarise(en_notes.MENDED_SUMMARY, mending, parent=built)
    learn(en_notes.MENDED_MEMORIES, mending)
    pause(mending, reason=en.MENDED, resume_point=en.RESUME_POINT)


def _design(cast: Cast, *, now: datetime) -> None:
    thread = _thread(cast[Who.CHIEF], zh.THREAD, now=now - zh.PLANNING.ago)
    planning = play(open_window(cast, thread, zh.PLANNING, now=now))
    data_format, machine, _ = _tasks(cast[Who.CHIEF], thread, zh_notes.TASKS, now=planning.ended)
    _walk(cast[Who.CHIEF], data_format, DONE, reason=zh_notes.TASK_MOVED)
    _sharpen_vision(cast[Who.OWNER], thread, zh_notes.VISION)
    window = open_window(cast, thread, zh.DRAFTING, now=now)
    hand_over(zh_notes.HANDOFF, source=planning, to=window.session)
    with project_scope(cast[Who.CHIEF]):
        close(cast[Who.CHIEF], planning.session, reason=zh.CLOSED_BECAUSE, now=planning.ended)
    _walk(cast[Who.GREYWIND], machine, DOING, reason=zh_notes.TASK_MOVED)
    drafting = play(window)
    summarise(zh_notes.SUMMARY, drafting)
    learn(zh_notes.LESSONS, drafting)
    # The harness left its place in the text before it was cut off: idle first, with the place, then interrupted.
    pause(drafting, reason="checkpoint", resume_point=zh_notes.RESUME_POINT)
    with project_scope(cast[Who.GREYWIND]):
        interrupt(
            cast[Who.GREYWIND],
            drafting.session,
            kind=InterruptionKind.PROCESS_EXIT,
            reason=zh_notes.INTERRUPTED,
            now=drafting.ended,
        )


def _thread(acting: Acting, text: ThreadText, *, now: datetime) -> Thread:
    wish = ThreadWish(
        title=text.title,
        type=text.type,
        tags=text.tags,
        keywords=text.keywords,
        summary=text.summary,
        private=text.type is ThreadType.PERSONAL,
        bindings=[BindingWish(channel=text.channel)] if text.channel else (),
    )
    with project_scope(acting):
        return create_thread(acting, wish, now=now)


def _tasks(acting: Acting, thread: Thread, texts: Sequence[TaskText], *, now: datetime) -> list[Task]:
    tasks: list[Task] = []
    with project_scope(acting):
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


def _walk(acting: Acting, task: Task, states: Sequence[TaskState], *, reason: str) -> None:
    with project_scope(acting):
        for state in states:
            move_task(task, state, reason=reason)


def _sharpen_vision(human: Acting, thread: Thread, text: VisionText) -> None:
    """Add what a human wants to the goal that the first request left as version 1."""
    with project_scope(human):
        first = current_vision(thread)
        wish = VisionWish(
            origin_goal=first.origin_goal if first else thread.summary,
            origin_ref=first.origin_ref if first else "",
            done_when=text.done_when,
            non_goals=text.non_goals,
            user_priorities=text.user_priorities,
            quality_bar=text.quality_bar,
        )
        write_vision(thread, wish, acting=human, source=VisionSource.MAINTAINER, base=first)
