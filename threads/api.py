"""HTTP: threads, and a dry run of the resolver."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import held_role
from governance.errors import Invalid, NotThere
from governance.ids import parse_id
from governance.input import Channel, Flag, Id, Input, OptionalText, Page, Text, Title, Word, Words
from governance.replays import once
from governance.scope import project_scope
from governance.vocabulary import Destination, KeyScope
from governance.web import acting_of, answer, check_if_match, listed, newest_first, row_here
from threads.lifecycle import BindingWish, ThreadWish, change_thread, create_thread, move_thread, successors
from threads.lineage import Moved, lineages_of
from threads.models import Binding, Lineage, Task, Thread
from threads.resolution import ThreadQuery, resolve, shown
from threads.vocabulary import ThreadState, ThreadType

router = Router(tags=["threads"])


class BindingIn(Input):
    channel: Channel
    """Where words come in, such as feishu:oc_1."""
    page: Page | None = None
    """A page or topic inside the channel."""
    audience: Destination = Destination.PROJECT
    """Who reads along there: nothing reaches it that not all of them may read."""


class ThreadIn(Input):
    title: Title
    """What the line of work is called."""
    type: ThreadType = ThreadType.WORK
    """Work, or small talk, which has no vision."""
    tags: Words = []
    """Words that it is sorted by."""
    keywords: Words = []
    """Words by which it is found."""
    summary: OptionalText = ""
    """What it is about, in words."""
    private: Flag = False
    """For the caller alone."""
    bindings: Annotated[list[BindingIn], Field(max_length=50)] = []
    """Channels whose words belong to it."""


class ThreadChange(Input):
    title: Title | None = None
    summary: OptionalText | None = None
    tags: Words | None = None
    keywords: Words | None = None
    state: ThreadState | None = None


class ChannelIn(Input):
    channel: Channel
    page: Page | None = None


class ResolveIn(Input):
    raw_text: Text
    """The words whose thread is asked for."""
    thread_id: Id | None = None
    """The thread, where it is known."""
    task_id: Id | None = None
    """The task, where it is known."""
    binding: ChannelIn | None = None
    """The channel that they came in by."""
    role: Word | None = None
    """The role that asks; left out, the agent's first."""


@router.post("/threads", operation_id="create_thread")
def post_thread(request: HttpRequest, body: ThreadIn) -> HttpResponse:
    """Make a thread. A private one is the caller's alone; bindings tie channels to it."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting):
            thread = create_thread(acting, _wish(body), now=timezone.now())
            return answer(thread_out(thread), status=201, version=thread.version)

    return once(request, acting, act)


@router.get("/threads", operation_id="list_threads")
def get_threads(
    request: HttpRequest, state: ThreadState = ThreadState.OPEN, cursor: str | None = None, limit: int | None = None
) -> HttpResponse:
    """List threads in one state, newest first."""
    with project_scope(acting_of(request, KeyScope.SESSION_WRITE), read_only=True):
        return answer(listed(newest_first(Thread.objects.filter(state=state), cursor=cursor, limit=limit), thread_out))


# Before the paths that begin with an id: the first fitting path answers.
@router.post("/threads/resolve", operation_id="resolve_thread")
def post_resolve(request: HttpRequest, body: ResolveIn) -> HttpResponse:
    """Say where an input would go, and why. Changes nothing."""
    acting = acting_of(request, KeyScope.CONTEXT_COMPILE)
    role = held_role(acting, body.role)
    with project_scope(acting, read_only=True):
        resolution = resolve(acting, _query(body, role), now=timezone.now())
        match = resolution.match
        proposed = {"new_type": match.new_type, "new_title": match.new_title, "speech": match.speech}
        return answer(shown(resolution, resolution.thread) | proposed)


@router.get("/threads/{thread_id}", operation_id="get_thread")
def get_thread(request: HttpRequest, thread_id: str) -> HttpResponse:
    """Show a thread with its bindings and its lineage."""
    with project_scope(acting_of(request, KeyScope.SESSION_WRITE), read_only=True):
        thread = thread_here(thread_id)
        return answer(with_lineage(thread) | {"bindings": _bindings(thread)}, version=thread.version)


@router.patch("/threads/{thread_id}", operation_id="change_thread")
def patch_thread(request: HttpRequest, thread_id: str, body: ThreadChange) -> HttpResponse:
    """Change a thread, or archive and reopen it. Needs If-Match."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting):
            thread = thread_here(thread_id, lock=True)
            check_if_match(request, thread.version, lambda: thread_out(thread))
            _change(thread, body)
            return answer(thread_out(thread), version=thread.version)

    return once(request, acting, act)


