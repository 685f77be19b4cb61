"""The inbox: of one project, and of all that an account is in."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from governance.forms import ConsoleForm
from governance.pages import FRAGMENT, Desk, account_page, project_page, show
from governance.proposal_words import CONTRACT_KINDS, risk_choices
from governance.seats import Seat, seats_of
from governance.vocabulary import ContractKind
from greywind_site.console.inbox import Filters, Inbox, Tab, inbox_of, next_after

TABS: list[tuple[Tab, Promise]] = [
    (Tab.WAITING, gettext_lazy("Waits for me")),
    (Tab.MINE, gettext_lazy("Proposed by me")),
    (Tab.OPEN, gettext_lazy("All open")),
    (Tab.DECIDED, gettext_lazy("Decided lately")),
]
ANY = gettext_lazy("any")


class InboxForm(ConsoleForm):
    """What the inbox is narrowed to."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=[("", ANY), *((kind.value, CONTRACT_KINDS[ContractKind][kind]) for kind in ContractKind)],
        required=False,
    )
    risk = forms.ChoiceField(label=gettext_lazy("Risk"), choices=[("", ANY), *risk_choices()], required=False)
    project = forms.ChoiceField(label=gettext_lazy("Project"), required=False)

    def __init__(self, *args: Any, seats: list[Seat], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["project"].choices = [("", ANY), *((seat.public_id, seat.project_name) for seat in seats)]  # type: ignore[attr-defined]  # a choice field

    def filters(self) -> Filters:
        """Return the filters; what is no choice narrows nothing."""
        return Filters(**self.cleaned_data) if self.is_valid() else Filters()


@account_page
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """What waits for the account in any of its projects. `?next=` goes to the next one after that."""
    seats = seats_of(request.user)
    if "next" in request.GET:
        return _to_next(request, seats)
    shown = _shown(request, seats, here=reverse("inbox"))
    name = "console/inbox.html#lines" if FRAGMENT in request.headers else "console/inbox.html"
    return render(request, name, shown | {"several": True})


@project_page
@require_safe
def project_inbox(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What waits for a decision in one project."""
    here = reverse("project_inbox", args=[desk.seat.public_id])
    shown = _shown(request, [desk.seat], here=here)
    return show(request, desk, "console/inbox.html", part="lines", section="inbox", several=False, **shown)


def _shown(request: HttpRequest, seats: list[Seat], *, here: str) -> dict[str, Any]:
    tab = _tab(request)
    form = InboxForm(request.GET, seats=seats)
    filters = form.filters()
    found = inbox_of(seats, tab, filters, now=timezone.now(), trace_id=request.META["greywind.trace_id"])
    return {"tab": tab, "tabs": TABS, "form": form, "narrowed": filters.any, "inbox": found, "here": here}


def _to_next(request: HttpRequest, seats: list[Seat]) -> HttpResponse:
    found: Inbox = inbox_of(
        seats, Tab.WAITING, Filters(), now=timezone.now(), trace_id=request.META["greywind.trace_id"]
    )
    line = next_after(found, request.GET["next"])
    if line is None:
        return HttpResponseRedirect(reverse("inbox"))
    return HttpResponseRedirect(f"{reverse('proposal', args=[line.seat.public_id, line.proposal_id])}?from=inbox")


def _tab(request: HttpRequest) -> Tab:
    wanted = request.GET.get("tab", "")
    return Tab(wanted) if wanted in list(Tab) else Tab.WAITING
