"""The inbox: of one project, and of all that an account is in."""

from typing import Any, cast

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from governance.exports import MOST, As, export_asked, exports_at
from governance.forms import ConsoleForm
from governance.pages import FRAGMENT, WITHIN, Desk, account_page, done, project_page, show
from governance.proposal_words import CONTRACT_KINDS, risk_choices
from governance.seats import Seat, seats_of
from governance.vocabulary import InboxKind, ProposalKind, ProposalState
from greywind_site.console.inbox import OWN_ORDER, Inbox, InboxLine, inbox_of, next_after
from greywind_site.console.inbox_exports import inbox_export
from greywind_site.console.inbox_rows import Filters, Sort, Tab
from greywind_site.console.inbox_words import INBOX_KINDS, TABS, address_of

ANY = gettext_lazy("any")
ASSIGNEES: list[tuple[str, Promise]] = [
    ("", ANY),
    ("me", gettext_lazy("me")),
    ("nobody", gettext_lazy("nobody")),
    ("others", gettext_lazy("somebody else")),
]


def _kinds() -> list[tuple[Any, Any]]:
    matters = [(kind.value, INBOX_KINDS[InboxKind][kind]) for kind in InboxKind]
    contracts = [(kind.value, CONTRACT_KINDS[ProposalKind][kind]) for kind in ProposalKind]
    return [("", ANY), *matters, (gettext_lazy("proposals of a"), contracts)]


class InboxForm(ConsoleForm):
    """What the inbox is narrowed to."""

    q = forms.CharField(label=gettext_lazy("Words of the title"), max_length=200, required=False)
    kind = forms.ChoiceField(label=gettext_lazy("Kind"), choices=_kinds, required=False)
    risk = forms.ChoiceField(label=gettext_lazy("Risk"), choices=[("", ANY), *risk_choices()], required=False)
    assignee = forms.ChoiceField(label=gettext_lazy("Who looks at it"), choices=ASSIGNEES, required=False)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        choices=[("", ANY), *((state.value, CONTRACT_KINDS[ProposalState][state]) for state in ProposalState)],
        required=False,
    )
    sort = forms.ChoiceField(
        label=gettext_lazy("Order"),
        choices=[("", gettext_lazy("as usual here")), *((sort.value, INBOX_KINDS[Sort][sort]) for sort in Sort)],
        required=False,
    )
    project = forms.ChoiceField(label=gettext_lazy("Project"), required=False)

    def __init__(self, *args: Any, seats: list[Seat], **options: Any) -> None:
        super().__init__(*args, **options)
        choice = cast("forms.ChoiceField", self.fields["project"])
        choice.choices = [("", ANY), *((seat.public_id, seat.project_name) for seat in seats)]

    def filters(self) -> Filters:
        """Return the filters; what is no choice narrows nothing."""
        self.is_valid()
        return Filters(**self.cleaned_data)


@account_page
@require_safe
def inbox(request: HttpRequest) -> HttpResponseBase:
    """What waits for the account in any of its projects. `?next=` goes to the one after that."""
    seats = seats_of(request.user)
    if "next" in request.GET:
        return _to_next(request, seats, after=request.GET["next"])
    if form := export_asked(request):
        return _exported(request, seats, form)
    shown = _shown(request, seats, here=reverse("inbox"))
    name = "console/inbox.html#lines" if FRAGMENT in request.headers else "console/inbox.html"
    return render(request, name, shown | {"several": True})


@account_page
@require_safe
def inbox_next(request: HttpRequest) -> HttpResponse:
    """Go to what waits after the matter `?after=`, under the same filters; without it, to the first."""
    return _to_next(request, seats_of(request.user), after=request.GET.get("after", ""))


@project_page
@require_safe
def project_inbox(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """What waits for a decision in one project."""
    if form := export_asked(request):
        return _exported(request, [desk.seat], form)
    here = reverse("project_inbox", args=[desk.seat.public_id])
    shown = _shown(request, [desk.seat], here=here)
    return show(request, desk, "console/inbox.html", part="lines", section="inbox", several=False, **shown)


def _shown(request: HttpRequest, seats: list[Seat], *, here: str) -> dict[str, Any]:
    tab, form = _tab(request), InboxForm(request.GET, seats=seats)
    filters = form.filters()
    alone = seats if len(seats) == 1 else [seat for seat in seats if seat.public_id == filters.project]
    found = inbox_of(seats, tab, filters, now=timezone.now(), trace_id=request.META["greywind.trace_id"])
    within = _with(request.GET, tab="", **({"project": seats[0].public_id} if len(seats) == 1 else {}))
    return {
        "tab": tab,
        "tabs": [(one, words, _with(request.GET, tab=one, state="", sort="")) for one, words in TABS.items()],
        "form": form,
        "filters": filters,
        "order": Sort(filters.sort) if filters.sort else OWN_ORDER[tab],
        "inbox": found,
        "lines": [(line, _address(line, tab, within=within)) for line in found.lines],
        "counts": [(kind, number, _with(request.GET, kind=kind)) for kind, number in found.counts.items()],
        "all_kinds": _with(request.GET, kind=""),
        "first": reverse("inbox_next") + within,
        "here": here,
        "exports": exports_at(_with(request.GET, tab=tab)),
        # Each project's are chosen among its own: one form names one project.
        "bulk": tab is Tab.WAITING and len(alone) == 1 and any(line.is_light for line in found.lines),
        "bulk_at": reverse("approve_many", args=[alone[0].public_id]) if alone else "",
        "admit_at": _admit_at(alone, found) if tab is Tab.WAITING else "",
    }


def _admit_at(alone: list[Seat], found: Inbox) -> str:
    """Return where several memories are let in at once, or '' where none waits, or in more than one project."""
    return reverse("candidates", args=[alone[0].public_id]) if alone and InboxKind.CANDIDATE in found.counts else ""


def _exported(request: HttpRequest, seats: list[Seat], form: As) -> StreamingHttpResponse:
    filters, trace = InboxForm(request.GET, seats=seats).filters(), request.META["greywind.trace_id"]
    return inbox_export(inbox_of(seats, _tab(request), filters, now=timezone.now(), trace_id=trace, most=MOST), form)


def _to_next(request: HttpRequest, seats: list[Seat], *, after: str) -> HttpResponse:
    filters = InboxForm(request.GET, seats=seats).filters()
    found: Inbox = inbox_of(seats, Tab.WAITING, filters, now=timezone.now(), trace_id=request.META["greywind.trace_id"])
    line = next_after(found, after)
    if line is None:
        return done(request, gettext("Nothing else waits for you here."), to=reverse("inbox"))
    return HttpResponseRedirect(_address(line, Tab.WAITING, within=_with(request.GET, tab="")))


def _address(line: InboxLine, tab: Tab, *, within: str) -> str:
    """Return where a matter is looked at; from the waiting ones on, with the filters under which the next one comes."""
    to = address_of(line.seat, line.matter_id, item_id=line.item_id)
    if tab is not Tab.WAITING:
        return to
    filters = within.removeprefix("?")
    return f"{to}?{urlencode({'from': 'inbox', WITHIN: filters} if filters else {'from': 'inbox'})}"


def _with(query: QueryDict, **more: str) -> str:
    """Return the address with some of its parts changed; what is '' is left out."""
    changed = query.dict() | more
    kept = {name: str(changed[name]) for name in ("tab", *InboxForm.base_fields) if changed.get(name)}
    return f"?{urlencode(kept)}"


def _tab(request: HttpRequest) -> Tab:
    wanted = request.GET.get("tab", "")
    return Tab(wanted) if wanted in list(Tab) else Tab.WAITING
