"""Cards of cited sources: who said what and when, for a reader in their open scope. One statement for each scheme."""

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import groupby
from operator import or_

from django.db.models import Q

from governance.actors import Acting
from governance.citations import Citation, describe_with
from governance.errors import Invalid, NotThere
from governance.ids import parse_id, public_id
from governance.invisible import made_visible
from governance.models import ProposalText, Revision
from governance.proposal_refs import FORM as PROPOSAL
from governance.refs import resolve
from memories.evidence import FORM as MEMORY
from memories.evidence import kept_versions
from sessions.artifacts import part_of
from sessions.context.cuts import cut_head
from sessions.evidence import ARTIFACT, UNITS, span_of
from sessions.fallen import fallen_among, said_now, texts_in
from sessions.models import Artifact, Event, Handoff, WorkSummary
from sessions.packet_refs import evidence_page
from sessions.packet_sentences import SCHEMES
from sessions.session_words import SESSION_KINDS
from sessions.vocabulary import EventRole
from sessions.work_evidence import HANDOFF, REVISION, SUMMARY

QUOTED = 80  # tokens of a source that its card shows; its ref opens the whole


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of one source: who said it, when, and its text."""

    who: str
    at: datetime | None
    text: str


type Teller = Callable[[Sequence[str]], Mapping[str, Told]]


def register_citations() -> None:
    """Tell governance how cited sources are described; called once, as the app gets ready."""
    describe_with(describe)


def describe(cited: Sequence[str], acting: Acting) -> Sequence[Citation]:
    """Return a card for each ref, in their order; one that does not open for this reader now says so and no more."""
    told: dict[str, Told] = {}
    for scheme, group in groupby(sorted(cited, key=_scheme), key=_scheme):
        teller = TELLERS.get(scheme)
        told |= teller(list(group)) if teller else {}
    told |= _by_opening([ref for ref in cited if _scheme(ref) not in TELLERS or "#" in ref if ref not in told], acting)
    project = public_id("prj", acting.project_id)
    return [_card(ref, told.get(ref), project) for ref in cited]


def _card(ref: str, told: Told | None, project: str) -> Citation:
    scheme = _scheme(ref)
    kind = SCHEMES.get(scheme, scheme)
    if told is None:
        return Citation(ref=made_visible(ref), kind=kind)
    cut = cut_head(told.text, QUOTED)
    return Citation(
        ref=ref,
        kind=kind,
        opens=True,
        who=made_visible(told.who),
        at=told.at,
        quote=made_visible(cut) + (" …" if len(cut) < len(told.text) else ""),
        href=evidence_page(project, ref),
    )


def _by_opening(cited: Sequence[str], acting: Acting) -> Mapping[str, Told]:
    """Tell of parts, and of what is named seldom, one after the other, by what opens them."""
    told = {}
    for ref in cited:
        with suppress(NotThere, Invalid):
            opened = resolve(ref, acting)
            told[ref] = Told("", opened.observed_at, opened.text)
    return told


def _events(cited: Sequence[str]) -> Mapping[str, Told]:
    spans = {ref: span for ref in cited if (span := _span(ref))}
    asked = [Q(session_id=session, seq__range=(first, last)) for session, first, last in spans.values()]
    if not asked:
        return {}
    rows = Event.objects.filter(reduce(or_, asked)).select_related("actor").order_by("seq")
    found = {(row.session_id, row.seq): row for row in rows}
    told = {}
    for ref, (session, first, last) in spans.items():
        inside = [found.get((session, seq)) for seq in range(first, last + 1)]
        if all(row is not None for row in inside):
            told[ref] = _said([row for row in inside if row is not None])
    return told


def _said(rows: Sequence[Event]) -> Told:
    first = rows[0]
    who = f"{SESSION_KINDS[EventRole][EventRole(first.role)]} · {first.actor.name}"
    return Told(who, first.occurred_at or first.created_at, "\n".join(row.text for row in rows))


def _span(ref: str) -> tuple[uuid.UUID, int, int] | None:
    try:
        return span_of(ref)
    except NotThere:
        return None


def _artifacts(cited: Sequence[str]) -> Mapping[str, Told]:
    forms = {ref: form for ref in cited if (form := ARTIFACT.fullmatch(ref))}
    rows = Artifact.objects.in_bulk(parse_id("art", form[1], pointer="/ref") for form in forms.values())
    told = {}
    for ref, form in forms.items():
        row = rows.get(parse_id("art", form[1], pointer="/ref"))
        if row is not None:
            text = row.content
            if form[2] is not None:
                text = part_of(text, unit=UNITS[form[2]], offset=int(form[3]), limit=max(int(form[4]), 1)).text
            told[ref] = Told(row.media_type, row.created_at, text)
    return told


def _memories(cited: Sequence[str]) -> Mapping[str, Told]:
    forms = {ref: form for ref in cited if (form := MEMORY.fullmatch(ref))}
    ids = {ref: parse_id("mem", form[1], pointer="/ref") for ref, form in forms.items()}
    rows = kept_versions().filter(memory_id__in=ids.values()).select_related("author").order_by("version")
    versions = [(row.memory_id, row.version, Told(row.author.name, row.created_at, row.content)) for row in rows]
    return _named(forms, ids, versions)


def _proposals(cited: Sequence[str]) -> Mapping[str, Told]:
    forms = {ref: form for ref in cited if (form := PROPOSAL.fullmatch(ref))}
    ids = {ref: parse_id("prp", form[1], pointer="/ref") for ref, form in forms.items()}
    rows = ProposalText.objects.filter(proposal_id__in=ids.values()).select_related("author").order_by("version")
    versions = [
        (row.proposal_id, row.version, Told(row.author.name, row.created_at, f"{row.title}\n{row.rationale}".strip()))
        for row in rows
    ]
    return _named(forms, ids, versions)


def _named(
    forms: Mapping[str, re.Match[str]], ids: Mapping[str, uuid.UUID], versions: Sequence[tuple[uuid.UUID, int, Told]]
) -> Mapping[str, Told]:
    """Give each ref the version that it names, the newest where it names none; `versions` come oldest first."""
    exact = {(pk, str(version)): told for pk, version, told in versions}
    newest = {pk: told for pk, _, told in versions}
    found = {ref: exact.get((pk, forms[ref][2])) if forms[ref][2] else newest.get(pk) for ref, pk in ids.items()}
    return {ref: told for ref, told in found.items() if told is not None}


def _summaries(cited: Sequence[str]) -> Mapping[str, Told]:
    ids = _ids("sum", cited, SUMMARY)
    rows = {row.pk: row for row in WorkSummary.objects.filter(pk__in=ids.values()).select_related("author")}
    fallen = fallen_among(text for row in rows.values() for text in texts_in(row.sections))
    return {
        ref: Told(
            row.author.name,
            row.created_at,
            "\n".join(line for part in said_now(row.sections, fallen).values() for line in part),
        )
        for ref, pk in ids.items()
        if (row := rows.get(pk))
    }


def _handoffs(cited: Sequence[str]) -> Mapping[str, Told]:
    ids = _ids("hnd", cited, HANDOFF)
    rows = {row.pk: row for row in Handoff.objects.filter(pk__in=ids.values()).select_related("author")}
    fallen = fallen_among(row.summary for row in rows.values())
    return {
        ref: Told(row.author.name, row.created_at, said_now({"summary": row.summary}, fallen)["summary"])
        for ref, pk in ids.items()
        if (row := rows.get(pk))
    }


def _revisions(cited: Sequence[str]) -> Mapping[str, Told]:
    ids = _ids("rev", cited, REVISION)
    found = Revision.objects.filter(pk__in=ids.values()).select_related("contract", "decided_by")
    rows = {row.pk: row for row in found}
    return {
        ref: Told(
            row.decided_by.name if row.decided_by else "",
            row.decided_at,
            f"{row.contract.kind} {row.contract.slug} {row.number}\n{row.reason}",
        )
        for ref, pk in ids.items()
        if (row := rows.get(pk))
    }


def _ids(prefix: str, cited: Sequence[str], pattern: re.Pattern[str]) -> dict[str, uuid.UUID]:
    """Return the id that each ref names as a whole; what has another form is left out."""
    return {
        ref: parse_id(prefix, form[1], pointer="/ref")
        for ref in cited
        if (form := pattern.fullmatch(ref)) and not form["part"]
    }


def _scheme(ref: str) -> str:
    return ref.partition("://")[0]


TELLERS: Mapping[str, Teller] = {
    "event": _events,
    "artifact": _artifacts,
    "memory": _memories,
    "summary": _summaries,
    "handoff": _handoffs,
    "revision": _revisions,
    "proposal": _proposals,
}
