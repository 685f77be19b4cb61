"""What a work summary is written from: its last version, the entries since, and what its lines cite."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from governance import refs
from governance.actors import Acting
from governance.errors import NotThere
from governance.rows import fetch
from sessions.context.summary_lines import Sections, lines_of, parse
from sessions.context.vocabulary import SummarySection
from sessions.facts import summary_fact
from sessions.fallen import Fall, Fallen, fallen_in
from sessions.models import Session, WorkSummary
from sessions.models.event import ERASED
from sessions.models.segment import texts_of
from sessions.summaries.entries import READ_CHARS, SPOKEN, Entry, last_asking
from sessions.vocabulary import AttestedBy, EventKind, EventRole

MOST_READ = 500  # entries of one version: what is more comes into the next, and no transaction is idle for long
# What a summary reads of a range: what was said, checked and failed. What tools answered otherwise, and what a
# provider's own summary repeats, stays unread.
READ = f"""
SELECT seq, role, kind, left(text, {READ_CHARS}), attested_by <> '{AttestedBy.AGENT}', failed, tool, meta ->> 'retires',
  segment_id
FROM agent_sessions_event WHERE session_id = %(session)s AND NOT (text = '' AND meta ? '{ERASED}')
"""  # noqa: S608 - put together from literals
SAID = (
    f"kind IN ('{EventKind.MESSAGE}', '{EventKind.CONSTRAINT}', '{EventKind.CORRECTION}', '{EventKind.VERIFICATION}')"
)
SINCE = f"""
{READ} AND seq > %(after)s AND seq <= %(upto)s
AND ({SAID} OR (kind = '{EventKind.TOOL_RESULT}' AND failed))
ORDER BY seq LIMIT %(most)s
"""
# The last turn before a range, a user's or the agent's own, and no further back than a range is long.
TURN = f"""
{READ} AND seq <= %(upto)s AND seq > %(upto)s - %(most)s AND kind IN ({", ".join(f"'{kind}'" for kind in SPOKEN)})
AND (role = '{EventRole.ASSISTANT}' OR (role = '{EventRole.USER}' AND attested_by <> '{AttestedBy.AGENT}'))
ORDER BY seq DESC LIMIT 1
"""
AT = f"{READ} AND seq = ANY(%(seqs)s)"
OWN = re.compile(r"event://(ses_[0-9a-f]{32})/(\d{1,9})")


def current_summary(session: Session) -> WorkSummary | None:
    """Return the last valid version, in the open scope."""
    return WorkSummary.objects.filter(session=session).order_by("-version").first()


def entries_since(session: Session, seq: int, *, upto: int, most: int = MOST_READ) -> list[Entry]:
    """Return what a summary reads of the entries after `seq`, up to and with `upto`, `most` at most."""
    return _entries(SINCE, session, after=seq, upto=upto, most=most)


def asking_before(session: Session, entries: Sequence[Entry], *, covered: int) -> Entry | None:
    """Return the agent's words that a user answers as they open a range after `covered`; None where they open none."""
    opening = next((one for one in entries if one.is_turn), None)
    if opening is None or not opening.is_users or not covered:
        return None
    return last_asking(_entries(TURN, session, upto=covered, most=MOST_READ))


def cited_entries(session: Session, sections: Sections, known: Iterable[Entry]) -> Mapping[int, Entry]:
    """Return the entries that lines cite, by seq; those that are not there, or were erased, are left out."""
    at_hand = {entry.seq: entry for entry in known}
    wanted = {seq for line in lines_of(sections) for seq in line.seqs}
    missing = sorted(wanted - at_hand.keys())
    found = _entries(AT, session, seqs=missing) if missing else []
    return {seq: one for seq, one in at_hand.items() if seq in wanted} | {entry.seq: entry for entry in found}


def opened_refs(sections: Sections, acting: Acting) -> Mapping[str, str]:
    """Return the text behind each other ref that lines cite; one that does not open for this actor is left out."""
    wanted = {ref for line in lines_of(sections) for ref in line.refs}
    found: dict[str, str] = {}
    for ref in sorted(wanted):
        try:
            found[ref] = refs.resolve(ref, acting).text
        except NotThere:
            continue
    return found


def holding(row: WorkSummary | None) -> tuple[Sections, Fallen]:
    """Return the lines of a version that rest on nothing revoked, and what of the rest fell.

    A constraint stands, whatever became of what it cites: it is never lost.
    """
    if row is None or not row.sections:
        return {}, Fallen()
    fallen = fallen_of(row)
    revoked = {ref for ref, fate in fallen.fates.items() if fate is Fall.REVOKED}
    sections = {
        name: [line for line in lines if name == SummarySection.CONSTRAINTS or not revoked & set(parse(line).refs)]
        for name, lines in row.sections.items()
    }
    return sections, fallen


def fallen_of(row: WorkSummary) -> Fallen:
    """Return which of the memories that a version cites no longer hold."""
    columns = {"id": str(row.pk), "session_id": str(row.session_id)}
    return fallen_in(
        summary_fact(columns | {n: getattr(row, n) for n in ("version", "from_seq", "to_seq", "sections")}), None
    )


def normalised(session: Session, sections: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return lines in which each event of the session itself is cited by its number, as the engine writes them."""
    own = session.public_id
    return {
        name: [OWN.sub(lambda m: m[2] if m[1] == own else m[0], line) for line in lines]
        for name, lines in sections.items()
    }


def _entries(statement: str, session: Session, **values: Any) -> list[Entry]:
    rows = fetch(statement, {"session": session.pk, **values})
    cold = texts_of((row[-1], row[0]) for row in rows)
    return [_entry(session, row, cold.get((row[-1], row[0]), row[3])) for row in rows]


def _entry(session: Session, row: Sequence[object], text: str) -> Entry:
    seq, role, kind, _, attested, failed, tool, retires, _ = row
    found = OWN.fullmatch(str(retires or ""))
    own = found is not None and found[1] == session.public_id
    return Entry(
        seq=int(str(seq)),
        role=str(role),
        kind=str(kind),
        text=text[:READ_CHARS],
        attested=bool(attested),
        failed=failed if isinstance(failed, bool) else None,
        tool=str(tool),
        retires=int(found[2]) if found and own else None,
    )
