"""The page on which a memory is proposed."""

from dataclasses import replace
from typing import Any

import regex
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from governance import refs
from governance.errors import Invalid, NotThere, Refusal
from governance.forms import posted, status_of
from governance.ids import parse_id
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from memories.forms import MOST_REFS, MemoryForm
from memories.looking_up import find_memory
from memories.models import Memory
from memories.outcome_words import what_became_of_it
from memories.reading import Words
from memories.writes import Written, submit
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
    answered: Memory | None = None
    with project_scope(desk.acting, read_only=True):
        asked = request.GET.get("thread", "")
        threads = _threads(asked)
        opened = _excerpts(desk, cited)
        if "answers" in request.GET:
            answered = find_memory(id_in_path("mem", request.GET["answers"]))
    form = MemoryForm(posted(request), threads=threads, refs=cited, initial={"thread": asked, **_said(answered)})
    if form.is_valid():
        try:
            written = _propose(desk, form, answers=answered)
        except Refusal as refusal:
            status = _blame(form, refusal)
        else:
            return done(request, what_became_of_it(written), to=page_of(desk, written.memory))
    status = status or status_of(form)
    return show(
        request,
        desk,
        "memories/new.html",
        status=status,
        section="memories",
        form=form,
        opened=opened,
        answered=answered,
    )


def _said(answered: Memory | None) -> dict[str, Any]:
    """Return what the form begins with where it answers a proposal that waits or was refused."""
    names = ("content", "type", "kind", "sensitivity")
    return {name: getattr(answered, name) for name in names} if answered else {}


def _propose(desk: Desk, form: MemoryForm, *, answers: Memory | None) -> Written:
    """Propose what the form says. A ref that opens nothing is an error at its field, so that nothing typed is lost."""
    with project_scope(desk.acting):
        wish = replace(form.wish(), answers=answers.pk if answers else None)
        opening = refs.which_resolve([cited.ref for cited in wish.evidence], desk.acting)
        for n, cited in enumerate(wish.evidence):
            if cited.ref not in opening:
                raise Invalid.at(f"/evidence/{n}/ref", "does not resolve for you now", code="evidence_unresolvable")
        return submit(desk.acting, wish, now=timezone.now())


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


def page_of(desk: Desk, memory: Memory) -> str:
    """Return the address of a memory's page."""
    return reverse("memory", args=[desk.seat.public_id, memory.public_id])
