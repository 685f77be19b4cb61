"""HTTP: merging threads, splitting one, and undoing either; each can be asked for as a preview that changes nothing."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import Field, Strict

from governance.input import LARGEST_COUNT, Flag, Id, Input, OptionalText, Title
from governance.replays import once
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer, check_if_match
from sessions.lineage_json import merge_out, split_out, undo_out
from sessions.merging import MergeWish, merge, plan_merge
from sessions.splitting import MOST_PARTS, Part, SplitWish, plan_split, split
from sessions.undoing import UndoWish, plan_undo, undo
from threads.api import thread_here, thread_out, with_lineage
from threads.models import Thread

router = Router(tags=["threads"])
type Version = Annotated[int, Strict(), Field(ge=1, le=LARGEST_COUNT)]
type Ids = Annotated[list[Id], Field(max_length=1000)]


class MergeIn(Input):
    into_thread_id: Id
    into_version: Version | None = None
    reason: OptionalText = ""
    dry_run: Flag = False


class PartIn(Input):
    title: Title
    session_ids: Ids = []
    task_ids: Ids = []


class SplitIn(Input):
    parts: Annotated[list[PartIn], Field(min_length=1, max_length=MOST_PARTS)]
    reason: OptionalText = ""
    dry_run: Flag = False


class UndoIn(Input):
    reason: OptionalText = ""
    dry_run: Flag = False


@router.post("/threads/{thread_id}/merge", operation_id="merge_thread")
def post_merge(request: HttpRequest, thread_id: str, body: MergeIn) -> HttpResponse:
    """Make a thread part of another one. Needs If-Match and a reason; `dry_run` shows what would move, or what stands
    against it.
    """
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting, read_only=body.dry_run):
            source, into = thread_here(thread_id), thread_here(body.into_thread_id, pointer="/into_thread_id")
            seen = _seen(request, source, preview=body.dry_run)
            if body.dry_run:
                return _preview(merge_out(plan_merge(source, into)), seen)
            wish = MergeWish(source=source, into=into, reason=body.reason, seen=seen, seen_into=body.into_version)
            merge(acting, wish, now=timezone.now())
            return _told(source)

    return once(request, acting, act)


@router.post("/threads/{thread_id}/split", operation_id="split_thread")
def post_split(request: HttpRequest, thread_id: str, body: SplitIn) -> HttpResponse:
    """Make threads of parts of one. Needs If-Match and a reason; `dry_run` as for a merge."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)
    parts = [Part(title=part.title, sessions=part.session_ids, tasks=part.task_ids) for part in body.parts]

    def act() -> HttpResponse:
        with project_scope(acting, read_only=body.dry_run):
            thread = thread_here(thread_id)
            seen = _seen(request, thread, preview=body.dry_run)
            if body.dry_run:
                return _preview(split_out(plan_split(thread, parts), parts), seen)
            split(acting, SplitWish(thread=thread, parts=parts, reason=body.reason, seen=seen), now=timezone.now())
            return _told(thread)

    return once(request, acting, act)


@router.post("/threads/{thread_id}/undo", operation_id="undo_thread")
def post_undo(request: HttpRequest, thread_id: str, body: UndoIn) -> HttpResponse:
    """Undo what merged or split this thread, or the split that it came from. Needs If-Match and a reason."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting, read_only=body.dry_run):
            thread = thread_here(thread_id)
            seen = _seen(request, thread, preview=body.dry_run)
            if body.dry_run:
                return _preview(undo_out(plan_undo(thread)), seen)
            undo(acting, UndoWish(thread=thread, reason=body.reason, seen=seen), now=timezone.now())
            return _told(thread)

    return once(request, acting, act)


def _seen(request: HttpRequest, thread: Thread, *, preview: bool) -> int:
    """Return the version that If-Match names, which a preview may leave out; it is compared again under the lock."""
    if not preview or "If-Match" in request.headers:
        check_if_match(request, thread.version, lambda: thread_out(thread))
    return thread.version


def _preview(told: Mapping[str, Any], version: int) -> HttpResponse:
    """Return a preview with the version of the thread that it was made from, which If-Match asks for."""
    return answer({**told, "version": version}, version=version)


def _told(thread: Thread) -> HttpResponse:
    thread.refresh_from_db()
    return answer(with_lineage(thread), version=thread.version)
