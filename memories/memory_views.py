"""The page of one memory: its parts, what people say of it, and two of its texts side by side."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Invalid, NotThere
from governance.ids import parse_id, public_id
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from memories.feedback import FeedbackWish, give_feedback, note_read, was_carried
from memories.history import access_of, compared, last_change, past_of
from memories.lineage import lineage_of
from memories.looking_up import find_memory
from memories.memory_ways import buttons_of, is_own
from memories.models import Memory
from memories.reading import card_of
from memories.store_words import FOLLOWS, Tab, Way
from memories.vocabulary import FeedbackKind, ReadThrough
from memories.way_forms import DecideForm, FeedbackForm

SECTION = "memories"
DECIDED_HERE = (Way.ADMIT, Way.REFUSE)


@project_page
@require_safe
def memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """A memory: what it says, where it stands and why, what bears it out, and who has read it."""
    asked = request.GET.get("tab", "")
    return _shown(request, desk, memory_id, Tab(asked) if asked in set(Tab) else Tab.TEXT)


@require_POST
@project_page
def say_of_memory(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """Say of a memory that it was useful, is wrong or outdated, or must not be used."""
    desk.check(Deed.PROPOSE_MEMORY)
    form = FeedbackForm(request.POST)
    if form.is_valid():
        try:
            words = _said(desk, id_in_path("mem", memory_id), form.cleaned_data)
        except Invalid as refusal:
            blame(form, refusal)
            form.say_instead(packet="")
        else:
            return done(request, words, to=_said_at(desk, memory_id, form.cleaned_data["packet"]))
    return _shown(request, desk, memory_id, Tab.TEXT, form=form, status=422)


@project_page
@require_safe
def memory_diff(request: HttpRequest, desk: Desk, memory_id: str) -> HttpResponse:
    """Two versions of a memory, word by word; the present one and the one before it, if none are named."""
    with project_scope(desk.acting):
        found = find_memory(id_in_path("mem", memory_id))
        second = _number(request.GET.get("to"), default=found.version)
        first = _number(request.GET.get("from"), default=max(second - 1, 1))
        comparison = compared(found, first, second)
        note_read(desk.acting, found, ReadThrough.CONSOLE)
    numbers = range(found.version, 0, -1)
    context: dict[str, Any] = {"memory": found, "comparison": comparison, "numbers": numbers}
    return show(request, desk, "memories/diff.html", section=SECTION, **context)


def _said(desk: Desk, pk: uuid.UUID, said: Mapping[str, Any]) -> str:
    """Store it, and return what became of it in words."""
    packet = parse_id("pkt", said["packet"], pointer="/packet_id") if said["packet"] else None
    wish = FeedbackWish(kind=FeedbackKind(said["kind"]), note=said["note"], packet_id=packet)
    with project_scope(desk.acting):
        stored = give_feedback(desk.acting, find_memory(pk), wish)
    if stored.note != said["note"]:
        return gettext("You had said this before; what you wrote then stands.")
    return gettext("Said. It stands beside the memory for everybody who may read it, and changes nothing by itself.")


def _said_at(desk: Desk, memory_id: str, packet: str) -> str:
    """Return where it stands: in the packet that it was said of, else beside the memory."""
    if packet:
        return f"{reverse('context', args=[desk.seat.public_id, packet])}#{memory_id}"
    return f"{reverse('memory', args=[desk.seat.public_id, memory_id])}?tab={Tab.ACCESS}"


def _asked_of(request: HttpRequest, found: Memory) -> FeedbackForm:
    """Return the form for feedback: blame, where the address names a packet that carried the memory."""
    try:
        packet = parse_id("pkt", request.GET.get("packet", ""), pointer="?packet")
    except Invalid:
        return FeedbackForm()
    if not was_carried(found, packet):
        return FeedbackForm()
    return FeedbackForm(initial={"packet": public_id("pkt", packet), "kind": FeedbackKind.WRONG})


def _shown(
    request: HttpRequest,
    desk: Desk,
    memory_id: str,
    tab: Tab,
    *,
    form: FeedbackForm | None = None,
    status: int = 200,
) -> HttpResponse:
    pk = id_in_path("mem", memory_id)
    context: dict[str, Any] = {"tab": tab, "tabs": list(Tab)}
    with project_scope(desk.acting):
        if tab is Tab.TEXT:
            context["card"] = card = card_of(desk.acting, pk)
            found = card.memory
            context |= _to_do(request, desk, found, disputed=bool(card.conflict_id))
            context["feedback"] = form or _asked_of(request, found)
        else:
            found = find_memory(pk)
            context |= _part(found, tab)
        if request.method == "GET":  # every part of the page shows its words, some in the title alone
            note_read(desk.acting, found, ReadThrough.CONSOLE)
    return show(request, desk, "memories/memory.html", status=status, section=SECTION, memory=found, **context)


def _to_do(request: HttpRequest, desk: Desk, found: Memory, *, disputed: bool) -> dict[str, Any]:
    """What the reader may do: the form that decides what waits, and a button for each other way."""
    buttons, form = buttons_of(desk, found, disputed=disputed), None
    if any(button.way is Way.ADMIT and not button.needed for button in buttons):
        form = DecideForm(initial={"inbox": request.GET.get("from") == "inbox"})
        form.see(found)
        buttons = [button for button in buttons if button.way not in DECIDED_HERE]
    return {"buttons": buttons, "decide": form, "lets_in": FOLLOWS[Way.ADMIT], "own": is_own(desk, found)}


def _part(found: Memory, tab: Tab) -> dict[str, Any]:
    match tab:
        case Tab.VERSIONS:
            return {"past": past_of(found), "undoable": last_change(found)}
        case Tab.LINEAGE:
            return {"lineage": lineage_of(found)}
        case _:
            return {"access": access_of(found)}


def _number(text: str | None, *, default: int) -> int:
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise NotThere
    return int(text)
