"""Finding the thread that a request belongs to: gather what the rules look at, let them decide, say why."""

import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery

from governance.actors import Acting
from governance.errors import Clash, NotThere
from governance.rows import first
from governance.vocabulary import Destination
from threads.hearing import talks_of
from threads.lifecycle import ThreadWish, check_open, create_thread
from threads.matching import MatchNumbers, MatchRequest, ThreadMatch, ThreadSignals, match_thread
from threads.models import Binding, Task, Thread, ThreadUse
from threads.speech import Reading, SpeechAct, read
from threads.talk import FEWEST_TALKS, Verdict, heard
from threads.vocabulary import TaskState, ThreadState, ThreadType

CANDIDATES = 128  # threads that the rules look at, most recently active first: older ones are found by binding
OPEN_TASKS = (TaskState.READY, TaskState.DOING, TaskState.REVIEW, TaskState.BLOCKED, TaskState.PLANNED)
UNTITLED = {ThreadType.SMALL_TALK: "闲聊 · Small talk", ThreadType.WORK: "新线程 · New thread"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadQuery:
    """What a request says about where it belongs. `thread_id` is the explicit one, however it was named.

    `reading` is of the text, where it was read before.
    """

    text: str
    role: str
    reading: Reading | None = None
    thread_id: uuid.UUID | None = None
    channel: str | None = None
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Where a request belongs. `thread` is None for a thread that is still to be made.

    `destination` says who reads what is compiled for it; None when no channel was named.
    """

    thread: Thread | None
    match: ThreadMatch
    destination: Destination | None = None


def resolve(acting: Acting, query: ThreadQuery, *, now: datetime) -> Resolution:
    """Return where the request belongs, in the open scope; changes nothing.

    Raises NotThere for an explicit thread that is not here, Clash (thread_not_open) for one that is not open.
    """
    explicit = _explicit(query.thread_id)
    binding = _binding(query) if query.channel else None
    bound = explicit or (binding.thread if binding else None)
    threads = {} if explicit else {thread.public_id: thread for thread in _candidates(acting, query)}
    if bound is not None:
        threads.setdefault(bound.public_id, bound)
    reading = query.reading or read(query.text)
    request = MatchRequest(
        text=query.text,
        reading=reading,
        bound_thread_id=bound.public_id if bound else None,
        now=now,
        standing_binding=explicit is None and binding is not None,
    )
    open_question = bound is None or request.standing_binding
    verdict = _verdict(query.text, reading, threads.values()) if open_question else None
    signals = [_signals_of(thread) for thread in threads.values()]
    match = match_thread(request, signals, match_numbers(), verdict=verdict)
    destination = Destination(binding.destination) if binding else None
    if query.channel and binding is None:
        # Nobody has said who reads along in this channel, so nothing private goes there.
        destination = Destination.PROJECT
    found = None if match.thread_id is None or match.ambiguous else threads[match.thread_id]
    return Resolution(thread=found, match=match, destination=destination)


def settle(acting: Acting, resolution: Resolution, *, now: datetime) -> Thread:
    """Return the thread of a resolution, made now when it is a new one.

    Raises Clash (thread_ambiguous) with the candidates when the rules could not choose.
    """
    match = resolution.match
    if match.ambiguous:
        message = "several threads fit; name one, or say more in user_input.raw_text"
        extra = {"candidates": [asdict(candidate) for candidate in match.candidates]}
        raise Clash.at("/thread_id", message, code="thread_ambiguous", extra=extra)
    if resolution.thread is not None:
        return resolution.thread
    kind = match.new_type or ThreadType.WORK
    title = match.new_title or UNTITLED.get(kind, UNTITLED[ThreadType.WORK])
    return create_thread(acting, ThreadWish(title=title, type=kind), now=now)


def shown(resolution: Resolution, thread: Thread | None, *, titles: bool = True) -> dict[str, Any]:
    """Return the resolution as the API shows it; without `titles` no words of the threads that were looked at."""
    match = resolution.match
    candidates = [asdict(candidate) for candidate in match.candidates]
    if not titles:
        for candidate in candidates:
            candidate.pop("title")
    return {
        "thread_id": thread.public_id if thread else None,
        "rule": match.rule.value,
        "confidence": round(match.confidence, 4),
        "ambiguous": match.ambiguous,
        "candidates": candidates,
    }


def match_numbers() -> MatchNumbers:
    """Return the thresholds that the operator set (GREYWIND_RESOLVER__…), as the rules take them."""
    numbers = settings.GREYWIND.resolver
    return MatchNumbers(
        recent_window=timedelta(hours=numbers.recent_window_hours),
        lean_window=timedelta(minutes=numbers.lean_window_minutes),
        recent_tie=timedelta(minutes=numbers.recent_tie_minutes),
        takeover_lead=timedelta(hours=numbers.takeover_lead_hours),
        semantic_floor=numbers.semantic_floor,
        semantic_sure=numbers.semantic_sure,
        ambiguity_margin=numbers.ambiguity_margin,
        lean_words=numbers.lean_words,
        add_words=numbers.add_words,
    )


def _explicit(thread_id: uuid.UUID | None) -> Thread | None:
    if thread_id is None:
        return None
    thread = first(Thread, "id = %s", thread_id)
    if thread is None:
        raise NotThere.there("/thread_id")
    check_open(thread)
    return thread


def _binding(query: ThreadQuery) -> Binding | None:
    tied = Binding.objects.filter(channel=query.channel, page__in=["", query.page], thread__state=ThreadState.OPEN)
    # The page's own binding is closer than the channel's, and one's own private one closer than the project's.
    found = sorted(tied.select_related("thread"), key=lambda row: (row.page != query.page, row.owner_id is None))
    return found[0] if found else None


def _candidates(acting: Acting, query: ThreadQuery) -> Iterable[Thread]:
    mine = ThreadUse.objects.filter(thread=OuterRef("pk"), actor_id=acting.actor_id, role=query.role)
    tasks = Task.objects.filter(thread=OuterRef("pk"), state__in=OPEN_TASKS).order_by("-created_at")
    return (
        Thread.objects.filter(state=ThreadState.OPEN)
        .annotate(
            mine_at=Subquery(mine.values("last_used_at")[:1]), task_titles=ArraySubquery(tasks.values("title")[:8])
        )
        .order_by("-last_active_at", "-id")[:CANDIDATES]
    )


def _verdict(text: str, reading: Reading, threads: Iterable[Thread]) -> Verdict | None:
    """Return how the threads compare by what was said in them; None for an input that is not asked of any."""
    lines = [thread for thread in threads if thread.type != ThreadType.SMALL_TALK]
    if len(lines) < FEWEST_TALKS or reading.act is not SpeechAct.REQUEST:
        return None
    return heard(text, talks_of(lines))


def _signals_of(thread: Thread) -> ThreadSignals:
    return ThreadSignals(
        thread_id=thread.public_id,
        type=ThreadType(thread.type),
        title=thread.title,
        tags=tuple(thread.tags),
        keywords=tuple(thread.keywords),
        recent_goals=tuple(thread.recent_goals),
        recent_tasks=tuple(getattr(thread, "task_titles", None) or ()),
        last_active_at=thread.last_active_at,
        last_active_by_me_at=getattr(thread, "mine_at", None),
        provisional=thread.provisional,
    )
