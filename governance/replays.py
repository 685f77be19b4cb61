"""Idempotency-Key: the effect and the remembered answer are one transaction, so a retry can do nothing twice."""

import hashlib
import json
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse

from governance.actors import Acting
from governance.errors import Invalid
from governance.ids import new_id
from governance.models import StoredAnswer
from governance.scope import project_scope

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
CLAIM = (
    "INSERT INTO governance_storedanswer"
    " (id, project_id, api_key_id, idempotency_key, fingerprint, created_at, body, packet_ref)"
    " VALUES (%s, %s, %s, %s, %s, now(), '', %s) ON CONFLICT (project_id, api_key_id, idempotency_key) DO NOTHING"
)


def once(request: HttpRequest, acting: Acting, act: Callable[[], HttpResponse]) -> HttpResponse:
    """Run `act` at most once for the request's Idempotency-Key, and answer a repetition with what it answered.

    Without the header it just runs. A second request with the same key waits for the first to commit. Raises
    Invalid (idempotency_key_reused) when the same key comes with another request. Refusals are not remembered:
    they stored nothing, and the caller may repair and repeat.
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
