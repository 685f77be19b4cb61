"""The page of a work summary's version: what it says, what it covers, what changed; written anew or restored there."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Invalid, NotThere, Refusal
from governance.pages import Desk, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.consolidation_due import catch_up
from sessions.models import WorkSummary
from sessions.summaries.writing import submit
from sessions.summary_reading import address_of, summary_page, thread_of


@project_page
@require_safe
def summary(request: HttpRequest, desk: Desk, summary_id: str) -> HttpResponse:
    """One version of a session's work summary."""
    return _shown(request, desk, summary_id)


@project_page
@require_POST
def renew_summary(request: HttpRequest, desk: Desk, summary_id: str) -> HttpResponse:
    """Work what no version covers yet into the next one."""

    def act(row: WorkSummary) -> HttpResponse:
        outcome = catch_up(desk.acting, row.session, trigger="asked_in_console", now=timezone.now())
        newest = outcome.summary or row
        if outcome.problems:
            words = gettext("The next version was refused; the last valid one stays current.")
        elif outcome.published:
            words = gettext("Version %(n)s was written.") % {"n": newest.version}
        else:
            words = gettext("Nothing was said since; the current version stands.")
        return done(request, words, to=address_of(desk.seat.public_id, newest))

    return _acted(request, desk, summary_id, act)


@project_page
@require_POST
def restore_summary(request: HttpRequest, desk: Desk, summary_id: str) -> HttpResponse:
    """Publish what an earlier version says as the next one, where the validators let it pass."""

    def act(row: WorkSummary) -> HttpResponse:
        trigger = f"restored_{row.version}"
        newest = submit(desk.acting, row.session, row.sections, base=None, trigger=trigger, now=timezone.now())
        words = gettext("Version %(n)s says what version %(old)s said.") % {"n": newest.version, "old": row.version}
        return done(request, words, to=address_of(desk.seat.public_id, newest))

    return _acted(request, desk, summary_id, act)


def _acted(
    request: HttpRequest, desk: Desk, summary_id: str, act: Callable[[WorkSummary], HttpResponse]
) -> HttpResponse:
    desk.check(Deed.SPEAK)
    try:
        with project_scope(desk.acting):
            return act(_here(summary_id))
    except Invalid as refusal:
        return _shown(request, desk, summary_id, refusal=refusal)


def _here(summary_id: str) -> WorkSummary:
    row = WorkSummary.objects.filter(pk=id_in_path("sum", summary_id)).select_related("session").first()
    if row is None:
        raise NotThere
    return row


def _shown(request: HttpRequest, desk: Desk, summary_id: str, *, refusal: Refusal | None = None) -> HttpResponse:
    with project_scope(desk.acting, read_only=True):
        page = summary_page(desk.seat.public_id, id_in_path("sum", summary_id))
        thread_id, title = thread_of(page.session)
    status = refusal.status if refusal else 200
    shown: dict[str, Any] = {"page": page, "thread_id": thread_id, "thread_title": title, "refusal": refusal}
    return show(request, desk, "sessions/summary.html", status=status, section="threads", **shown)
