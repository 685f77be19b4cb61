"""What the schemes of sessions open: events, artifacts, handoffs, work summaries, contract revisions."""

import json
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
from governance.models import Revision
from governance.refs import Resolved, Scheme
from governance.vocabulary import Audience
from memories.vocabulary import SourceRank
from sessions.artifacts import LINES_MOST, READ_MOST, part_of
from sessions.context.summary_lines import Sections
from sessions.fallen import said_now
from sessions.handoffs import parts_of
from sessions.models import Artifact, Event, Handoff, WorkSummary
from sessions.models.event import ERASED
from sessions.standing import DERIVED, standing_of

EVENT = re.compile(r"event://(ses_[0-9a-f]{32})/(\d{1,9})(?:-(\d{1,9}))?")
ARTIFACT = re.compile(r"artifact://(art_[0-9a-f]{32})(?:#([tl])=(\d{1,9}),(\d{1,9}))?")
HANDOFF = re.compile(r"handoff://(hnd_[0-9a-f]{32})")
SUMMARY = re.compile(r"summary://(sum_[0-9a-f]{32})(?:@\d{1,9})?")
REVISION = re.compile(r"revision://(rev_[0-9a-f]{32})")
MOST_EVENTS = 500
UNITS = {"t": "tokens", "l": "lines"}
SHORT = {"unfinished_items": "Unfinished", "resume_suggestion": "Resume"}  # what parts of a handoff are called


def register_schemes() -> None:
    """Tell the registry what this app opens; called once, as the app gets ready."""
    openers = {
        "event": open_event,
        "artifact": open_artifact,
        "handoff": open_handoff,
        "summary": open_summary,
        "revision": open_revision,
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
    form = _form(ARTIFACT, ref)
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


def open_handoff(ref: str, _acting: Acting) -> Resolved:
    """Return a handoff as text, its empty lists said, and nothing that rests on what was revoked."""
    found = Handoff.objects.filter(pk=parse_id("hnd", _form(HANDOFF, ref).group(1), pointer="/ref")).first()
    if found is None:
        raise NotThere
    parts = said_now(parts_of(found))
    text = "\n\n".join([parts.pop("summary"), *(f"{_titled(name)}:\n{_listed(said)}" for name, said in parts.items())])
    return Resolved(
        ref=ref,
        text=text,
        private=found.audience == Audience.PRIVATE,
        observed_at=found.created_at,
        **DERIVED,
    )


def _titled(name: str) -> str:
    return SHORT.get(name) or name.replace("_", " ").capitalize()


def _listed(said: str | Sequence[str]) -> str:
    return said if isinstance(said, str) else "\n".join(f"- {item}" for item in said) or "(none)"


def _sections_told(sections: Sections) -> str:
    said = {name: items for name, items in said_now(sections).items() if items}
    told = "\n\n".join("\n".join([name, *(f"- {item}" for item in items)]) for name, items in said.items())
    return told or ("(nothing was found to keep)" if sections else "")


def open_summary(ref: str, _acting: Acting) -> Resolved:
    """Return a version of a work summary as text, section by section, without what rests on what was revoked."""
    found = WorkSummary.objects.filter(pk=parse_id("sum", _form(SUMMARY, ref).group(1), pointer="/ref")).first()
    if found is None:
        raise NotThere
    return Resolved(
        ref=ref,
        text=_sections_told(found.sections),
        private=found.audience == Audience.PRIVATE,
        observed_at=found.created_at,
        **DERIVED,
    )


def open_revision(ref: str, _acting: Acting) -> Resolved:
    """Return the body of a contract's revision as canonical JSON."""
    found = Revision.objects.filter(pk=parse_id("rev", _form(REVISION, ref).group(1), pointer="/ref")).first()
    if found is None:
        raise NotThere
    text = json.dumps(found.body, ensure_ascii=False, indent=1, sort_keys=True)
    return Resolved(
        ref=ref,
        text=text,
        media_type="application/json",
        source=SourceRank.USER_EXPLICIT,
        private=found.audience == Audience.PRIVATE,
        observed_at=found.created_at,
    )


def span_of(ref: str) -> tuple[uuid.UUID, int, int]:
    """Return the session, the first and the last entry that an event's ref names. Raises NotThere for another form."""
    form = _form(EVENT, ref)
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


def _form(pattern: re.Pattern[str], ref: str) -> re.Match[str]:
    form = pattern.fullmatch(ref)
    if form is None:
        raise NotThere
    return form
