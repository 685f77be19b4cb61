"""Imported events as entries of a transcript: who vouches for them, and what is too large to stand in a row."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings

from sessions.artifacts import artifact_ref, keep_all
from sessions.context.cuts import excerpt
from sessions.context.tokens import exact_counter
from sessions.imports.parsing import compact
from sessions.imports.records import ImportedEvent, ImportedRow
from sessions.models import Artifact, Session
from sessions.transcripts import NewEvent
from sessions.vocabulary import AttestedBy, EventKind, EventRole

META_CHARS = 256 * 1024  # as JSON; a record with more (pictures, thinking) keeps it in an artifact
TOOL_CHARS = 200  # what the column holds; a longer one is no name, and stays whole in meta

type Kept = Mapping[str, Artifact]


def new_events(rows: Sequence[ImportedRow], *, beside: Session) -> list[NewEvent]:
    """Return the rows as entries for `transcripts.append`, in the open scope.

    What is too large for a row is stored whole beside the session, and the entry holds an excerpt and the ref.
    """
    texts = keep_all([_text(row.event) for row in rows if _is_large(row.event)], beside=beside)
    metas = [compact(dict(row.event.meta)) for row in rows]
    kept = keep_all([meta for meta in metas if len(meta) > META_CHARS], beside=beside, media_type="application/json")
    return [_entry(row, texts, kept.get(meta)) for row, meta in zip(rows, metas, strict=True)]


def attested_by(row: ImportedRow) -> AttestedBy:
    """Return who vouches: the import for what the user said, nobody but the agent for everything else.

    A sub-agent's user is the agent that called it, and a demonstration was never said in this work.
    """
    said = row.event.role is EventRole.USER and row.event.kind is EventKind.MESSAGE
    users_own = said and row.session.parent is None and row.event.meta.get("demo") is not True
    return AttestedBy.IMPORT if users_own else AttestedBy.AGENT


def _entry(row: ImportedRow, texts: Kept, large_meta: Artifact | None) -> NewEvent:
    event = row.event
    text, whole = _text(event), texts.get(_text(event)) if _is_large(event) else None
    meta: dict[str, Any] = {"meta_ref": artifact_ref(large_meta)} if large_meta else dict(event.meta)
    if whole is not None:
        ref = artifact_ref(whole)
        meta["whole_ref"] = ref
        text = excerpt(text, settings.GREYWIND.tool_result_cap, ref=ref, total=whole.tokens_o200k)
    tool = event.tool or ""
    if len(tool) > TOOL_CHARS:
        meta["tool"], tool = tool, ""
    return NewEvent(
        client_id=event.client_id,
        role=event.role,
        kind=event.kind,
        text=text,
        tool=tool,
        failed=event.failed,
        attested_by=attested_by(row),
        occurred_at=event.occurred_at,
        meta=meta,
    )


def _text(event: ImportedEvent) -> str:
    """Return what the entry says: for a record that nobody understood, the record itself."""
    return event.text or event.raw or ""


def _is_large(event: ImportedEvent) -> bool:
    """Tell what must not stand in a row as it is. Tool results are not asked for: appending shortens them itself."""
    return _LARGE.get(event.kind, _over_bytes)(_text(event))


def _over_bytes(text: str) -> bool:
    limit: int = settings.GREYWIND.max_text_bytes
    return len(text) > limit or (len(text) * 4 > limit and len(text.encode()) > limit)


def _over_cap(text: str) -> bool:
    cap: int = settings.GREYWIND.tool_result_cap
    return len(text) > cap and exact_counter("o200k_base").count(text) > cap


_LARGE: Mapping[EventKind, Callable[[str], bool]] = {
    EventKind.TOOL_RESULT: lambda _text: False,
    EventKind.UNKNOWN: _over_cap,
}
