"""The page of one matter of the inbox: who looks at it, and putting it off."""

from collections.abc import Callable
from datetime import timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.errors import NotThere, Refusal
from governance.inbox import claim_item, end_snooze, find_item, release_item, snooze_item
from governance.inbox_forms import SnoozeForm
from governance.models import InboxItem
from governance.pages import Desk, blame, done, id_in_path, project_page, refused, show
from governance.scope import project_scope
from governance.vocabulary import Deed, InboxKind
from greywind_site.console.inbox import InboxLine, line_of
from greywind_site.console.inbox_words import address_of


@project_page
@require_safe
def inbox_item(request: HttpRequest, desk: Desk, item_id: str) -> HttpResponse:
    """One matter: what it is, where it is decided, who looks at it."""
    return _shown(request, desk, item_id, SnoozeForm(initial={"until": timezone.localdate() + timedelta(days=7)}))


@require_POST
@project_page
def claim_inbox_item(request: HttpRequest, desk: Desk, item_id: str) -> HttpResponse:
    """Say that one looks at it."""
    words = gettext("You look at it now; the others see that. Anybody may still decide it.")
    return _changed(request, desk, item_id, lambda item: claim_item(desk.acting, item, now=timezone.now()), words=words)


@require_POST
@project_page
def release_inbox_item(request: HttpRequest, desk: Desk, item_id: str) -> HttpResponse:
    """Say that one no longer looks at it."""
    words = gettext("Released. Nobody looks at it now.")
    return _changed(request, desk, item_id, lambda item: release_item(desk.acting, item), words=words)


@require_POST
@project_page
def wake_inbox_item(request: HttpRequest, desk: Desk, item_id: str) -> HttpResponse:
    """Take a matter back before its time."""
    words = gettext("It is open again, among what waits.")
    return _changed(request, desk, item_id, lambda item: end_snooze(desk.acting, item), words=words)


@require_POST
@project_page
def snooze_inbox_item(request: HttpRequest, desk: Desk, item_id: str) -> HttpResponse:
    """Put a matter off."""
    desk.check(Deed.TRIAGE_INBOX)
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return _shown(request, desk, item_id, form, status=422)
    wish = {"until": form.moment(), "on_evidence": form.cleaned_data["on_evidence"]}
    try:
        with project_scope(desk.acting):
            item = find_item(item_id, pointer="{item_id}")
            snooze_item(desk.acting, item, now=timezone.now(), **wish)
    except Refusal as refusal:
        blame(form, refusal)
        return _shown(request, desk, item_id, form, status=refusal.status)
    words = gettext("Put off for everybody. It waits under “Put off” and comes back by itself.")
    return done(request, words, to=reverse("project_inbox", args=[desk.seat.public_id]))


def _changed(
    request: HttpRequest, desk: Desk, item_id: str, change: Callable[[InboxItem], None], *, words: str
) -> HttpResponse:
    desk.check(Deed.TRIAGE_INBOX)
    here = reverse("inbox_item", args=[desk.seat.public_id, item_id])
    try:
        with project_scope(desk.acting):
            change(find_item(item_id, pointer="{item_id}"))
    except NotThere:
        raise
    except Refusal as refusal:
        return refused(request, refusal, to=here)
    return done(request, words, to=here)


def _line(desk: Desk, item_id: str) -> InboxLine:
    """Read the matter; raises Http404 for one that is not there or not the reader's."""
    wanted = id_in_path(InboxItem.PREFIX, item_id)
    found = line_of(desk.acting, desk.seat, wanted, now=timezone.now())
    if found is None:
        raise Http404
    return found


def _shown(request: HttpRequest, desk: Desk, item_id: str, form: SnoozeForm, *, status: int = 200) -> HttpResponse:
    line = _line(desk, item_id)
    if line.kind is not InboxKind.CONFLICT:
        del form.fields["on_evidence"]
    here = reverse("inbox_item", args=[desk.seat.public_id, line.item_id])
    matter = address_of(desk.seat, line.matter_id, item_id=line.item_id)
    above = [
        (reverse("project", args=[desk.seat.public_id]), desk.seat.project_name),
        (reverse("project_inbox", args=[desk.seat.public_id]), gettext("Inbox")),
    ]
    return show(
        request, desk, "console/inbox_item.html", status=status, section="inbox", line=line, form=form, above=above,
        here=here, matter="" if matter == here else matter,
    )  # fmt: skip
