"""API keys: minted once, kept as a keyed hash, and looked up through the one door that needs no scope."""

import hashlib
import hmac
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from governance.actors import Acting
from governance.errors import Clash, Invalid, NotThere, Unauthenticated
from governance.ids import parse_id
from governance.key_form import KEY_FORM, draw_secret
from governance.models import Actor, ApiKey
from governance.names import checked_name
from governance.people import check_may
from governance.rows import fetch
from governance.scope import record
from governance.vocabulary import ActorKind, Deed, KeyScope, KeyState

LIFETIME = timedelta(days=90)
LONGEST_LIFETIME = timedelta(days=3650)
# A rotated key goes on for a day, so that whoever holds it can be given the new one without a gap.
OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A fresh key. `secret` is the whole bearer text; it cannot be shown again."""

    key: ApiKey
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFacts:
    """One key as a list shows it: nothing in it opens anything."""

    key: ApiKey  # its digest is not loaded
    agent: Actor
    state: KeyState

    @property
    def shown(self) -> str:
        """The part of the bearer text that may be shown again."""
        return f"gw_{self.key.prefix}_…"


def digest(secret: str) -> bytes:
    """Return the keyed hash under which a bearer text is stored (32 bytes)."""
    return hmac.new(settings.GREYWIND.key_pepper.get_secret_value().encode(), secret.encode(), hashlib.sha256).digest()


def mint(
    actor: Actor,
    *,
    scopes: Iterable[KeyScope],
    name: str = "",
    expires_at: datetime | None = None,
    secret: str | None = None,
) -> MintedKey:
    """Make a key for an agent inside the open scope. `expires_at` None means that it does not lapse.

    `secret` is for a key made anew under a bearer text that is known already; one of another form is not used.
    """
    form = KEY_FORM.fullmatch(secret or "") or KEY_FORM.fullmatch(draw_secret())
    if form is None:
        raise AssertionError("a drawn key has not the form by which keys are known")
    secret = form.group()
    key = ApiKey.objects.create(
        project_id=actor.project_id,
        actor=actor,
        name=name,
        prefix=form.group(1),
        digest=digest(secret),
        scopes=sorted(scopes),
        expires_at=expires_at,
    )
    record("key.mint", key.public_id, detail={"actor": actor.public_id, "scopes": key.scopes})
    return MintedKey(key, secret)


def issue(
    acting: Acting,
    agent: Actor,
    *,
    scopes: Iterable[str],
    now: datetime,
    name: str = "",
    lifetime: timedelta | None = LIFETIME,
) -> MintedKey:
    """Make a key for an agent of the open scope's project; `lifetime` None means that it does not lapse.

    Needs an owner. Raises Invalid for scopes that do not exist, for none at all and for a lifetime that is not
    between a moment and ten years, Clash (agent_inactive) for an agent that is switched off.
    """
    check_may(acting, Deed.MANAGE_KEYS)
    if agent.kind != ActorKind.AGENT:
        raise Invalid.at("/agent", "only an agent has keys; a human signs in to the console", code="not_an_agent")
    if not agent.active:
        raise Clash.at("/agent", "the agent is inactive, so no key of it opens anything", code="agent_inactive")
    wanted = checked_scopes(scopes)
    if lifetime is not None and not timedelta() < lifetime <= LONGEST_LIFETIME:
        message = f"a key lives for up to {LONGEST_LIFETIME.days} days, or without an end"
        raise Invalid.at("/expires", message, code="lifetime_invalid")
    called = checked_name(name, pointer="/name") if name.strip() else ""
    return mint(agent, scopes=wanted, name=called, expires_at=None if lifetime is None else now + lifetime)


def rotate(acting: Acting, key: ApiKey, *, now: datetime, overlap: timedelta = OVERLAP) -> MintedKey:
    """Make a key like `key`, with the same name, scopes and length of life; the old one lapses after `overlap`.

    Needs an owner. An overlap of nothing ends the old key at once. Raises Invalid for an overlap beyond 30 days,
    Clash (key_ended) when the old key opens nothing any more.
    """
    check_may(acting, Deed.MANAGE_KEYS)
    if not timedelta() <= overlap <= LONGEST_OVERLAP:
        message = f"expected up to {LONGEST_OVERLAP.days} days, or 0 to end the old key at once"
        raise Invalid.at("/overlap", message, code="overlap_invalid")
    old = _live(key, now=now)
    lifetime = old.expires_at - old.created_at if old.expires_at else None
    fresh = mint(
        old.actor,
        scopes=map(KeyScope, old.scopes),
        name=old.name,
        expires_at=None if lifetime is None else now + max(lifetime, overlap),
    )
    ending = {"expires_at": min(now + overlap, old.expires_at or now + overlap)} if overlap else {"revoked_at": now}
    ApiKey.objects.filter(pk=old.pk).update(**ending)
    seconds = int(overlap.total_seconds())
    record("key.rotate", old.public_id, detail={"successor": fresh.key.public_id, "overlap_seconds": seconds})
    return fresh


def revoke(acting: Acting, key: ApiKey, *, reason: str, now: datetime) -> None:
    """End a key at once. Needs an owner and a reason; raises Invalid without one, Clash (key_ended) if it has ended."""
    check_may(acting, Deed.MANAGE_KEYS)
    why = reason.strip()
    if not why:
        raise Invalid.at("/reason", "say why; the ledger keeps it", code="reason_missing")
    old = _live(key, now=now)
    ApiKey.objects.filter(pk=old.pk).update(revoked_at=now)
    record("key.revoke", old.public_id, reason=why)


def checked_scopes(scopes: Iterable[str]) -> frozenset[KeyScope]:
    """Return the scopes of these names; raises Invalid that lists the known ones."""
    names = set(scopes)
    unknown = sorted(names - set(KeyScope))
    if unknown or not names:
        fault = f"no such scope: {unknown[0]}" if unknown else "name at least one scope"
        raise Invalid.at("/scopes", f"{fault}; there are {', '.join(KeyScope)}", code="scope_unknown")
    return frozenset(map(KeyScope, names))


def keys_of_project(*, now: datetime, agent: Actor | None = None) -> list[KeyFacts]:
    """Return the keys of the open scope's project, or of one of its agents, newest first."""
    rows = ApiKey.objects.defer("digest").select_related("actor").order_by("-created_at", "-id")
    chosen = rows if agent is None else rows.filter(actor=agent)
    return [KeyFacts(key=row, agent=row.actor, state=state_of(row, now=now)) for row in chosen]


