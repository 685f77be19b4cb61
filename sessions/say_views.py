"""Pages by which a human speaks into a thread, and takes a constraint back."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from governance.errors import NotThere, Refusal
from governance.forms import posted, status_of
from governance.ids import parse_id
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.reading import constraints_of
from sessions.say_forms import FOR_ROLE, Audience, RetireForm, SayForm
from sessions.session_views import entry_address
from sessions.speaking import Retirement, Said, Speech, hearers, roles_without_window, speak, take_back
from sessions.thread_lines import Words
from sessions.vocabulary import AttestedBy, EventKind
from threads.models import Thread

FIELD_OF = {"/session_id": "hearer", "/role": "hearer"}


@project_page
def say(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Write a message, a correction or a constraint into a thread."""
    desk.check(Deed.SPEAK)
    with project_scope(desk.acting, read_only=True):
        thread = _thread(thread_id)
        live = hearers(thread)
        audience = Audience(live, roles_without_window(live), constraints_of(thread))
    form = SayForm(posted(request), audience=audience, initial=_initial(request))
    status = None
    if form.is_valid():
        try:
            said = speak(desk.acting, thread, _speech(form.cleaned_data), now=timezone.now())
        except Refusal as refusal:
            status = _blame(form, refusal)
        else:
            return done(request, _what_happens_next(said), to=_place_of(desk, said))
    status = status or status_of(form)
    return show(request, desk, "sessions/say.html", status=status, section="threads", form=form, thread=_named(thread))


@project_page
def retire(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Take a standing constraint of a thread back, with a reason."""
    desk.check(Deed.RETIRE_CONSTRAINT)
    ref = request.GET.get("ref", "")
    with project_scope(desk.acting, read_only=True):
        thread = _thread(thread_id)
        standing = next((row for row in constraints_of(thread) if row.ref == ref), None)
    form, status = RetireForm(posted(request)), None
    if form.is_valid():
        wish = Retirement(ref=ref, attested_by=AttestedBy.CONSOLE, **form.cleaned_data)
        try:
            said = take_back(desk.acting, thread, wish, now=timezone.now())
        except Refusal as refusal:
            status = _blame(form, refusal)
        else:
            return done(request, _gone(), to=_place_of(desk, said))
    demand = Words.of(standing.text) if standing else None
    status = status or status_of(form)
    shown: dict[str, Any] = {"form": form, "thread": _named(thread), "ref": ref, "demand": demand}
    return show(request, desk, "sessions/retire.html", status=status, section="threads", **shown)


def _thread(thread_id: str) -> Thread:
    thread = Thread.objects.filter(pk=id_in_path("thr", thread_id)).first()
    if thread is None:
        raise NotThere
    return thread


def _named(thread: Thread) -> dict[str, Any]:
    return {"id": thread.public_id, "title": Words.of(thread.title)}


def _initial(request: HttpRequest) -> dict[str, str]:
    asked = {name: request.GET.get(name, "") for name in ("kind", "retires")}
    kind = asked["kind"] if asked["kind"] in set(EventKind) else EventKind.MESSAGE.value
    return {"kind": kind, "retires": asked["retires"], "hearer": request.GET.get("session", "")}


def _speech(cleaned: dict[str, Any]) -> Speech:
    hearer: str = cleaned["hearer"]
    for_role = hearer.startswith(FOR_ROLE)
    return Speech(
        kind=EventKind(cleaned["kind"]),
        text=cleaned["text"],
        client_id=cleaned["client_id"],
        session_id=None if for_role else parse_id("ses", hearer, pointer="/session_id"),
        role=hearer.removeprefix(FOR_ROLE) if for_role else None,
        retires=cleaned.get("retires") or None,
    )


def _blame(form: SayForm | RetireForm, refusal: Refusal) -> int:
    blame(form, refusal, fields=FIELD_OF)
    if refusal.code == "client_id_reused":
        form.renew()
    return refusal.status


def _what_happens_next(said: Said) -> str:
    sentence = {
        EventKind.CONSTRAINT: gettext(
            "Stored. From now on every context packet of this thread carries it, until somebody retires it."
        ),
        EventKind.CORRECTION: gettext(
            "Stored. The next context packet for the session of %(role)s carries the correction."
        ),
    }.get(
        EventKind(said.event.kind),
        gettext("Stored. The next context packet for the session of %(role)s carries the message."),
    )
    retired = [_gone()] if said.event.meta.get("retires") else []
    opened = [gettext("A session was opened for %(role)s, who finds it there at the first request.")]
    sentences = [sentence, *retired, *(opened if said.opened else [])]
    return " ".join(text % {"role": said.session.role} if "%(" in text else text for text in sentences)


def _gone() -> str:
    return gettext("The constraint no longer stands: the next context packet of this thread leaves it out.")


def _place_of(desk: Desk, said: Said) -> str:
    return entry_address(desk.seat.public_id, said.session.public_id, said.event.seq)
