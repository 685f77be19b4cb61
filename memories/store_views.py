"""Pages of the store of memories: the list, what was proposed and what became of it, and letting in many at once."""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from governance.errors import Clash, Invalid
from governance.exports import export_asked, exports_at
from governance.ids import parse_id
from governance.pages import Desk, addresses, done, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from memories.funnel import candidate_lines, candidate_list, funnel_of
from memories.models import Memory
from memories.searching import asked_vectors
from memories.store_exports import candidates_export, memories_export
from memories.store_forms import MemoryFilterForm
from memories.store_list import Filters, memory_list
from memories.store_words import Standing
from memories.vocabulary import MemoryStatus, ReasonCode
from memories.writes import admit

SECTION = "memories"
MOST_AT_ONCE = 50
SPANS = {"7": timedelta(days=7), "30": timedelta(days=30), "all": None}
NAMES = ("q", "type", "scope", "sensitivity", "status", "knowledge", "used", "expiry", "audience")


@project_page
@require_safe
def memories(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """What is remembered, as far as the filters in the address let it through; what is in use, if none is named."""
    asked = _asked(request.GET)
    form = MemoryFilterForm(asked)
    filters = _filters(form)
    vectors = asked_vectors(filters.q) if filters.q else None
    now, export = timezone.now(), export_asked(request)
    with project_scope(desk.acting, read_only=True):
        if export:
            return memories_export(desk, filters, export, now=now, vectors=vectors)
        found = memory_list(filters, cursor=request.GET.get("cursor") or None, now=now, vectors=vectors)
    around = addresses(request, found.page) if found.page else {"newer": "", "older": ""}
    narrowed = any(value for name, value in asked.items() if name not in ("status", "cursor"))
    narrowed = narrowed or asked["status"] != MemoryStatus.ACTIVE
    context: dict[str, Any] = {"form": form, "filters": filters, "found": found, "narrowed": narrowed, **around}
    context["exports"] = exports_at(request.GET.urlencode())
    return show(request, desk, "memories/memories.html", part="rows", section=SECTION, **context)


@project_page
@require_safe
def candidates(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """What was proposed and what became of it: how far it came, why the rest was not learnt, and what waits."""
    asked = request.GET
    standing = Standing(asked["stand"]) if asked.get("stand") in set(Standing) else Standing.WAITING
    span = asked["days"] if asked.get("days") in SPANS else "30"
    code = asked["code"] if asked.get("code") in set(ReasonCode) else ""
    since = _since(span, now=timezone.now())
    export = export_asked(request)
    with project_scope(desk.acting, read_only=True):
        if export:
            return candidates_export(desk, standing, export, code=code, since=since)
        funnel = funnel_of(since=since)
        found = candidate_list(standing, code=code, since=since, cursor=asked.get("cursor") or None)
    context: dict[str, Any] = {"funnel": funnel, "found": found, "standing": standing, "standings": list(Standing)}
    context |= {"span": span, "code": ReasonCode(code) if code else "", **addresses(request, found.page)}
    context["exports"] = exports_at(asked.urlencode())
    context["bulk"] = desk.may[Deed.DECIDE_MEMORY] and any(line.bulk for line in found.lines)
    return show(request, desk, "memories/candidates.html", part="rows", section=SECTION, **context)


@project_page
def admit_many(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Let in several proposals of low risk: all are listed first, and each is decided and recorded by itself."""
    desk.check(Deed.DECIDE_MEMORY)
    if request.method == "POST":
        return _admitted(request, desk)
    with project_scope(desk.acting, read_only=True):
        rows = _chosen(request.GET)
        lines = candidate_lines(rows)
    ready = [line for line in lines if line.bulk]
    return show(request, desk, "memories/admit_many.html", section=SECTION, lines=lines, ready=ready)


def _admitted(request: HttpRequest, desk: Desk) -> HttpResponse:
    chosen, reason = _ids(request.POST), request.POST.get("reason", "").strip()[:300] or "read and let in with others"
    let_in = sum(_admit_one(desk, pk, reason=reason) for pk in chosen)
    words = ngettext("%(number)s let in.", "%(number)s let in.", let_in) % {"number": let_in}
    if let_in < len(chosen):
        words += " " + gettext("The others moved or clash with what is known; the list says where each stands.")
    query = QueryDict(mutable=True)
    query.setlist("id", request.POST.getlist("id")[:MOST_AT_ONCE])
    return done(request, words, to=f"{reverse('admit_many', args=[desk.seat.public_id])}?{query.urlencode()}")


def _admit_one(desk: Desk, pk: Any, *, reason: str) -> bool:
    """Let one in, in a transaction of its own; returns whether it is in use then."""
    try:
        with project_scope(desk.acting):
            row = Memory.objects.select_related("proposed_by").filter(pk=pk).first()
            # What was shown as fit is asked again: a form can name anything.
            if row is None or not candidate_lines([row])[0].bulk:
                return False
            return admit(desk.acting, row, reason=reason, now=timezone.now()).memory.status == MemoryStatus.ACTIVE
    except Clash:
        return False


def _chosen(query: QueryDict) -> list[Memory]:
    return list(Memory.objects.select_related("proposed_by").filter(pk__in=_ids(query)).order_by("created_at", "id"))


def _ids(query: QueryDict) -> list[Any]:
    found = []
    for text in query.getlist("id")[:MOST_AT_ONCE]:
        try:
            found.append(parse_id("mem", text, pointer="?id"))
        except Invalid:
            continue
    return found


def _asked(query: QueryDict) -> dict[str, str]:
    """Return the filters of an address; without any status, what is in use."""
    asked = {name: query.get(name, "").replace("\0", "").strip() for name in (*NAMES, "day")}
    return asked if "status" in query else asked | {"status": MemoryStatus.ACTIVE.value}


def _filters(form: MemoryFilterForm) -> Filters:
    """Return what the form narrows to; a value that is no choice narrows nothing, and the form says so."""
    form.is_valid()
    said = form.cleaned_data
    return Filters(day=said.get("day"), **{name: said.get(name, "") for name in NAMES})


def _since(span: str, *, now: datetime) -> datetime | None:
    length = SPANS[span]
    return now - length if length else None
