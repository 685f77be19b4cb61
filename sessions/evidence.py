"""What refs to transcripts and artifacts open, and which schemes this app registers."""

import re
import uuid
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from governance import refs
from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import parse_id
from governance.refs import Resolved, Scheme
from governance.vocabulary import Audience
from sessions.artifacts import LINES_MOST, READ_MOST, part_of
from sessions.models import Artifact, Event
from sessions.models.event import ERASED
from sessions.standing import standing_of
from sessions.work_evidence import (
    form_of,
    open_handoff,
    open_revision,
    open_session,
    open_summary,
    open_task,
    open_thread,
    open_vision,
)

EVENT = re.compile(r"event://(ses_[0-9a-f]{32})/(\d{1,9})(?:-(\d{1,9}))?")
ARTIFACT = re.compile(r"artifact://(art_[0-9a-f]{32})(?:#([tl])=(\d{1,9}),(\d{1,9}))?")
MOST_EVENTS = 500
UNITS = {"t": "tokens", "l": "lines"}


def register_schemes() -> None:
    """Tell the registry what this app opens; called once, as the app gets ready."""
    openers = {
        "event": open_event,
        "artifact": open_artifact,
        "handoff": open_handoff,
        "summary": open_summary,
        "revision": open_revision,
        "vision": open_vision,
        "thread": open_thread,
        "task": open_task,
        "session": open_session,
    }
    finders = {"event": find_events, "artifact": find_artifacts}
    for name, opener in openers.items():
        refs.register(name, Scheme(resolve=opener, find=finders.get(name)))


def open_event(ref: str, _acting: Acting) -> Resolved:
    """Return one event's text, or a span of them as a transcript. Raises NotThere unless all of them are readable."""
    session, first, last = span_of(ref)
    rows = list(Event.objects.filter(session_id=session, seq__gte=first, seq__lte=last).order_by("seq"))
    if len(rows) != last - first + 1 or any(row.erased for row in rows):
        raise NotThere
    if "-" not in ref.rpartition("/")[2]:
        return Resolved(ref=ref, text=rows[0].text, **standing_of(rows))
    whole = "\n\n".join(f"[{row.seq} {row.role} {row.kind}]\n{row.text}" for row in rows)
    return Resolved(ref=ref, text=whole, **standing_of(rows))


def find_events(wanted: Sequence[str], _acting: Acting) -> list[str]:
    """Return those of the refs whose events are all readable, in one statement."""
    spans = {ref: span_of(ref) for ref in wanted if _is_span(ref)}
    asked = [Q(session_id=session, seq__range=(first, last)) for session, first, last in spans.values()]
    if not asked:
        return []
    there = Event.objects.filter(reduce(or_, asked)).exclude(text="", meta__has_key=ERASED)
    readable = set(there.values_list("session_id", "seq"))
    return [
        ref
        for ref, (session, first, last) in spans.items()
        if all((session, seq) in readable for seq in range(first, last + 1))
    ]


def find_artifacts(wanted: Sequence[str], _acting: Acting) -> list[str]:
    """Return those of the refs whose artifacts are readable, in one statement."""
    forms = {ref: form for ref in wanted if (form := ARTIFACT.fullmatch(ref)) and _is_part(form)}
    ids = {ref: parse_id("art", form.group(1), pointer="/ref") for ref, form in forms.items()}
    readable = {found.pk for found in Artifact.objects.filter(pk__in=ids.values()).defer("content") if not found.erased}
    return [ref for ref, pk in ids.items() if pk in readable]


def open_artifact(ref: str, _acting: Acting) -> Resolved:
    """Return an artifact, or the part that the fragment names (#t=offset,limit in tokens, #l= in lines)."""
    form = form_of(ARTIFACT, ref)
    found = Artifact.objects.filter(pk=parse_id("art", form.group(1), pointer="/ref")).first()
    if found is None or found.erased:
        raise NotThere
    kept: dict[str, Any] = {
        "media_type": found.media_type,
        "sha256": found.sha256,
        "from_tool": True,
        "private": found.audience == Audience.PRIVATE,
        "observed_at": found.created_at,
    }
    if form.group(2) is None:
        return Resolved(ref=ref, text=found.content, **kept)
    unit, offset, limit = UNITS[form.group(2)], int(form.group(3)), int(form.group(4))
    part = part_of(found.content, unit=unit, offset=offset, limit=limit)
    return Resolved(ref=ref, text=part.text, **kept)


def span_of(ref: str) -> tuple[uuid.UUID, int, int]:
    """Return the session, the first and the last entry that an event's ref names. Raises NotThere for another form."""
    form = form_of(EVENT, ref)
    first = int(form.group(2))
    last = int(form.group(3) or first)
    if not first <= last < first + MOST_EVENTS:
        raise NotThere
    return parse_id("ses", form.group(1), pointer="/ref"), first, last


def entries_of(ref: str) -> list[str]:
    """Return the refs of the single entries of a span of a transcript; nothing for what is no span."""
    form = EVENT.fullmatch(ref)
    if form is None or form[3] is None:
        return []
    first, last = int(form[2]), min(int(form[3]), int(form[2]) + MOST_EVENTS - 1)
    return [f"event://{form[1]}/{seq}" for seq in range(first, last + 1)]


def _is_span(ref: str) -> bool:
    try:
        span_of(ref)
    except NotThere:
        return False
    return True


def _is_part(form: re.Match[str]) -> bool:
    """Return whether the fragment, if there is one, asks for as much as one read may hold."""
    if form.group(2) is None:
        return True
    return 1 <= int(form.group(4)) <= (READ_MOST if form.group(2) == "t" else LINES_MOST)
