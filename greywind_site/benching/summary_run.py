"""The product's own summary engine over recorded sessions, held against what a later session needs of them."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from governance.vocabulary import Phase, Risk
from greywind_site.benching.summary_sets import BELONGS, Label, Recorded
from sessions.context.budget import Limit, build_budget, parse_profile
from sessions.context.compiler import compile_packet
from sessions.context.material import (
    ContractFact,
    Eligibility,
    EventFact,
    InputFact,
    Material,
    SessionFact,
    SummaryFact,
    ThreadFact,
)
from sessions.context.seams import body_tokens
from sessions.context.summary_lines import Sections, lines_of
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import LimitOrigin, SummarySection
from sessions.summaries.checking import Basis, Problem, check
from sessions.summaries.drafting import draft
from sessions.summaries.entries import last_asking
from sessions.vocabulary import EventKind

SHIPPED = importlib.import_module("sessions.migrations.0002_shipped_profiles").PROFILES
CONSERVATIVE = next(body for body in SHIPPED if body["name"] == "default@conservative")
TAIL = 200  # entries of the dialogue that compete with the summary for the packet's room


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a version keeps, by the ids of the labels. `wrong` were taken back and stand in it as if they held.

    `in_packet` are those that a packet of a given size then holds within plan, constraints and summary.
    """

    session: str
    seq: int
    sections: Sections
    tokens: int
    problems: Sequence[Problem]
    kept: Sequence[str]
    lost: Sequence[str]
    wrong: Sequence[str]
    in_packet: Sequence[str]


def bench_summary(
    session: Recorded, labels: Sequence[Label], *, tokens: int, packet: int, every: int | None = None
) -> Iterator[Checkpoint]:
    """Yield what each version keeps, each written after the one before; `every` so many entries comes one between."""
    parent: Sections = {}
    done = -1
    cited = {one.seq: one for one in session.entries}
    for seq in _stops(session, every):
        part = [one for one in session.entries if done < one.seq <= seq and _is_read(one.kind)]
        asking = last_asking([one for one in session.entries if one.seq <= done])
        written = draft(parent, part, budget=tokens, asking=asking)
        problems = check(written.sections, Basis(parent=parent, entries=part, cited=cited, budget=tokens))
        if not problems:
            parent, done = written.sections, seq
        if seq in session.checkpoints:
            yield _judged(session, seq, parent, labels, problems=problems, cost=written.tokens, packet=packet)


def _stops(session: Recorded, every: int | None) -> list[int]:
    between = [one.seq for one in session.entries][every - 1 :: every] if every else []
    return sorted({*session.checkpoints, *between})


def _is_read(kind: str) -> bool:
    return kind not in (EventKind.PROVIDER_COMPACTION, EventKind.TOOL_CALL)


def _judged(
    session: Recorded,
    seq: int,
    sections: Sections,
    labels: Sequence[Label],
    *,
    problems: Sequence[Problem],
    cost: int,
    packet: int,
) -> Checkpoint:
    own = [label for label in labels if label.session == session.name]
    live = [label for label in own if label.lives_at(seq)]
    shown = _in_packet(session, seq, sections, packet)
    return Checkpoint(
        session=session.name,
        seq=seq,
        sections=sections,
        tokens=cost,
        problems=problems,
        kept=[label.id for label in live if keeps(sections, label)],
        lost=[label.id for label in live if not keeps(sections, label)],
        wrong=[label.id for label in own if label.fell_by(seq) and states(sections, label)],
        in_packet=[label.id for label in live if keeps(shown, label)],
    )


def keeps(sections: Sections, label: Label) -> bool:
    """Return whether one line has all terms, stands in a section where such a statement belongs, and cites it."""
    lines = lines_of(sections, *BELONGS[label.type])
    return any(label.seq in line.seqs and label.is_in(line.text) for line in lines)


def states(sections: Sections, label: Label) -> bool:
    """Return whether a line says what was taken back, and rests on nothing that was said since."""
    fell, lines = label.superseded_by or 0, lines_of(sections)
    return any(label.is_in(line.text) and label.seq in line.seqs and max(line.seqs) < fell for line in lines)


def _in_packet(session: Recorded, seq: int, sections: Sections, tokens: int) -> Mapping[str, Sequence[str]]:
    """What of a summary a packet holds in which the session's latest entries want a place as well."""
    budget = build_budget(
        parse_profile(CONSERVATIVE),
        phase=Phase.EXECUTE,
        risk=Risk.LOW,
        limits=(Limit(LimitOrigin.REQUEST, tokens),),
    )
    compiled = compile_packet(_material(session, seq, sections), budget, counter=exact_counter(STORED_ENCODING))
    if compiled.packet is None:
        return {}
    held = compiled.packet["session"]["work_summary"]
    demands = {SummarySection.CONSTRAINTS.value: compiled.packet["thread"]["constraints"]}
    return {**(held["sections"] if held else {}), **demands}


def _material(session: Recorded, seq: int, sections: Sections) -> Material:
    told = SummaryFact(
        ref="summary://measured@1",
        version=1,
        covers=f"event://ses/1-{seq}",
        sections={name: tuple(lines) for name, lines in sections.items()},
    )
    latest = [one for one in session.entries if one.seq <= seq][-TAIL:]
    counter = exact_counter(STORED_ENCODING)
    events = [
        EventFact(
            ref=f"event://ses/{one.seq}",
            seq=one.seq,
            role=one.role,
            kind=one.kind,
            text=one.text,
            tokens=body_tokens(one.text, counter),
            tool=one.tool or None,
            failed=one.failed,
        )
        for one in latest
    ]
    return Material(
        persona=ContractFact(ref="revision://persona", revision=1, body={"name": "bench"}),
        role=ContractFact(ref="revision://role", revision=1, body={"slug": "dev", "duties": ["go on with the work"]}),
        policy=None,
        self_profile=None,
        vision=None,
        thread=ThreadFact(ref="thread://thr", thread_id="thr", title=session.name, type="work"),
        session=SessionFact(ref="session://ses", session_id="ses", state="active"),
        summary=told,
        handoff=None,
        user_input=InputFact(raw_text="continue"),
        eligibility=Eligibility(),
        events=tuple(events),
    )
