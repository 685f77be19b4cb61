"""Idempotency-Key: the effect and the remembered answer are one transaction, so a retry can do nothing twice.

An answer is remembered for as long as the settings say, a day at the least; a sweep forgets what is older.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse

from governance.actors import Acting, system_of
from governance.errors import Invalid
from governance.ids import new_id, public_id
from governance.models import StoredAnswer
from governance.rows import fetch
from governance.scope import project_scope, record
from governance.vocabulary import KeyScope
from governance.web import acting_of

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
BATCH = 1000  # answers that are forgotten in one step
MOST_STEPS = 100  # of one sweep; the next one goes on
OLD = "SELECT project_id, acting, ids FROM old_answers(%s, %s)"
CLAIM = (
    "INSERT INTO governance_storedanswer"
    " (id, project_id, api_key_id, idempotency_key, fingerprint, created_at, body, packet_ref)"
    " VALUES (%s, %s, %s, %s, %s, now(), '', %s) ON CONFLICT (project_id, api_key_id, idempotency_key) DO NOTHING"
)


def once(request: HttpRequest, acting: Acting, act: Callable[[], HttpResponse]) -> HttpResponse:
    """Run `act` at most once for the request's Idempotency-Key, and answer a repetition with what it answered.

    Without the header it just runs. A second request with the same key waits for the first to commit. Raises
    Invalid (idempotency_key_reused) when the same key comes with another request. Refusals are not remembered:
    they stored nothing, and the caller may repair and repeat. After GREYWIND_REPLAY_DAYS a key is free again.
    """
    key = request.headers.get(HEADER)
    if key is None or acting.key_id is None:
        return act()
    checked = checked_key(key)
    with project_scope(acting):
        stored = claim(acting, checked, fingerprint(request))
        if stored is not None:
            return replay(stored)
        response = act()
        StoredAnswer.objects.filter(api_key_id=acting.key_id, idempotency_key=checked).update(
            status=response.status_code, body=response.content.decode()
        )
        return response


def written(request: HttpRequest, scope: KeyScope, write: Callable[[Acting], HttpResponse]) -> HttpResponse:
    """Answer a request by what `write` answers to its sender, in one open scope and, by its Idempotency-Key, once.

    Raises as `acting_of` does for a key without `scope`, and as `once` does.
    """
    acting = acting_of(request, scope)

    def act() -> HttpResponse:
        with project_scope(acting):
            return write(acting)

    return once(request, acting, act)


def checked_key(key: str) -> str:
    """Return the key when it is 1 to 255 visible ASCII characters, else raise Invalid."""
    if not 1 <= len(key) <= 255 or not key.isascii() or not key.isprintable():
        raise Invalid.at(HEADER, "expected 1 to 255 printable ASCII characters")
    return key


def fingerprint(request: HttpRequest) -> str:
    """Return the hash of what a request asks: method, path, query and body."""
    line = f"{request.method} {request.get_full_path()}\n".encode()
    return "sha256:" + hashlib.sha256(line + request.body).hexdigest()


def claim(acting: Acting, key: str, print_: str, *, packet_ref: str = "") -> StoredAnswer | None:
    """Take the key in the open scope and return None, or return what is already stored under it."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [new_id(), acting.project_id, acting.key_id, key, print_, packet_ref])
        if cursor.rowcount == 1:
            return None
    return known(acting, key, print_)


def known(acting: Acting, key: str, print_: str) -> StoredAnswer | None:
    """Return what is stored under the key in the open scope; raises Invalid when it was for another request."""
    stored = StoredAnswer.objects.filter(api_key_id=acting.key_id, idempotency_key=key).first()
    if stored is not None and stored.fingerprint != print_:
        message = "this key was used for another request; use a fresh one"
        raise Invalid.at(HEADER, message, code="idempotency_key_reused")
    return stored


def replay(stored: StoredAnswer) -> HttpResponse:
    """Return a stored answer, marked as a repetition. The version in a body is its ETag, then as now."""
    response = HttpResponse(stored.body, status=stored.status or 200, content_type="application/json")
    response["Cache-Control"] = "no-store"
    version = json.loads(stored.body).get("version")
    if version is not None:
        response["ETag"] = f'"{version}"'
    response[REPLAYED] = "true"
    return response


def forget_old_answers(*, trace_id: str = "") -> int:
    """Forget the answers that are older than GREYWIND_REPLAY_DAYS, the oldest first; returns how many.

    No scope is needed: what one key was answered goes in a transaction of its own, so that a sweep that is stopped has
    done whole steps.
    """
    gone = 0
    for _ in range(MOST_STEPS):
        old = fetch(OLD, [timedelta(days=settings.GREYWIND.replay_days), BATCH])
        step = sum(_forget(system_of(project, actor, trace_id=trace_id), ids) for project, actor, ids in old)
        if not step:
            break
        gone += step
    return gone


def _forget(acting: Acting, ids: Sequence[uuid.UUID]) -> int:
    """Forget these answers to the keys of one actor, as whom alone they can be reached."""
    with project_scope(acting):
        gone, _ = StoredAnswer.objects.filter(pk__in=ids).delete()
        if gone:
            record("answer.forget", public_id("act", acting.actor_id), detail={"answers": gone})
    return gone
