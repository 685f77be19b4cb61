"""The conflict desk: the list of conflicts, and one of them, settled, put off or taken up again on one screen."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Clash, Forbidden, Invalid, NotThere, PreconditionFailed, Refusal, StepUpNeeded
from governance.pages import Desk, blame, done, id_in_path, next_in_inbox, project_page, refused, show
from governance.scope import project_scope
from governance.stepping import ask, fresh_enough, kept_form, proof_of
from governance.vocabulary import Audience, Deed, Risk
from memories.conflict_forms import ConflictFilterForm, DecisionForm, PutOffForm, UndoForm, state_in
from memories.conflict_list import conflict_list
from memories.conflict_reading import ConflictPage, conflict_page, find_conflict
from memories.conflict_words import NEXT
from memories.conflicts import settle, snooze, undo, wake
from memories.feedback import note_reads
from memories.models import Conflict, Settlement
from memories.vocabulary import ConflictState, ReadThrough
from threads.models import Thread
from threads.speech import TITLE_GRAPHEMES
from threads.titles import one_line
from threads.vocabulary import ThreadState

SECTION = "memories"
THREADS_OFFERED = 50
SAYABLE = (Clash, Forbidden, Invalid, PreconditionFailed)
FIELDS = {"/chosen": "way"}
MOVED = "moved_meanwhile"
PUT_OFF = gettext_lazy("Put off for everybody. It comes back by itself; until then it is among what is put off.")
AWAKE = gettext_lazy("It is open again, among what waits.")
UNDONE = gettext_lazy("Taken back: every memory stands as before it, and the conflict is open again.")


@project_page
@require_safe
def conflicts(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What contradicts itself in the project, as far as the filters in the address let it through."""
    state, form = state_in(request.GET.get("state", "")), ConflictFilterForm(request.GET)
    filters = form.filters()
    with project_scope(desk.acting, read_only=True):
        found = conflict_list(state, filters, after=request.GET.get("after", ""))
    query = request.GET.copy()
    tabs = [(one, found.counts[one], _with(query, state=one)) for one in ConflictState]
    context: dict[str, Any] = {"state": state, "form": form, "filters": filters, "found": found, "tabs": tabs}
    context["older"] = _with(query, after=found.more) if found.more else ""
    context["first"] = _with(query) if request.GET.get("after") else ""
    context["clear"] = f"?state={state}"
    return show(request, desk, "memories/conflicts.html", part="rows", section=SECTION, above=_above(desk), **context)


@project_page
@require_safe
def conflict(request: HttpRequest, desk: Desk, conflict_id: str) -> HttpResponse:
    """Claims that cannot all hold, side by side, with what bears them out, and the decision."""
    pk = id_in_path(Conflict.PREFIX, conflict_id)
    with project_scope(desk.acting):
        page = conflict_page(desk.acting, pk, now=timezone.now())
        note_reads(desk.acting, [side.memory for side in page.sides], ReadThrough.CONSOLE)
        form = _decision(desk, page, initial=kept_form(request), next_wanted="from" in request.GET)
    return _drawn(request, desk, page, form=form)


@require_POST
@project_page
def settle_conflict(request: HttpRequest, desk: Desk, conflict_id: str) -> HttpResponse:
    """Settle what was seen; what moved meanwhile is shown, with the reviewer's words kept."""
    desk.check(Deed.DECIDE_MEMORY)
    page, form = _sent(request, desk, conflict_id)
    if page.settled or request.POST.get("seen_hash") != page.seen_hash:
        return _moved(request, desk, page, form)
    if not form.is_valid():
        return _drawn(request, desk, page, form=form, status=422)
    wish = replace(form.wish(), proof=proof_of(request))
    if page.risk is Risk.HIGH and not fresh_enough(request):
        return ask(request, back=_address(desk, page), keep=request.POST)
    try:
        with project_scope(desk.acting):
            settle(desk.acting, find_conflict(page.conflict.pk), wish, now=timezone.now())
    except SAYABLE as refusal:
        return _again(request, desk, conflict_id, refusal)
    to = next_in_inbox(form, conflict_id) if form.cleaned_data["next"] else _address(desk, page)
    about = one_line(page.about.text, most=TITLE_GRAPHEMES) if page.about else ""
    return done(request, NEXT[wish.verb], to=to, decided=_address(desk, page), about=about)


@require_POST
@project_page
def snooze_conflict(request: HttpRequest, desk: Desk, conflict_id: str) -> HttpResponse:
    """Put a conflict off."""
    desk.check(Deed.DECIDE_MEMORY)
    pk, form = id_in_path(Conflict.PREFIX, conflict_id), PutOffForm(request.POST, auto_id="later_%s")
    status = 422
    if form.is_valid():
        said = form.cleaned_data
        wish = {"until": form.moment(), "on_evidence": said["on_evidence"], "expected_version": said["version"]}
        try:
            with project_scope(desk.acting):
                snooze(desk.acting, find_conflict(pk), now=timezone.now(), **wish)
        except SAYABLE as refusal:
            blame(form, refusal)
            status = refusal.status
        else:
            return done(request, PUT_OFF, to=reverse("conflicts", args=[desk.seat.public_id]))
    page = _page(desk, pk)
    return _drawn(request, desk, page, form=_decision(desk, page), later=form, status=status)


