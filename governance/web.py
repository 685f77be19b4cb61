"""What every API handler leans on: the key, the versions, the pages and the answers."""

import base64
import binascii
import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import orjson
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja.parser import Parser
from ninja.security import HttpBearer

from governance.actors import Acting, check_scope
from governance.errors import (
    Invalid,
    Malformed,
    NotThere,
    PreconditionFailed,
    PreconditionRequired,
    Unauthenticated,
    UnsupportedMedia,
)
from governance.ids import parse_id
from governance.input import NAME_SHOWN
from governance.keys import authenticate
from governance.vocabulary import KeyScope

PAGE_DEFAULT, PAGE_MOST = 50, 200
WHOLE_BODY = "/"


class KeyAuth(HttpBearer):
    """Bearer keys. The acting value becomes `request.auth`; None is answered like a request without a key."""

    def authenticate(self, request: HttpRequest, token: str) -> Acting | None:
        try:
            return authenticate(token, trace_id=request.META["greywind.trace_id"])
        except Unauthenticated:
            return None


def acting_of(request: HttpRequest, *scopes: KeyScope) -> Acting:
    """Return who calls, after checking that the key carries `scopes`."""
    acting = cast("Acting", request.auth)  # type: ignore[attr-defined]  # ninja sets it after KeyAuth
    for scope in scopes:
        check_scope(acting, scope)
    return acting


class JsonBody(Parser):
    """Reads a JSON body. Depth bombs, NaN and undecodable bytes are refused as malformed, never a crash."""

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type != "application/json":
            raise UnsupportedMedia.at("Content-Type", "send the body as application/json")
        try:
            return json.loads(request.body, parse_constant=_no_constant)
        except RecursionError as error:
            message = "the JSON is nested too deeply; 32 levels are enough"
            raise Malformed.at(WHOLE_BODY, message, code="json_too_deep") from error
        except ValueError as error:
            raise Malformed.at(WHOLE_BODY, f"it is not valid JSON ({error})", code="json_invalid") from error


def row_here[M: Model](rows: QuerySet[M], prefix: str, text: str, *, pointer: str, lock: bool = False) -> M:
    """Return the row of `rows` with this public id; raises NotThere for a foreign, unknown or malformed one.

    `lock` makes a second writer wait, so that it meets the version that the first one left.
    """
    rows = rows.select_for_update(no_key=True) if lock else rows
    try:
        found = rows.filter(pk=parse_id(prefix, text, pointer=pointer)).first()
    except Invalid:
        found = None
    if found is None:
        raise NotThere.there(pointer)
    return found


def answer(payload: Any, *, status: int = 200, version: int | None = None) -> HttpResponse:
    """Return a JSON answer; `version` becomes its strong ETag."""
    response = HttpResponse(orjson.dumps(payload), status=status, content_type="application/json")
    response["Cache-Control"] = "no-store"
    if version is not None:
        response["ETag"] = f'"{version}"'
    return response


def check_if_match(request: HttpRequest, version: int, current: Callable[[], Any]) -> None:
    """Raise unless If-Match names `version`: 428 when absent, 412 with the current representation when it differs."""
    sent = request.headers.get("If-Match")
    if sent is None:
        raise PreconditionRequired.at("If-Match", "send the ETag of the version you saw")
    if sent.strip() not in {f'"{version}"', "*"}:
        message = f'you named another version, it is now "{version}"; read it again and repeat your change'
        raise PreconditionFailed.at("If-Match", message, extra={"current": current()})


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list, newest first, and the cursors around it."""

    rows: list[Any]
    next: str | None
    previous: str | None


def page_size(limit: int | None) -> int:
    """Return how many rows a page holds; raises Invalid outside 1 to 200."""
    if limit is None:
        return PAGE_DEFAULT
    if not 1 <= limit <= PAGE_MOST:
        raise Invalid.at("?limit", f"expected 1 to {PAGE_MOST}")
    return limit


def newest_first[M: Model](rows: QuerySet[M], *, cursor: str | None, limit: int | None, by: str = "created_at") -> Page:
    """Return a page ordered by (`by`, id), newest first. The cursor says where it starts and nothing else."""
    size = page_size(limit)
    back, at, pk = _decode(cursor) if cursor else (False, None, None)
    if at is not None:
        side = "gt" if back else "lt"
        rows = rows.filter(Q(**{f"{by}__{side}": at}) | Q(**{by: at, f"id__{side}": pk}))
    order = (by, "id") if back else (f"-{by}", "-id")
    found: list[Any] = list(rows.order_by(*order)[: size + 1])
    more, found = len(found) > size, found[:size]
    if back:
        found.reverse()
    has_next = bool(found) and (more or back)
    has_previous = bool(found) and cursor is not None and (not back or more)
    return Page(
        found,
        _encode(found[-1], by, back=False) if has_next else None,
        _encode(found[0], by, back=True) if has_previous else None,
    )


def listed(page: Page, shape: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return the body of a list answer."""
    return {"results": [shape(row) for row in page.rows], "next": page.next, "previous": page.previous}


def _encode(row: Any, by: str, *, back: bool) -> str:
    raw = f"{int(back)}|{getattr(row, by).isoformat()}|{row.pk.hex}"
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


def _decode(cursor: str) -> tuple[bool, datetime, uuid.UUID]:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        back, at, pk = raw.split("|")
        return back == "1", datetime.fromisoformat(at).astimezone(UTC), uuid.UUID(hex=pk)
    except (ValueError, binascii.Error, UnicodeDecodeError) as error:
        raise Invalid.at("?cursor", "take it unchanged from `next` or `previous`") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def pointer(location: Iterable[str | int]) -> str:
    """Return the JSON pointer of a validation fault; query parameters read `?name`, path ones `{name}`."""
    where, *path = [_named(part) for part in location]
    if where == "body":
        return WHOLE_BODY + "/".join(path[1:])
    named = "/".join(path)
    return {"query": f"?{named}", "path": f"{{{named}}}"}.get(where, f"{where}:{named}")


def _named(part: str | int) -> str:
    # An unknown field is named by its sender, so its name may hold anything, half a surrogate pair included.
    text = str(part).replace("~", "~0").replace("/", "~1")[:NAME_SHOWN]
    return text.encode("utf-8", "replace").decode()
