"""Pages with forms on threads and their intent. The thread's own page reads sessions, so it lives there."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Clash, Refusal
from governance.forms import posted, status_of
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, project_page, refused, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from threads import lifecycle
from threads.api import thread_here
from threads.forms import ThreadForm, VisionForm, is_stale, seen_now, status_after, title_form
from threads.models import Thread, Vision
from threads.places import above, thread_address
from threads.vision_reading import vision_now
from threads.visions import revise_vision


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
    thread, _ = _thread_and_vision(desk, thread_id)
    form, status, stale = title_form(posted(request), thread), 200, False
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                row = thread_here(thread_id, lock=True)
                title, seen = form.cleaned_data["title"], form.cleaned_data["version"]
                lifecycle.rename_thread(desk.acting, row, title, seen=seen)
        except Refusal as refusal:
            thread, _ = _thread_and_vision(desk, thread_id)
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
    """Write the next version of a thread's original intent."""
    desk.check(Deed.EDIT_VISION)
    thread, base = _thread_and_vision(desk, thread_id)
    form, status, stale = VisionForm(posted(request), base=base), 200, False
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                row = thread_here(thread_id, lock=True)
                vision = revise_vision(desk.acting, row, form.wish(), seen=form.cleaned_data["version"])
        except Refusal as refusal:
            thread, base = _thread_and_vision(desk, thread_id)
            status, stale = status_after(refusal), is_stale(refusal)
            seen_now(form, base.version if base else 0)
            blame(form, refusal)
        else:
            words = gettext("Stored as version %(version)s. The next packet of the thread carries it.")
            return done(request, words % {"version": vision.version}, to=thread_address(desk, thread))
    shown: dict[str, Any] = {"form": form, "thread": thread, "stale": stale, "above": above(desk, thread)}
    if stale and base is not None:
        shown["vision"] = vision_now(base)
    status = status if status != 200 else status_of(form)
    return show(request, desk, "threads/edit_vision.html", status=status, section="threads", **shown)


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


def _thread_and_vision(desk: Desk, thread_id: str) -> tuple[Thread, Vision | None]:
    """Read a thread of the desk's project and its newest vision; raises NotThere."""
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        vision = Vision.objects.filter(thread=thread).select_related("author").order_by("-version").first()
        return thread, vision