@require_POST
@project_page
def wake_conflict(request: HttpRequest, desk: Desk, conflict_id: str) -> HttpResponse:
    """Take a conflict back that was put off."""
    return _changed(request, desk, conflict_id, lambda row: wake(desk.acting, row, now=timezone.now()), words=AWAKE)


@require_POST
@project_page
def undo_conflict(request: HttpRequest, desk: Desk, conflict_id: str) -> HttpResponse:
    """Take the settlement of a conflict back."""
    form = UndoForm(request.POST)
    named = form.cleaned_data if form.is_valid() else {"settlement": "", "reason": ""}

    def take_back(row: Conflict) -> None:
        pk = id_in_path(Settlement.PREFIX, named["settlement"])
        found = Settlement.objects.filter(pk=pk, conflict=row).select_related("conflict").first()
        if found is None:
            raise NotThere
        undo(desk.acting, found, now=timezone.now(), reason=named["reason"], proof=proof_of(request))

    return _changed(request, desk, conflict_id, take_back, words=UNDONE)


def _changed(
    request: HttpRequest, desk: Desk, conflict_id: str, change: Callable[[Conflict], None], *, words: Promise
) -> HttpResponse:
    desk.check(Deed.DECIDE_MEMORY)
    here = reverse("conflict", args=[desk.seat.public_id, conflict_id])
    try:
        with project_scope(desk.acting):
            change(find_conflict(id_in_path(Conflict.PREFIX, conflict_id)))
    except StepUpNeeded:
        return ask(request, back=here, keep=request.POST)
    except SAYABLE as refusal:
        return refused(request, refusal, to=here)
    return done(request, words, to=here)


def _page(desk: Desk, pk: uuid.UUID) -> ConflictPage:
    with project_scope(desk.acting, read_only=True):
        return conflict_page(desk.acting, pk, now=timezone.now())


def _sent(request: HttpRequest, desk: Desk, conflict_id: str) -> tuple[ConflictPage, DecisionForm]:
    """Read the page anew and lay the form that was sent on it."""
    page = _page(desk, id_in_path(Conflict.PREFIX, conflict_id))
    return page, _decision(desk, page, request.POST)


def _again(request: HttpRequest, desk: Desk, conflict_id: str, refusal: Refusal) -> HttpResponse:
    """Show what was refused beside what the reviewer wrote, which is kept."""
    page, form = _sent(request, desk, conflict_id)
    if page.settled or refusal.code == MOVED:
        return _moved(request, desk, page, form)
    blame(form, refusal, fields=FIELDS)
    return _drawn(request, desk, page, form=form, status=refusal.status)


def _moved(request: HttpRequest, desk: Desk, page: ConflictPage, form: DecisionForm) -> HttpResponse:
    """Show what stands now; what the reviewer wrote is kept, and sent again it decides on what is shown now."""
    form.bind_to_now()
    return _drawn(request, desk, page, form=form, status=409, moved=True)


def _decision(desk: Desk, page: ConflictPage, data: QueryDict | None = None, **options: Any) -> DecisionForm:
    return DecisionForm(data, page=page, threads=_threads(desk, page), **options)


def _threads(desk: Desk, page: ConflictPage) -> list[Thread]:
    """Return the threads on which a side may be said to hold: of a shared matter none that others cannot see."""
    if page.settled or not desk.may[Deed.DECIDE_MEMORY]:
        return []
    with project_scope(desk.acting, read_only=True):
        rows = Thread.objects.filter(state=ThreadState.OPEN).order_by("-last_active_at", "-id")
        return list((rows if page.private else rows.filter(audience=Audience.PROJECT))[:THREADS_OFFERED])


def _drawn(
    request: HttpRequest,
    desk: Desk,
    page: ConflictPage,
    *,
    form: DecisionForm,
    later: PutOffForm | None = None,
    status: int = 200,
    moved: bool = False,
) -> HttpResponse:
    put_off = later or PutOffForm(initial={"version": page.conflict.version}, auto_id="later_%s")
    back = UndoForm(initial={"settlement": page.settlement.public_id if page.settlement else ""}, auto_id="back_%s")
    context: dict[str, Any] = {"page": page, "form": form, "later": put_off, "back": back, "moved": moved}
    context["asks_first"] = page.risk is Risk.HIGH and not fresh_enough(request)
    context["above"] = [*_above(desk), (reverse("conflicts", args=[desk.seat.public_id]), gettext("Conflicts"))]
    return show(request, desk, "memories/conflict.html", status=status, section=SECTION, **context)


def _above(desk: Desk) -> list[tuple[str, str]]:
    return [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]


def _address(desk: Desk, page: ConflictPage) -> str:
    return reverse("conflict", args=[desk.seat.public_id, page.conflict.public_id])


def _with(query: QueryDict, **more: str) -> str:
    """Return the address with some of its parts changed, from the first page on; what is '' is left out."""
    changed = {**{name: query.get(name, "") for name in ("state", *ConflictFilterForm.base_fields)}, **more}
    kept = QueryDict(mutable=True)
    for name, value in changed.items():
        if value:
            kept[name] = str(value)
    return f"?{kept.urlencode()}"
