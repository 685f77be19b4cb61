"""Sending a task back: whoever does it goes on in the session it had, with what was found and nothing else."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.db.models import Case, F, Q, QuerySet, When

from governance.actors import Acting
from governance.errors import Invalid
from governance.vocabulary import ActorKind
from sessions.context.cuts import one_line
from sessions.handoff_words import Say, sentence
from sessions.handoff_writing import QUOTE_TOKENS, Parts, Records, written
from sessions.handoffs import HandoffWish, write_handoff
from sessions.live import hold
from sessions.models import Attempt, Handoff, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, HandoffOccasion
from sessions.windows import check_works_in, hand_over
from threads import dag
from threads.models import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class BackWish:
    """Why a task goes back. `session` is the one that found it wanting; without it, the sender's own is looked for."""

    reason: str
    session: Session | None = None
    parts: Parts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBack:
    """What became of it: the session that goes on, and the handoff to it; None where there is none."""

    task: Task
    to: Session | None
    handoff: Handoff | None


def send_back(acting: Acting, task: Task, wish: BackWish, *, now: datetime) -> SentBack:
    """Return a task under review to the session that did it, in the open scope.

    The reason becomes the task's first next step. The sender's session writes a handoff to that session and waits,
    idle; the two dialogues never meet. A human who sends it back has no session of their own: their handoff is written
    from what was found in the review, and nobody's work is stopped by it. Where nothing was said there is no handoff.
    Raises Clash (not_under_review) and what handing over raises.
    """
    sender = wish.session or _own_session(acting, task)
    if sender is not None:
        _check_sender(acting, sender, task)
    dag.send_back(task, reason=wish.reason)
    to = _doer(task, sender)
    if sender is not None:
        empty = sender.head_seq == 0 and wish.parts is None
        handoff = None if empty else hand_over(acting, sender, _handed(to, wish), now=now)
    elif to is not None and acting.kind is ActorKind.HUMAN:
        reviewing = _reviewing(task, to) or to
        hold(reviewing)
        handoff = write_handoff(acting, reviewing, _handed(to, wish), now=now) if reviewing.head_seq else None
    else:
        handoff = None
    return SentBack(task=task, to=to, handoff=handoff)


def _handed(to: Session | None, wish: BackWish) -> HandoffWish:
    return HandoffWish(
        next_actor=to.role if to else "",
        parts=wish.parts,
        write=partial(_parts, reason=wish.reason),
        to_session=to if to and to.state in LIVE else None,
        occasion=HandoffOccasion.SENT_BACK,
    )


def _own_session(acting: Acting, task: Task) -> Session | None:
    """Return the session on the task, or on none, in which the sender is at work just now."""
    running = Attempt.objects.filter(actor_id=acting.actor_id, state=AttemptState.RUNNING)
    mine = Session.objects.filter(_on(task), pk__in=running.values("session_id"), state__in=LIVE)
    return mine.select_related("thread").order_by(F("task_id").asc(nulls_last=True), "-last_event_at").first()


def _check_sender(acting: Acting, sender: Session, task: Task) -> None:
    check_works_in(acting, sender, pointer="/session_id")
    if sender.thread_id != task.thread_id:
        raise Invalid.at("/session_id", "belongs to another thread than the task", code="threads_differ")


def _doer(task: Task, sender: Session | None) -> Session | None:
    """Return the session that did the task: the one that handed it to the sender, else the first of another role."""
    rows = Session.objects.filter(_on(task)).select_related("thread", "task")
    if sender is None:
        return _first_live(rows)
    to_sender = Q(to_session=sender) | Q(to_session=None, next_actor=sender.role)
    handed = Handoff.objects.filter(to_sender, from_session__thread_id=task.thread_id).exclude(from_session=sender)
    given = handed.filter(Q(task=task) | Q(task=None)).order_by("-created_at", "-id").first()
    return rows.filter(pk=given.from_session_id).first() if given else _first_live(rows.exclude(role=sender.role))


def _reviewing(task: Task, doer: Session) -> Session | None:
    """Return the session of another role that last said something about the task; None where nobody reviewed it."""
    others = Session.objects.filter(_on(task), state__in=LIVE, head_seq__gt=0).exclude(role=doer.role)
    return others.select_related("thread", "task").order_by(F("task_id").asc(nulls_last=True), "-last_event_at").first()


def _first_live(rows: QuerySet[Session]) -> Session | None:
    over = Case(When(state__in=LIVE, then=0), default=1)
    return rows.order_by(F("task_id").asc(nulls_last=True), over, "created_at").first()


def _on(task: Task) -> Q:
    return Q(thread_id=task.thread_id) & (Q(task=task) | Q(task=None))


def _parts(records: Records, *, reason: str) -> Parts:
    """Return what the sender's records say, with the reason first: it is what the doer has to mend.

    The task's next steps are left to the task, which begins with the reason by now.
    """
    parts = written(replace(records, task=records.task and replace(records.task, next_steps=())))
    line = sentence(Say.SENT_BACK, like=reason, quote=one_line(reason, QUOTE_TOKENS * 4))
    return replace(
        parts,
        summary=f"{line}\n{parts.summary}",
        unfinished_items=[line, *parts.unfinished_items],
        resume_suggestion=line,
        next=[line, *parts.next],
    )
