"""HTTP: artifacts, and bounded reads of any ref."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from governance import refs
from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import parse_id
from governance.input import Id, Input, Text
from governance.refs import Resolved
from governance.replays import written
from governance.scope import project_scope, record
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer, row_here
from memories.feedback import note_opened
from sessions.artifacts import artifact_out, keep_all
from sessions.models import Artifact
from sessions.read_budget import reading_session, spend
from sessions.searching import part_asked
from sessions.session_api import session_here

router = Router(tags=["evidence"])


class ArtifactIn(Input):
    session_id: Id
    content: Text
    media_type: Annotated[str, Field(pattern=r"^[\w.+-]{1,60}/[\w.+-]{1,39}$")] = "text/plain"


@router.post("/artifacts", operation_id="store_artifact")
def post_artifact(request: HttpRequest, body: ArtifactIn) -> HttpResponse:
    """Store large content beside a session, under its hash: whoever reads the session may read it."""

    def write(acting: Acting) -> HttpResponse:
        session = session_here(acting, body.session_id, pointer="/session_id")
        kept = keep_all([body.content], beside=session, media_type=body.media_type)[body.content]
        record("artifact.store", kept.public_id, after=f"sha256:{kept.sha256}", detail={"size": kept.size})
        return answer(artifact_out(kept), status=201)

    return written(request, KeyScope.SESSION_WRITE, write)


class Reading(Schema):
    """Where a read begins and how far it goes, in tokens or lines; with `q`, which matches of it, one a line.

    `session_id` is the window that it is read into: left out, that of the caller's running attempt.
    """

    offset: int = 0
    limit: int | None = None
    unit: str | None = None
    q: str | None = None
    session_id: str | None = None


@router.get("/artifacts/{artifact_id}", operation_id="read_artifact")
def get_artifact(request: HttpRequest, artifact_id: str, reading: Query[Reading]) -> HttpResponse:
    """Read a bounded piece of an artifact, in tokens or lines, or find words in it; `next` is where to read on."""
    acting = acting_of(request, KeyScope.EVIDENCE_READ)
    with project_scope(acting):
        kept = artifact_here(artifact_id)
        return answer(artifact_out(kept) | _read(acting, kept.content, kept.public_id, reading))


@router.get("/evidence", operation_id="read_evidence")
def get_evidence(request: HttpRequest, ref: str, reading: Query[Reading]) -> HttpResponse:
    """Open any ref that this key may read now, in bounded pieces, or find words in it."""
    acting = acting_of(request, KeyScope.EVIDENCE_READ)
    with project_scope(acting):
        opened = _opened(acting, ref)
        part = _read(acting, opened.text, ref[:200], reading)
        note_opened(acting, ref)
        return answer({"ref": opened.ref, "media_type": opened.media_type, "sha256": opened.sha256} | part)


def artifact_here(artifact_id: str) -> Artifact:
    """Return an artifact of the open scope; raises NotThere for a foreign, unknown or malformed id."""
    return row_here(Artifact.objects.all(), "art", artifact_id, pointer="{artifact_id}")


def _opened(acting: Acting, ref: str) -> Resolved:
    try:
        return refs.resolve(ref, acting, pointer="?ref")
    except NotThere:
        raise NotThere.there("?ref") from None


def _read(acting: Acting, text: str, target: str, reading: Reading) -> dict[str, Any]:
    """Return the part that was asked for, after charging the session that it is read into and recording the read."""
    named = reading.session_id
    session = reading_session(acting, parse_id("ses", named, pointer="?session_id") if named is not None else None)
    part = part_asked(text, reading.q, unit=reading.unit, offset=reading.offset, limit=reading.limit)
    spent = spend(session, part.tokens, now=timezone.now())
    unit = "matches" if reading.q is not None else reading.unit or "tokens"
    into = {"session": spent.session} if spent else {}
    record("evidence.read", target, detail={"offset": reading.offset, "unit": unit, "tokens": part.tokens} | into)
    return part.as_json() | {"read_budget": spent.as_json() if spent else None}
