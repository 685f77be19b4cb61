"""Pages that change a memory: each shows what it says now, what follows, and how far it came."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from governance.errors import Clash, NotThere, PreconditionFailed, Refusal
from governance.forms import posted, status_of
from governance.ids import public_id
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, id_in_path, next_in_inbox, project_page, show
from governance.refusal_words import told
from governance.scope import project_scope
from governance.vocabulary import Deed
from memories.looking_up import find_memory
from memories.memory_ways import WIDE, as_seen, check_way, is_own, take, ways_of
from memories.models import Memory, MemoryVersion
from memories.outcome_words import what_became_of_it
from memories.reading import worded
from memories.retiring import reach
from memories.store_words import FOLLOWS, Way
from memories.views import page_of
from memories.vocabulary import PENDING, ArchivedFor, MemoryStatus
from memories.way_forms import EditForm, WayForm
from memories.writes import Written, submit
from threads.speech import TITLE_GRAPHEMES
from threads.titles import one_line

SECTION = "memories"
NUMBER = 9  # digits of a version in an address
UNSAID = {Way.ADMIT: "read and let in"}  # the reason in the ledger where nobody gave one
MOST_NAMED = 100  # packets and descendants that a page names; all are counted


@project_page
def change_memory(request: HttpRequest, desk: Desk, memory_id: str, way: str) -> HttpResponse:
    """Let a memory in, refuse, archive, restore, revoke or erase it."""
    if way not in set(Way):
        raise Http404
    pk, chosen, status = id_in_path("mem", memory_id), Way(way), None
    form = WayForm(posted(request), way=chosen, initial={"inbox": request.GET.get("from") == "inbox"})
    if form.is_valid():
        try:
            words, to, about = _taken(desk, pk, chosen, form)
        except Clash as refusal:
            form.add_error(None, str(told(refusal.code, refusal.detail)))
            status = refusal.status
        else:
            return done(request, words, to=to, decided=_page_of(desk, chosen, memory_id), about=about)
    with project_scope(desk.acting, read_only=True):
        found = find_memory(pk)
        check_way(desk, found, chosen)
        form.see(found)
        context = _way_context(found, chosen)
    return show(request, desk, "memories/way.html", status=status or status_of(form), form=form, **context)


@project_page
def edit_memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """Say a memory otherwise, in one's own name; its gates judge the change like any other."""
    pk, form, status = id_in_path("mem", memory_id), EditForm(posted(request)), None
    _check_edit(desk, pk)
    if form.is_valid():
        try:
            written = _edited(desk, pk, form)
        except NotThere:
            raise
        except Refusal as refusal:
            status = _blame(form, refusal)
        else:
            return done(request, what_became_of_it(written), to=_page_after(desk, written))
    with project_scope(desk.acting, read_only=True):
        found = find_memory(pk)
        form.see(found, text=_asked_text(request, found))
    context: dict[str, Any] = {
        "memory": found,
        "text": worded(found.content),
        "editable": found.status == MemoryStatus.ACTIVE,
    }
    status = status or status_of(form)
    return show(request, desk, "memories/edit.html", status=status, section=SECTION, form=form, **context)


def _check_edit(desk: Desk, pk: Any) -> None:
    """Raise Forbidden unless the reader may propose here, or keeps the memory for themselves."""
    if not desk.may[Deed.PROPOSE_MEMORY]:
        with project_scope(desk.acting, read_only=True):
            if not is_own(desk, find_memory(pk)):
                desk.check(Deed.PROPOSE_MEMORY)


def _asked_text(request: HttpRequest, memory: Memory) -> str:
    """Return what the form begins with: the text of the version that the address names, else the present one."""
    asked = request.GET.get("version", "")
    if not asked.isascii() or not asked.isdigit() or len(asked) > NUMBER:
        return memory.content
    found = MemoryVersion.objects.filter(memory=memory, version=int(asked)).values_list("content", flat=True).first()
    return found or memory.content


def _taken(desk: Desk, pk: Any, way: Way, form: WayForm) -> tuple[Any, str, str]:
    """Return what became of it, the page to go to, and what the memory says in a line, where that is not gone."""
    said = form.cleaned_data
    with project_scope(desk.acting):
        found = find_memory(pk)
        check_way(desk, found, way)
        waited, own = found.status in PENDING, is_own(desk, found)
        as_seen(found, version=said["version"], status=said["status"])
        if way not in ways_of(found):
            raise Clash("status: this way is not open from there.", code="invalid_transition")
        reason = said["reason"] or UNSAID.get(way, "")
        about = "" if way is Way.ERASE else one_line(found.content, most=TITLE_GRAPHEMES)
        words = take(desk, found, way, reason=reason, missing=said.get("missing", ""), now=timezone.now())
    if said["inbox"]:
        return words, next_in_inbox(form, found.public_id), about
    if own and way is Way.ERASE:
        return words, reverse("own_memories"), about
    return words, reverse("candidates", args=[desk.seat.public_id]) if waited else page_of(desk, found), about


def _page_of(desk: Desk, way: Way, memory_id: str) -> str:
    """Return the page of what was decided, or '' where its words are gone."""
    return "" if way is Way.ERASE else reverse("memory", args=[desk.seat.public_id, memory_id])


def _way_context(found: Memory, way: Way) -> dict[str, Any]:
    context: dict[str, Any] = {"memory": found, "text": worded(found.content), "way": way, "follows": FOLLOWS[way]}
    context |= {"open": way in ways_of(found), "stands": MemoryStatus(found.status), "section": SECTION}
    context["proposer"] = made_visible(found.proposed_by.name)
    if way in WIDE:
        came = reach(found)
        made = [(one.public_id, worded(one.content), MemoryStatus(one.status)) for one in came.descendants[:MOST_NAMED]]
        context |= {
            "reach": came,
            "made": made,
            "packets": [public_id("pkt", one) for one in came.packets[:MOST_NAMED]],
        }
    return context


def _edited(desk: Desk, pk: Any, form: EditForm) -> Written:
    with project_scope(desk.acting):
        return submit(desk.acting, form.wish(find_memory(pk)), now=timezone.now())


def _page_after(desk: Desk, written: Written) -> str:
    """Return the page that says it now: the changed memory itself where the change went into its row."""
    memory = written.memory
    if memory.archived_for == ArchivedFor.MERGED and memory.superseded_by_id:
        return reverse("memory", args=[desk.seat.public_id, public_id("mem", memory.superseded_by_id)])
    return page_of(desk, memory)


def _blame(form: EditForm, refusal: Refusal) -> int:
    if isinstance(refusal, Clash | PreconditionFailed):
        form.add_error(None, str(told(refusal.code, gettext("It changed meanwhile. Look at what it says now."))))
        return 409
    blame(form, refusal)
    return refusal.status
