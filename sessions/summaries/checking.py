"""What refuses a version of a work summary, whoever wrote it: each fault named by section, line and remedy. Pure.

A summary quotes: every piece of a line stands in an entry that the line cites, word for word but for courtesies, or
was carried over from the last version. So a changed number, a lost "not" or half a sentence is no quotation any more.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache

from memories.claims import dedupe_key
from sessions.context.summary_lines import CUT, JOINT, Line, Mark, Sections, lines_of, parse, tokens_of
from sessions.context.vocabulary import SummarySection
from sessions.summaries.clauses import sentences, shortened, tidy
from sessions.summaries.drafting import more_of, standing
from sessions.summaries.entries import Entry
from sessions.summaries.reports import claims_of, told_of, tool_name
from sessions.summaries.reversals import Placed, elements
from sessions.summaries.statements import closing_of, restated, statements
from sessions.vocabulary import EventKind

MOST_LINES = 200


class Fault(StrEnum):
    """What is wrong with a version."""

    OVER_BUDGET = "over_budget"
    UNKNOWN_SECTION = "unknown_section"
    EMPTY = "empty"
    NO_REF = "no_ref"
    DEAD_REF = "dead_ref"
    CONSTRAINT_LOST = "constraint_lost"
    DISSENT_LOST = "dissent_lost"
    BLOCKER_LOST = "blocker_lost"
    FAILURE_LOST = "failure_lost"
    STATUS_RAISED = "status_raised"
    NOT_ATTESTED = "not_attested"
    NOT_SAID = "not_said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault. `index` is the line in its section, None where the section or the whole version is at fault."""

    fault: Fault
    remedy: str
    section: str = ""
    index: int | None = None
    line: str = ""


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What a version is held against: the last one, every entry since that a summary reads, in order, the entries
    that it cites, by seq, and which of its other refs open, each with its text.
    """

    parent: Sections
    entries: Sequence[Entry]
    cited: Mapping[int, Entry] = field(default_factory=dict)
    opened: Mapping[str, str] = field(default_factory=dict)
    budget: int

    @cached_property
    def stands(self) -> Sequence[Placed]:
        """Everything that stands after the new entries, before anything is dropped for want of room."""
        return standing(self.parent, self.entries)[0]


LOST: Mapping[SummarySection, Fault] = {
    SummarySection.CONSTRAINTS: Fault.CONSTRAINT_LOST,
    SummarySection.DISSENT: Fault.DISSENT_LOST,
    SummarySection.BLOCKERS: Fault.BLOCKER_LOST,
}
"""Sections that lose nothing, and the fault of one that did."""
USERS = (SummarySection.CONSTRAINTS, SummarySection.GOALS, SummarySection.DECISIONS)
"""Sections that speak for a user."""
CLAIMS = (SummarySection.CONCLUSIONS, SummarySection.VERIFICATION)
"""Sections of which each line says how far it is verified."""


def check(sections: Sections, basis: Basis) -> list[Problem]:
    """Return everything that is wrong with a version; an empty list lets it be published."""
    known = {name: lines for name, lines in sections.items() if name in set(SummarySection)}
    problems = [
        Problem(fault=Fault.UNKNOWN_SECTION, section=name, remedy=f"name one of {', '.join(SummarySection)}")
        for name in sections
        if name not in known
    ]
    return [*problems, *_size(sections, basis), *_lines(known, basis), *_losses(known, basis)]


def check_says(sections: Sections) -> list[Problem]:
    """Return what is wrong with a version that says nothing at all: only who read every entry may find nothing."""
    if any(sections.values()):
        return []
    return [Problem(fault=Fault.EMPTY, remedy="say something, or leave the last version as it is")]


def _size(sections: Sections, basis: Basis) -> Iterator[Problem]:
    if sum(map(len, sections.values())) > MOST_LINES:
        yield Problem(fault=Fault.OVER_BUDGET, remedy=f"write at most {MOST_LINES} lines")
    elif (needed := tokens_of(sections)) > basis.budget:
        remedy = f"it takes {needed} tokens and may take {basis.budget}: shorten decisions, conclusions or next steps"
        yield Problem(fault=Fault.OVER_BUDGET, remedy=remedy)


def _lines(sections: Sections, basis: Basis) -> Iterator[Problem]:
    carried = {name: set(lines) for name, lines in basis.parent.items()}
    for name, lines in sections.items():
        for index, written in enumerate(lines):
            if written in carried.get(name, ()):
                found = _dead(parse(written), basis)
            else:
                found = _line(SummarySection(name), parse(written), basis)
            if found is not None:
                yield Problem(fault=found[0], section=name, index=index, line=written, remedy=found[1])


type Found = tuple[Fault, str] | None


def _line(section: SummarySection, line: Line, basis: Basis) -> Found:
    """The first thing that is wrong with a line that the last version does not have."""
    if not line.text.strip():
        return Fault.EMPTY, "say something or leave the line out"
    if not line.rests:
        return Fault.NO_REF, "end the line with what it rests on: [17] for event 17 of this session"
    return (
        _dead(line, basis)
        or _status(section, line, basis)
        or _unsaid(section, line, basis)
        or _unattested(section, line, basis)
    )


def _dead(line: Line, basis: Basis) -> Found:
    dead = [str(seq) for seq in line.seqs if seq not in basis.cited]
    dead += [ref for ref in line.refs if ref not in basis.opened]
    return (Fault.DEAD_REF, f"cite what can be opened, instead of {', '.join(dead)}") if dead else None


def _status(section: SummarySection, line: Line, basis: Basis) -> Found:
    """Whether a line says more of its verification than what it cites."""
    cited = [basis.cited[seq] for seq in line.seqs]
    if line.mark is Mark.PASSED and not any(_passed(entry) for entry in cited):
        return Fault.STATUS_RAISED, "cite the verification that passed, or write `unverified: ` before it"
    if line.mark is Mark.FAILED and not any(entry.failed for entry in cited):
        return Fault.STATUS_RAISED, "cite the result or verification that failed"
    attested = any(entry.is_users or _passed(entry) for entry in cited)
    needs = section in CLAIMS or (section is SummarySection.NEXT_STEPS and bool(cited))
    if line.mark is None and needs and (section is SummarySection.VERIFICATION or not attested):
        return Fault.STATUS_RAISED, "write `unverified: ` before what no user and no verification vouches for"
    return None


def _passed(entry: Entry) -> bool:
    return entry.kind == EventKind.VERIFICATION and entry.failed is False


def _unsaid(section: SummarySection, line: Line, basis: Basis) -> Found:
    """Whether a line says something that nothing it cites says."""
    said = {key for seq in line.seqs for key in quotations(basis.cited[seq])}
    said |= {_key(form) for ref in line.refs for form in _forms(basis.opened[ref])}
    if section not in LOST:
        said |= _of_parent(line, basis.parent)
    unsaid = [piece for piece in line.pieces if not _is_quoted(piece, said)]
    if not unsaid:
        return None
    return Fault.NOT_SAID, f"quote what is cited: “{unsaid[0]}” does not stand there so, word for word and as a whole"


def _is_quoted(piece: str, said: Set[str]) -> bool:
    return _key(piece) in said or all(_key(part) in said for part in piece.split(", "))


def _unattested(section: SummarySection, line: Line, basis: Basis) -> Found:
    if section not in USERS or (line.mark is Mark.UNVERIFIED and section is not SummarySection.CONSTRAINTS):
        return None
    speaks = [basis.cited[seq] for seq in line.seqs if basis.cited[seq].is_users]
    if any(_is_quoted(piece, quotations(entry)) for entry in speaks for piece in line.pieces):
        return None
    if section is not SummarySection.CONSTRAINTS and _is_quoted(line.pieces[0], _of_parent(line, basis.parent)):
        return None
    return Fault.NOT_ATTESTED, "cite the attested words of a user, or put it into conclusions as `unverified: `"


@lru_cache(2_048)
def quotations(entry: Entry) -> frozenset[str]:
    """Return everything that may be quoted of an entry, in the form in which quotations are compared."""
    forms = set(_forms(entry.prose))
    if entry.is_users:
        forms |= {one.text for one in statements(entry)}
        forms |= {shortened(one.text) for one in statements(entry)}
        forms |= {part for one in statements(entry) for part in elements(one.text)}
        forms |= {more_of(count) for count in range(1, len(statements(entry)))}
    else:
        claims = [text for _, text in claims_of(entry)]
        forms |= {told_of(entry), tool_name(entry), restated(entry), *claims}
        forms |= {shortened(one) for one in closing_of(entry)}
        forms |= {part for text in claims for part in text.split(JOINT)}
    return frozenset(_key(form) for form in forms if form.strip())


def _forms(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        yield from (sentence, tidy(sentence))
    if len(text) <= 400:
        yield text


def _of_parent(line: Line, parent: Sections) -> set[str]:
    """The pieces of lines of the last version that rest on nothing but what this one cites, and their short forms."""
    same = [
        one for one in lines_of(parent) if one.rests and set(one.rests) <= set(line.rests) and one.mark == line.mark
    ]
    return {_key(form) for one in same for piece in one.pieces for form in (piece, shortened(piece), *elements(piece))}


def _losses(sections: Sections, basis: Basis) -> Iterator[Problem]:
    """Whatever stands after the new entries and may not be dropped, and is."""
    for one in basis.stands:
        if one.section in LOST and not _is_kept(one, sections):
            remedy = f"carry it over as it was said: {one.line}"
            yield Problem(fault=LOST[one.section], section=one.section.value, line=str(one.line), remedy=remedy)
        failed = one.section is SummarySection.VERIFICATION and one.line.mark is Mark.FAILED
        if failed and str(one.line) not in sections.get(one.section, ()):
            remedy = f"say what failed: {one.line}"
            yield Problem(fault=Fault.FAILURE_LOST, section=one.section.value, line=str(one.line), remedy=remedy)


def _is_kept(one: Placed, sections: Sections) -> bool:
    rests = set(one.line.rests)
    held = [parse(written) for written in sections.get(one.section, ())]
    said = {_key(piece) for line in held if rests <= set(line.rests) for piece in line.pieces}
    return all(_key(piece) in said for piece in one.line.pieces)


def _key(text: str) -> str:
    """The form in which two quotations are the same: one that was cut differs from the whole."""
    cut = CUT if text.rstrip().endswith(CUT) else ""
    return dedupe_key(text.replace(CUT, " ")) + cut
