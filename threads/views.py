"""Pages with forms on threads and their intent. The thread's own page reads sessions, so it lives there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Clash, Refusal
from governance.forms import posted, status_of
from governance.invisible import made_visible
from governance.models import Proposal
from governance.pages import Desk, blame, done, project_page, refused, show
from governance.proposal_words import ASKED
from governance.scope import project_scope
from governance.vocabulary import Deed
from threads import lifecycle
from threads.api import thread_here
from threads.forms import ThreadForm, VisionForm, is_stale, seen_now, status_after, title_form
from threads.models import Thread, Vision
from threads.places import above, thread_address
from threads.vision_edits import must_propose, revise_vision, take_up
from threads.vision_reading import EditWaiting, edits_in, vision_now, waiting_edits


@project_page
def new_thread(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Open a thread by hand."""
    desk.check(Deed.OPEN_THREAD)
    form = ThreadForm(posted(request))
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                thread = lifecycle.open_thread(desk.acting, form.wish(), now=timezone.now())
        except Refusal as refusal:
            blame(form, refusal)
        else:
            words = gettext(
                "The thread is there. Write into it, or write its vision. One that stays empty for a day is archived."
            )
            return done(request, words, to=thread_address(desk, thread))
    shown: dict[str, Any] = {"form": form, "above": above(desk)}
    return show(request, desk, "threads/new_thread.html", status=status_of(form), section="threads", **shown)


@project_page
def rename_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Give a thread a person's title."""
    desk.check(Deed.RENAME_THREAD)
    thread = _thread(desk, thread_id)
    form, status, stale = title_form(posted(request), thread), 200, False
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                row = thread_here(thread_id, lock=True)
                title, seen = form.cleaned_data["title"], form.cleaned_data["version"]
                lifecycle.rename_thread(desk.acting, row, title, seen=seen)
        except Refusal as refusal:
            thread = _thread(desk, thread_id)
            status, stale = status_after(refusal), is_stale(refusal)
            seen_now(form, thread.version)
            blame(form, refusal)
        else:
            words = gettext("Renamed. The title stays, and the next packet of the thread carries it.")
            return done(request, words, to=thread_address(desk, thread))
    shown: dict[str, Any] = {"form": form, "thread": thread, "stale": stale, "above": above(desk, thread)}
    shown["current"] = made_visible(thread.title)
    status = status if status != 200 else status_of(form)
    return show(request, desk, "threads/rename_thread.html", status=status, section="threads", **shown)


@project_page
def edit_vision(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Write the next version of a thread's original intent, or propose it where the policy says so."""
    desk.check(Deed.EDIT_VISION)
    place = _place(desk, thread_id)
    form, status, stale = VisionForm(posted(request), base=place.base, proposes=place.proposes), 200, False
    try:
        lifecycle.check_open(place.thread)
        if form.is_valid():
            with project_scope(desk.acting):
                made = _revised(desk, thread_id, form)
            return _told(request, desk, place.thread, made)
    except Refusal as refusal:
        if not form.is_bound:
            return refused(request, refusal, to=thread_address(desk, place.thread))
        place = _place(desk, thread_id)
        status, stale = status_after(refusal), is_stale(refusal)
        seen_now(form, place.base.version if place.base else 0)
        blame(form, refusal)
    shown: dict[str, Any] = {"form": form, "thread": place.thread, "stale": stale, "above": above(desk, place.thread)}
    shown |= {"proposes": place.proposes, "waiting": place.waiting}
    if stale and place.base is not None:
        shown["vision"] = vision_now(place.base)
    status = status if status != 200 else status_of(form)
    return show(request, desk, "threads/edit_vision.html", status=status, section="threads", **shown)


def _revised(desk: Desk, thread_id: str, form: VisionForm) -> Vision | Proposal:
    sent, taken = form.cleaned_data, take_up(desk.acting, thread_here(thread_id))
    why, seen = sent.get("why", ""), sent["version"]
    return revise_vision(desk.acting, taken, form.wish(), seen=seen, now=timezone.now(), why=why)


def _told(request: HttpRequest, desk: Desk, thread: Thread, made: Vision | Proposal) -> HttpResponse:
    if isinstance(made, Proposal):
        return done(request, ASKED, to=reverse("proposal", args=[desk.seat.public_id, made.public_id]))
    words = gettext("Stored as version %(version)s. The next packet of the thread carries it.")
    return done(request, words % {"version": made.version}, to=thread_address(desk, thread))


@require_POST
@project_page
def archive_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Put a thread away."""
    desk.check(Deed.ARCHIVE_THREAD)
    to = reverse("thread", args=[desk.seat.public_id, thread_id])
    try:
        with project_scope(desk.acting):
            lifecycle.archive_thread(desk.acting, thread_here(thread_id, lock=True), reason="asked in the console")
    except Clash as refusal:
        return refused(request, refusal, to=to)
    words = gettext("Archived. It takes no requests and no entries until it is opened again; nothing is lost.")
    return done(request, words, to=to)


@require_POST
@project_page
def reopen_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Open an archived thread again."""
    desk.check(Deed.ARCHIVE_THREAD)
    to = reverse("thread", args=[desk.seat.public_id, thread_id])
    try:
        with project_scope(desk.acting):
            lifecycle.reopen_thread(desk.acting, thread_here(thread_id, lock=True), reason="asked in the console")
    except Clash as refusal:
        return refused(request, refusal, to=to)
    return done(request, gettext("Open again. Requests find it as before."), to=to)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A thread, its newest vision, whether an edit of it would be a proposal, and the edits that wait."""

    thread: Thread
    base: Vision | None
    proposes: bool
    waiting: Sequence[EditWaiting]


def _place(desk: Desk, thread_id: str) -> _Place:
    """Read a thread of the desk's project and what is wanted of it; raises NotThere."""
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        [edits] = Thread.objects.filter(pk=thread.pk).values_list(waiting_edits(), flat=True)
        return _Place(
            thread=thread,
            base=Vision.objects.filter(thread=thread).select_related("author").order_by("-version").first(),
            proposes=must_propose(desk.acting, thread),
            waiting=edits_in(edits),
        )


def _thread(desk: Desk, thread_id: str) -> Thread:
    """Read a thread of the desk's project; raises NotThere."""
    with project_scope(desk.acting, read_only=True):
        return thread_here(thread_id)
