"""HTTP: artifacts, and bounded reads of any ref."""

from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Router
from pydantic import Field

from governance import refs
from governance.actors import Acting
from governance.errors import NotThere
from governance.input import Id, Input, Text
from governance.replays import once
from governance.scope import project_scope, record
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer, row_here
from memories.feedback import note_opened
from sessions.artifacts import artifact_out, keep_all, read_piece
from sessions.models import Artifact
from sessions.session_api import session_here

router = Router(tags=["evidence"])


class ArtifactIn(Input):
    session_id: Id
    content: Text
    media_type: Annotated[str, Field(pattern=r"^[\w.+-]{1,60}/[\w.+-]{1,39}$")] = "text/plain"


@router.post("/artifacts", operation_id="store_artifact")
def post_artifact(request: HttpRequest, body: ArtifactIn) -> HttpResponse:
    """Store large content beside a session, under its hash: whoever reads the session may read it."""
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting):
            session = session_here(acting, body.session_id, pointer="/session_id")
            kept = keep_all([body.content], beside=session, media_type=body.media_type)[body.content]
            record("artifact.store", kept.public_id, after=f"sha256:{kept.sha256}", detail={"size": kept.size})
            return answer(artifact_out(kept), status=201)

    return once(request, acting, act)


@router.get("/artifacts/{artifact_id}", operation_id="read_artifact")
def get_artifact(
    request: HttpRequest, artifact_id: str, *, offset: int = 0, limit: int | None = None, unit: str = "tokens"
) -> HttpResponse:
    """Read a bounded piece of an artifact, in tokens or lines; `next` is the offset that follows."""
    acting = acting_of(request, KeyScope.EVIDENCE_READ)
    with project_scope(acting):
        kept = artifact_here(artifact_id)
        piece = read_piece(kept.content, unit=unit, offset=offset, limit=limit)
        record("evidence.read", kept.public_id, detail={"offset": offset, "unit": unit})
        return answer(artifact_out(kept) | asdict(piece))


@router.get("/evidence", operation_id="read_evidence")
def get_evidence(
    request: HttpRequest, ref: str, *, offset: int = 0, limit: int | None = None, unit: str = "tokens"
) -> HttpResponse:
    """Open any ref that this key may read now, in bounded pieces."""
    acting = acting_of(request, KeyScope.EVIDENCE_READ)
    with project_scope(acting):
        return answer(_read(acting, ref, unit=unit, offset=offset, limit=limit))


def artifact_here(artifact_id: str) -> Artifact:
    """Return an artifact of the open scope; raises NotThere for a foreign, unknown or malformed id."""
    return row_here(Artifact.objects.all(), "art", artifact_id, pointer="{artifact_id}")


def _read(acting: Acting, ref: str, *, unit: str, offset: int, limit: int | None) -> dict[str, Any]:
    try:
        opened = refs.resolve(ref, acting, pointer="?ref")
    except NotThere:
        raise NotThere.there("?ref") from None
    piece = read_piece(opened.text, unit=unit, offset=offset, limit=limit)
    note_opened(acting, ref)
    record("evidence.read", ref[:200], detail={"offset": offset, "unit": unit})
    return {"ref": opened.ref, "media_type": opened.media_type, "sha256": opened.sha256, **asdict(piece)}
