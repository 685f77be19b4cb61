"""Keys of agents: made, rotated and revoked. A secret is on one answer to one form, and nowhere else."""

from collections.abc import Sequence
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from governance.agent_views import agent_at
from governance.errors import Clash, Refusal
from governance.forms import posted, status_of
from governance.ids import public_id
from governance.key_forms import KeyForm, RevokeForm, RotateForm
from governance.keys import KeyFacts, MintedKey, find_key, issue, keys_of_project, revoke, rotate
from governance.marks import check_mark, mark_of
from governance.models import Actor, ApiKey
from governance.pages import Desk, blame, done, id_in_path, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed


@project_page
def new_key(request: HttpRequest, desk: Desk, agent_id: str) -> HttpResponse:
    """Make a key for an agent and show it once.

    A form that was drawn before the agent's newest key is refused: sending it again, by reloading the answer,
    would leave a second living key that nobody holds.
    """
    desk.check(Deed.MANAGE_KEYS)
    agent, keys = _agent_and_keys(desk, agent_id)
    form, status, newest = KeyForm(posted(request)), None, None
    if form.is_valid():
        try:
            return _key_made(request, desk, agent, minted=_issue(desk, agent, form))
        except Clash as refusal:
            blame(form, refusal)
            status, newest = 409, _newest(keys, refusal)
        except Refusal as refusal:
            blame(form, refusal)
    return show(
        request,
        desk,
        "governance/new_key.html",
        status=status or status_of(form),
        section="agents",
        form=form,
        agent=agent,
        mark=mark_of(*_ids(keys)),
        newest=newest,
    )


def _issue(desk: Desk, agent: Actor, form: KeyForm) -> MintedKey:
    now = timezone.now()
    with project_scope(desk.acting):
        check_mark(form.cleaned_data["seen"], *_ids(keys_of_project(now=now, agent=agent)))
        return issue(
            desk.acting, agent, scopes=form.wanted, now=now, name=form.cleaned_data["name"], lifetime=form.lifetime
        )


def _agent_and_keys(desk: Desk, agent_id: str) -> tuple[Actor, Sequence[KeyFacts]]:
    with project_scope(desk.acting, read_only=True):
        agent = agent_at(agent_id)
        return agent, keys_of_project(now=timezone.now(), agent=agent)


def _newest(keys: Sequence[KeyFacts], refusal: Clash) -> KeyFacts | None:
    """The agent's newest key, where the form was refused because keys have changed since it was drawn."""
    return keys[0] if keys and refusal.code == "version_moved" else None


def _ids(keys: Sequence[KeyFacts]) -> list[str]:
    return [fact.key.public_id for fact in keys]


def _key_made(
    request: HttpRequest, desk: Desk, agent: Actor, *, minted: MintedKey, old: ApiKey | None = None
) -> HttpResponse:
    return show(request, desk, "governance/key_made.html", section="agents", agent=agent, minted=minted, old=old)


@project_page
def rotate_key(request: HttpRequest, desk: Desk, key_id: str) -> HttpResponse:
    """Make a key like this one and let the old one lapse; the new one is shown once."""
    desk.check(Deed.MANAGE_KEYS)
    now = timezone.now()
    key, keys = _key_and_siblings(desk, key_id, now=now)
    form, status, newest = RotateForm(posted(request)), None, None
    if form.is_valid():
        try:
            minted, old = _rotate(desk, key_id, form, now=now)
        except Clash as refusal:
            blame(form, refusal)
            status, newest = 409, _newest(keys, refusal)
        else:
            return _key_made(request, desk, key.actor, minted=minted, old=old)
    return show(
        request,
        desk,
        "governance/rotate_key.html",
        status=status or status_of(form),
        section="agents",
        form=form,
        fact=_fact(keys, key),
        agent=key.actor,
        mark=mark_of(*_ids(keys)),
        newest=newest,
    )


def _rotate(desk: Desk, key_id: str, form: RotateForm, *, now: datetime) -> tuple[MintedKey, ApiKey]:
    with project_scope(desk.acting):
        key = _key_at(key_id)
        check_mark(form.cleaned_data["seen"], *_ids(keys_of_project(now=now, agent=key.actor)))
        minted = rotate(desk.acting, key, now=now, overlap=form.hours)
        return minted, _key_at(key_id)


@project_page
def revoke_key(request: HttpRequest, desk: Desk, key_id: str) -> HttpResponse:
    """End a key at once, after a page that says what stops working."""
    desk.check(Deed.MANAGE_KEYS)
    now = timezone.now()
    key, keys = _key_and_siblings(desk, key_id, now=now)
    form, status = RevokeForm(posted(request)), None
    if form.is_valid():
        try:
            with project_scope(desk.acting):
                revoke(desk.acting, _key_at(key_id), reason=form.cleaned_data["reason"], now=now)
        except Clash as refusal:
            blame(form, refusal)
            status = 409
        else:
            words = gettext("The key is revoked: the next request with it is refused.")
            return done(request, words, to=reverse("agent", args=[desk.seat.public_id, key.actor.public_id]))
    return show(
        request,
        desk,
        "governance/revoke_key.html",
        status=status or status_of(form),
        section="agents",
        form=form,
        fact=_fact(keys, key),
        agent=key.actor,
    )


def _key_at(key_id: str) -> ApiKey:
    return find_key(public_id("key", id_in_path("key", key_id)), pointer="{key_id}")


def _key_and_siblings(desk: Desk, key_id: str, *, now: datetime) -> tuple[ApiKey, Sequence[KeyFacts]]:
    with project_scope(desk.acting, read_only=True):
        key = _key_at(key_id)
        return key, keys_of_project(now=now, agent=key.actor)


def _fact(keys: Sequence[KeyFacts], key: ApiKey) -> KeyFacts:
    return next(fact for fact in keys if fact.key.pk == key.pk)