def thread_here(thread_id: str, *, pointer: str = "{thread_id}", lock: bool = False) -> Thread:
    """Return a thread of the open scope by public id, as `row_here` does."""
    return row_here(Thread.objects.all(), "thr", thread_id, pointer=pointer, lock=lock)


def thread_out(thread: Thread) -> dict[str, Any]:
    """Return a thread as the API shows it."""
    return {
        "id": thread.public_id,
        "title": thread.title,
        "type": thread.type,
        "state": thread.state,
        "provisional": thread.provisional,
        "summary": thread.summary,
        "tags": thread.tags,
        "keywords": thread.keywords,
        "audience": thread.audience,
        "version": thread.version,
        "created_at": thread.created_at,
        "last_active_at": thread.last_active_at,
    }


def with_lineage(thread: Thread) -> dict[str, Any]:
    """Return a thread as the API shows it, with what it passed on and received, in the open scope."""
    lineage = [_lineage(row) for row in lineages_of(thread)]
    return thread_out(thread) | {"successors": successors(thread), "lineage": lineage}


def _lineage(row: Lineage) -> dict[str, Any]:
    plain = ("kind", "state", "whole", "reason", "created_at", "undone_at", "undone_because")
    ends = {"from": row.source.public_id, "to": row.target.public_id, "moved": Moved.of(row).counts}
    return {"id": row.public_id, **ends, **{name: getattr(row, name) for name in plain}}


def _wish(body: ThreadIn) -> ThreadWish:
    ties = [BindingWish(channel=tie.channel, page=tie.page or "", destination=tie.audience) for tie in body.bindings]
    return ThreadWish(**body.model_dump(exclude={"bindings"}), title_is_human=False, bindings=ties)


def _bindings(thread: Thread) -> list[dict[str, Any]]:
    ties = Binding.objects.filter(thread=thread).order_by("created_at", "id")
    return [{"channel": tie.channel, "page": tie.page, "audience": tie.destination} for tie in ties]


def _change(thread: Thread, body: ThreadChange) -> None:
    changes = body.model_dump(exclude_unset=True, exclude={"state"})
    if body.state is not None and body.state != thread.state:
        move_thread(thread, body.state, reason="asked by the API")
    if changes:
        change_thread(thread, _no_nulls(changes))


def _no_nulls(changes: dict[str, Any]) -> dict[str, Any]:
    for name, value in changes.items():
        if value is None:
            raise Invalid.at(f"/{name}", "leave it out to keep it; null is not a value here")
    return changes


def _query(body: ResolveIn, role: str) -> ThreadQuery:
    tie = body.binding
    named = parse_id("thr", body.thread_id, pointer="/thread_id") if body.thread_id else None
    if body.task_id is not None:
        task = Task.objects.filter(pk=parse_id("tsk", body.task_id, pointer="/task_id")).first()
        if task is None:
            raise NotThere.there("/task_id")
        if named not in (None, task.thread_id):
            raise Invalid.at("/thread_id", "names another thread than /task_id belongs to", code="threads_differ")
        named = task.thread_id
    return ThreadQuery(
        text=body.raw_text,
        role=role,
        thread_id=named,
        channel=tie.channel if tie else None,
        page=(tie.page or "") if tie else "",
    )
