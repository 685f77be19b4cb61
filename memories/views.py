"""Pages of memory: proposing one, and the page of one."""

from typing import Any

import regex
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from governance import refs
from governance.errors import Invalid, NotThere, Refusal
from governance.forms import posted, status_of
from governance.ids import parse_id
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from memories.forms import MOST_REFS, MemoryForm
from memories.models import Memory
from memories.reading import Words, card_of
from memories.writes import propose
from threads.models import Thread
from threads.vocabulary import ThreadState

THREADS_OFFERED = 50
EXCERPT = regex.compile(r"\X{0,1500}")  # of what a ref opens, beside the form
MOST_EXCERPTS = 3


@project_page
def propose_memory(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Propose a memory in one's own name, with what bears it out."""
    desk.check(Deed.PROPOSE_MEMORY)
    cited, status = request.GET.getlist("ref")[:MOST_REFS], None
    with project_scope(desk.acting, read_only=True):
        asked = request.GET.get("thread", "")
        threads = _threads(asked)
        opened = _excerpts(desk, cited)
    form = MemoryForm(posted(request), threads=threads, refs=cited, initial={"thread": asked})
    if form.is_valid():
        try:
            memory = _propose(desk, form)
        except Refusal as refusal:
            status = _blame(form, refusal)
        else:
            return done(request, _what_happens_next(), to=_page_of(desk, memory))
    status = status or status_of(form)
    return show(request, desk, "memories/new.html", status=status, section="threads", form=form, opened=opened)


@project_page
@require_safe
def memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """A memory: what it says, where it stands, and what bears it out."""
    with project_scope(desk.acting, read_only=True):
        card = card_of(desk.acting, id_in_path("mem", memory_id))
    return show(request, desk, "memories/memory.html", section="threads", card=card)


def _propose(desk: Desk, form: MemoryForm) -> Memory:
    with project_scope(desk.acting):
        return propose(desk.acting, form.wish(), now=timezone.now())


def _blame(form: MemoryForm, refusal: Refusal) -> int:
    places = {f"/evidence/{at}/ref": f"ref_{n}" for at, n in enumerate(form.filled())}
    blame(form, refusal, fields={**places, "/scope_id": "thread"})
    if refusal.code == "client_id_reused":
        form.renew()
    return refusal.status


def _threads(asked: str) -> list[Thread]:
    """Return the threads used last, and the one that the address names first."""
    latest = list(Thread.objects.filter(state=ThreadState.OPEN).order_by("-last_active_at", "-id")[:THREADS_OFFERED])
    try:
        named = Thread.objects.filter(pk=parse_id("thr", asked, pointer="?thread")) if asked else []
    except Invalid:
        named = []
    first = list(named)
    return first + [thread for thread in latest if thread not in first]


def _excerpts(desk: Desk, cited: list[str]) -> list[dict[str, Any]]:
    """Return the beginnings of what the named refs open, to quote from; what opens nothing says so."""
    return [{"ref": made_visible(ref), "text": _excerpt(desk, ref)} for ref in cited[:MOST_EXCERPTS]]


def _excerpt(desk: Desk, ref: str) -> Words | None:
    try:
        found = EXCERPT.match(refs.resolve(ref, desk.acting).text)
    except (Invalid, NotThere):
        return None
    return Words(made_visible(found.group())) if found else None


def _what_happens_next() -> str:
    return gettext(
        "Held as a candidate: no search finds it and no packet carries it yet. "
        "It is used once its gates are passed and a human has let it in."
    )


def _page_of(desk: Desk, memory: Memory) -> str:
    return reverse("memory", args=[desk.seat.public_id, memory.public_id])
