"""Writing handoffs: by an agent, who has to say every part, or from the records, when nobody is there to say it."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.db.models.functions import Left

from governance import refs
from governance.actors import Acting
from governance.agents import known_roles
from governance.audit import fingerprint
from governance.citations import refs_in
from governance.errors import Clash, FieldFault, Invalid, NotThere
from governance.models.base import reach_of
from governance.scope import record
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.facts import summary_fact, task_fact
from sessions.fallen import fallen_in, without_fallen
from sessions.handoff_writing import Parts, Records, Said, uncertain, written
from sessions.lifecycle import latest_attempt
from sessions.models import Event, Handoff, Session, WorkSummary
from sessions.models.segment import texts_of
from sessions.models.session import LIVE
from sessions.pins import pins_of
from sessions.reading import ITS_HANDOFF, event_place
from sessions.vocabulary import HandoffOccasion
from threads.models import Vision

MOST_SINCE = 200  # entries without a summary that a handoff is written from; the rest is named by a ref
READ_CHARS = 4_000  # of one of them: quotes are far shorter
MOST_TOKENS = 1_500  # of a whole handoff: what is longer is history, which stands in the transcript
MOST_ITEMS = 20
TEXTS = ("summary", "resume_suggestion", "what", "why")
LISTS = ("unfinished_items", "risks", "trade_offs", "open", "next")
LATEST = f"SELECT h.* FROM {ITS_HANDOFF}"  # noqa: S608 - put together from literals
ACCOUNT = ("what", "why", "trade_offs", "open", "next")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffWish:
    """Who goes on, and what is said to them; without `parts` it is written from the records, as `write` does it."""

    next_actor: str
    parts: Parts | None = None
    write: Callable[[Records], Parts] = written
    to_session: Session | None = None
    occasion: HandoffOccasion = HandoffOccasion.ASKED
    crashed: bool = False


def parts_from(said: dict[str, Any]) -> Parts | None:
    """Return the parts that somebody said, None where they said none at all.

    Raises Invalid (handoff_part_missing) that names each part which is missing: a list may be empty, and must be there.
    """
    if all(value is None for value in said.values()):
        return None
    faults = [
        FieldFault(f"/{name}", "handoff_part_missing", _missing_words(name))
        for name in (*TEXTS, *LISTS)
        if said.get(name) is None or (name in TEXTS and not said[name].strip())
    ]
    if faults:
        named = ", ".join(fault.pointer for fault in faults)
        message = f"a handoff needs every part; missing: {named}"
        raise Invalid(message, code="handoff_part_missing", faults=tuple(faults))
    return Parts(**said)


def addressee(session: Session, to: uuid.UUID, *, pointer: str) -> Session:
    """Return the session that a handoff goes to, in the open scope: another live one of the same thread.

    Raises NotThere for one that is not here, and Invalid (not_an_addressee) for one that cannot take it.
    """
    other = Session.objects.filter(pk=to).first()
    if other is None:
        raise NotThere.there(pointer)
    if other.pk == session.pk or other.thread_id != session.thread_id or other.state not in LIVE:
        message = "name another session of this thread that is not over, or leave it out: next_actor is enough"
        raise Invalid.at(pointer, message, code="not_an_addressee")
    return other


def write_handoff(acting: Acting, session: Session, wish: HandoffWish, *, now: datetime) -> Handoff:
    """Store a handoff of a session whose lock is held, in the open scope.

    What somebody said is kept as said, and what nobody knows is added to its risks. Raises Invalid for a role that
    nobody has, for a part that is too long and for a ref that does not open, and Clash (nothing_to_hand_over).
    """
    if session.head_seq == 0 and wish.parts is None:
        message = "nothing was said in this session, so there is nothing to write a handoff from; say its parts"
        raise Clash.at("{session_id}", message, code="nothing_to_hand_over")
    _check_role(wish)
    records = replace(records_of(session), crashed=wish.crashed)
    parts = wish.write(records) if wish.parts is None else _checked(acting, wish.parts, uncertain(records))
    handoff = Handoff.objects.create(
        project_id=session.project_id,
        created_at=now,
        thread_id=session.thread_id,
        from_session=session,
        to_session=wish.to_session,
        task_id=session.task_id,
        summary=parts.summary,
        unfinished_items=list(parts.unfinished_items),
        risks=list(parts.risks),
        resume_suggestion=parts.resume_suggestion,
        account={name: _plain(getattr(parts, name)) for name in ACCOUNT},
        next_actor=wish.next_actor,
        covers_to_seq=session.head_seq,
        pins=pins_of(session, latest_attempt(session), _texts(parts)),
        occasion=wish.occasion,
        author_id=acting.actor_id,
        **reach_of(session),
    )
    to = wish.to_session.public_id if wish.to_session else None
    detail = {"from": session.public_id, "to": to, "covers_to_seq": session.head_seq, "occasion": wish.occasion}
    record("handoff.write", handoff.public_id, after=fingerprint(parts.summary), detail=detail)
    return handoff


def parts_of(handoff: Handoff) -> dict[str, Any]:
    """Return what a handoff says, by the names of its parts; one of before the account says four of them alone."""
    named = ("summary", "unfinished_items", "risks", "resume_suggestion")
    return {**{name: getattr(handoff, name) for name in named}, **handoff.account}


def latest_handoff(session: Session) -> Handoff | None:
    """Return the handoff that a packet of this session carries, in the open scope; None where there is none for it."""
    of = {"thread": session.thread_id, "session": session.pk, "own": session.task_id, "hearer": session.role}
    return next(iter(Handoff.objects.raw(LATEST, of)), None)


def records_of(session: Session) -> Records:
    """Return what is known of a session, in the open scope: a few statements, whatever its length."""
    row = WorkSummary.objects.filter(session=session).order_by("-version").values().first()
    summary = summary_fact(None if row is None else row | {name: str(row[name]) for name in ("id", "session_id")})
    if summary is not None and not any(summary.sections.values()):
        summary = None  # where it says nothing, the entries themselves tell the next one how things stand
    covered = row["to_seq"] if row and summary else 0
    goal = Vision.objects.filter(thread_id=session.thread_id).order_by("-version").values_list("origin_goal", flat=True)
    last = Handoff.objects.filter(from_session=session).order_by("-created_at", "-id").first()
    return Records(
        session_ref=f"session://{session.public_id}",
        head=session.head_seq,
        covered=covered,
        summary=without_fallen(summary, fallen_in(summary, None)),
        since=_since(session, covered),
        task=task_fact(session.task) if session.task else None,
        goal=goal.first() or "",
        resume_point=session.resume_point,
        screen=_screen(session),
        first_new=(last.covers_to_seq if last else 0) + 1,
    )


def _since(session: Session, covered: int) -> list[Said]:
    rows = Event.objects.filter(session=session, seq__gt=covered).annotate(said=Left("text", READ_CHARS))
    names = ("seq", "role", "kind", "said", "tool", "failed", "segment_id")
    latest = list(rows.order_by("-seq").values_list(*names)[:MOST_SINCE])
    cold = texts_of((segment, seq) for seq, *_, segment in latest)
    return [
        Said(seq, event_place(session.pk, seq), role, kind, cold.get((segment, seq), said)[:READ_CHARS], tool, failed)
        for seq, role, kind, said, tool, failed, segment in reversed(latest)
    ]


def _checked(acting: Acting, parts: Parts, unknown: Sequence[str]) -> Parts:
    for name in LISTS:
        if len(getattr(parts, name)) > MOST_ITEMS:
            raise Invalid.at(f"/{name}", f"at most {MOST_ITEMS} items; name refs instead of history", code="too_long")
    counter = exact_counter(STORED_ENCODING)
    spent = {f.name: sum(map(counter.count, _listed(getattr(parts, f.name)))) for f in fields(parts)}
    if sum(spent.values()) > MOST_TOKENS:
        longest = max(spent, key=lambda name: spent[name])
        message = f"the handoff holds {sum(spent.values())} tokens, at most {MOST_TOKENS}; shorten this, and name refs"
        raise Invalid.at(f"/{longest}", message, code="too_long")
    _check_refs(acting, parts)
    return replace(parts, risks=list(dict.fromkeys([*parts.risks, *unknown])))


def _check_refs(acting: Acting, parts: Parts) -> None:
    cited = [(f.name, ref) for f in fields(parts) for ref in refs_in("\n".join(_listed(getattr(parts, f.name))))]
    opened = refs.which_resolve([ref for _, ref in cited], acting)
    for name, ref in cited:
        if ref not in opened:
            raise Invalid.at(f"/{name}", f"{ref} opens nothing here; leave it out or name another", code="dead_ref")


def _check_role(wish: HandoffWish) -> None:
    roles = known_roles()
    if wish.occasion == HandoffOccasion.ASKED and wish.next_actor not in roles:
        message = f"no role is called so; one of {', '.join(sorted(roles)) or 'none yet'}"
        raise Invalid.at("/next_actor", message, code="unknown_role")


def _screen(session: Session) -> str:
    seen = session.screen_context or {}
    return " · ".join(str(seen[name]) for name in ("app", "mode", "summary") if seen.get(name))


def _texts(parts: Parts) -> Iterable[str]:
    return (text for field in fields(parts) for text in _listed(getattr(parts, field.name)))


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _plain(value: str | Sequence[str]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _missing_words(name: str) -> str:
    return "say it" if name in TEXTS else "send the list, also an empty one"
