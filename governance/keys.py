"""API keys: minted once, kept as a keyed hash, and looked up through the one door that needs no scope."""

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from governance.actors import Acting
from governance.errors import Unauthenticated
from governance.models import Actor, ApiKey
from governance.rows import fetch
from governance.scope import record
from governance.vocabulary import ActorKind, KeyScope

KEY_FORM = re.compile(r"gw_([a-z0-9]{8})_[A-Za-z0-9_-]{43}")
PREFIX_ALPHABET = string.ascii_lowercase + string.digits


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A fresh key. `secret` is the whole bearer text; it cannot be shown again."""

    key: ApiKey
    secret: str


def digest(secret: str) -> bytes:
    """Return the keyed hash under which a bearer text is stored (32 bytes)."""
    return hmac.new(settings.GREYWIND.key_pepper.get_secret_value().encode(), secret.encode(), hashlib.sha256).digest()


def mint(actor: Actor, *, scopes: Iterable[KeyScope], name: str = "", expires_at: datetime | None = None) -> MintedKey:
    """Make a key for an agent inside the open scope. `expires_at` None means that it does not lapse."""
    prefix = "".join(secrets.choice(PREFIX_ALPHABET) for _ in range(8))
    secret = f"gw_{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        project_id=actor.project_id,
        actor=actor,
        name=name,
        prefix=prefix,
        digest=digest(secret),
        scopes=sorted(scopes),
        expires_at=expires_at,
    )
    record("key.mint", key.public_id, detail={"actor": actor.public_id, "scopes": key.scopes})
    return MintedKey(key, secret)


def authenticate(secret: str, *, trace_id: str) -> Acting:
    """Return who a bearer text speaks for.

    Raises Unauthenticated, with one text for every cause: malformed, unknown, wrong, lapsed, revoked.
    """
    form = KEY_FORM.fullmatch(secret)
    row = _auth_key(form.group(1)) if form else None
    if row is None or not hmac.compare_digest(bytes(row[4]), digest(secret)) or not row[7]:
        raise Unauthenticated.at("Authorization", "send a valid key as `Bearer gw_…`")
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