def state_of(key: ApiKey, *, now: datetime) -> KeyState:
    """Return whether the key opens anything now; whether it really does is for the database's clock to say."""
    if key.revoked_at is not None:
        return KeyState.REVOKED
    if key.expires_at is not None and key.expires_at <= now:
        return KeyState.LAPSED
    return KeyState.LIVE if key.actor.active else KeyState.AGENT_INACTIVE


def find_key(text: str, *, pointer: str) -> ApiKey:
    """Return the key of the open project by its id (key_…) or its visible beginning (gw_… or the eight letters).

    Raises NotThere. A whole bearer text is answered by its beginning, so that a leaked key can be pasted to end it.
    """
    rows = ApiKey.objects.defer("digest").select_related("actor")
    if text.startswith("key_"):
        found = rows.filter(pk=_uuid_of(text, pointer=pointer)).first()
    else:
        found = rows.filter(prefix=text.removeprefix("gw_").split("_")[0]).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def authenticate(secret: str, *, trace_id: str) -> Acting:
    """Return who a bearer text speaks for.

    Raises Unauthenticated, with one text for every cause: malformed, unknown, wrong, lapsed, revoked.
    """
    form = KEY_FORM.fullmatch(secret)
    row = _auth_key(form.group(1)) if form else None
    if row is None or not hmac.compare_digest(bytes(row[4]), digest(secret)) or not row[7]:
        raise Unauthenticated.without_key()
    key_id, project_id, actor_id, kind, _, scopes, roles, _ = row
    return Acting(
        project_id=project_id,
        actor_id=actor_id,
        kind=ActorKind(kind),
        roles=tuple(roles),
        scopes=frozenset(scopes),
        key_id=key_id,
        trace_id=trace_id,
    )


def _auth_key(prefix: str) -> tuple[Any, ...] | None:
    rows = fetch("SELECT * FROM auth_key(%s)", [prefix])
    return rows[0] if rows else None


def _live(key: ApiKey, *, now: datetime) -> ApiKey:
    """Return the key, locked; raises NotThere, and Clash when it has ended."""
    row = ApiKey.objects.select_for_update().filter(pk=key.pk).first()
    if row is None:
        raise NotThere.there("/key")
    state = state_of(row, now=now)
    if state in (KeyState.REVOKED, KeyState.LAPSED):
        raise Clash.at("/key", f"this key is {state} and opens nothing; mint another", code="key_ended")
    return row


def _uuid_of(text: str, *, pointer: str) -> uuid.UUID:
    try:
        return parse_id("key", text, pointer=pointer)
    except Invalid as error:
        raise NotThere.there(pointer) from error
