"""The deterministic writer: the last version's lines, what was said since, what that took back, within a budget. Pure.

It picks and shortens and never rephrases: each piece of a line stands in the entry that the line cites.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sessions.context.summary_lines import JOINT, Line, Mark, Sections, parse, tokens_of
from sessions.context.tokens import STORED_ENCODING, exact_counter
from sessions.context.vocabulary import SummarySection
from sessions.summaries import reversals
from sessions.summaries.cues import Kind
from sessions.summaries.entries import Entry
from sessions.summaries.fitting import KEPT_WHOLE, LEAST_WORTH, MOST_PLACED, by_section, within, worthiest
from sessions.summaries.reports import CLAIMED, is_answered, is_resolved, reported
from sessions.summaries.reversals import Placed, TakenBack
from sessions.summaries.statements import SECTION, WORTH, Statement, answered, kind_of, restated, statements

LINE_TOKENS = 56  # of what one entry says in one section
VALUES_TOKENS = 96  # of a line that is a list of values
BREVITY = 12  # tokens more that a statement may take for being worth one more
DEMANDS_TOKENS = 240  # of the demands of one entry that its line holds: what is longer is a document, and is cited
FRESH = 2  # entries of the user after which work that was asked for counts as done or overtaken


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A version as its writer leaves it. `taken_back` and `cut` say what of the last one it no longer holds."""

    sections: Mapping[str, Sequence[str]]
    taken_back: Sequence[TakenBack] = ()
    cut: Sequence[Placed] = ()
    tokens: int = 0


@dataclass(slots=True)
class _Desk:
    """What the writer has before it while it reads on."""

    placed: list[Placed]
    taken_back: list[TakenBack] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)  # entries of the user that stated something, in order
    has_goal: bool = False


def draft(parent: Sections, entries: Sequence[Entry], *, budget: int, asking: Entry | None = None) -> Draft:
    """Return the next version: `parent`'s lines and what `entries`, all those since, say, in at most `budget` tokens.

    `asking` is what the agent said last before them, where no user has spoken since: they may begin with an answer.
    Where what must not be dropped takes more than the budget, the draft is over it: the validators refuse that.
    """
    desk = _read(parent, entries, asking)
    kept, cut = within(_settled(desk), budget)
    sections = by_section(kept)
    return Draft(sections=sections, taken_back=desk.taken_back, cut=cut, tokens=tokens_of(sections))


def standing(parent: Sections, entries: Sequence[Entry]) -> tuple[list[Placed], list[TakenBack]]:
    """Return everything that stands after `entries`, before any of it is dropped, and what they took back."""
    desk = _read(parent, entries)
    return _settled(desk), desk.taken_back


def _read(parent: Sections, entries: Sequence[Entry], asking: Entry | None = None) -> _Desk:
    desk = _Desk(placed=[Placed(section=name, line=parse(x)) for name in SummarySection for x in parent.get(name, ())])
    desk.has_goal = any(one.section is SummarySection.GOALS for one in desk.placed)
    desk.asked = sorted({one.last_seq for one in desk.placed if one.section is SummarySection.NEXT_STEPS})
    talk = [asking, *entries] if asking else entries
    for entry, reply in zip(entries, [*entries[1:], None], strict=False):
        if entry.retires:
            _retire(desk, entry.retires, by=entry.seq)
        if entry.is_users:
            _hear(desk, entry, reply)
            _answer(desk, asking, entry)
            asking = None
        else:
            _note(desk, entry)
            asking = entry if entry.is_turn else asking
        if len(desk.placed) > MOST_PLACED:
            desk.placed = worthiest(desk.placed)
    desk.placed = [one for one in desk.placed if not _is_over(one, talk)]
    return desk


def _retire(desk: _Desk, seq: int, *, by: int) -> None:
    gone = [one for one in desk.placed if one.section is SummarySection.CONSTRAINTS and seq in one.line.seqs]
    desk.taken_back += [TakenBack(section=one.section, line=one.line, by=by) for one in gone]
    desk.placed = [one for one in desk.placed if one not in gone]


def _hear(desk: _Desk, entry: Entry, reply: Entry | None) -> None:
    said = [one for one in statements(entry) if one.worth >= LEAST_WORTH or one.kind is Kind.QUESTION]
    desk.placed, gone = reversals.after(desk.placed, said, seq=entry.seq)
    desk.taken_back += gone
    desk.placed += _lines(desk, entry, said, reply)
    if any(one.worth >= WORTH[Kind.PROPOSAL] for one in said):
        desk.asked.append(entry.seq)


def _answer(desk: _Desk, asking: Entry | None, entry: Entry) -> None:
    """What a user agreed to or chose in a word or two: the agent's words say what it was."""
    answer = answered(asking, entry) if asking else None
    if asking and answer:
        line = Line(text=JOINT.join(answer), seqs=(asking.seq, entry.seq))
        desk.placed.append(Placed(section=SummarySection.DECISIONS, line=line))
        desk.asked.append(entry.seq)


def _lines(desk: _Desk, entry: Entry, said: Sequence[Statement], reply: Entry | None) -> Iterable[Placed]:
    """What an entry states, as one line for each section that it speaks to.

    Where the agent agrees with a correction in its reply, what it says it will be stands beside the user's words.
    """
    agreed = restated(reply) if reply else ""
    first = not desk.has_goal and any(one.worth >= WORTH[Kind.TASK] for one in said)
    groups: dict[SummarySection, list[Statement]] = {}
    for one in said:
        groups.setdefault(_place(one, first=first), []).append(one)
    desk.has_goal = desk.has_goal or first
    for section, group in groups.items():
        text = _joined(section, [one for one in group if not _stands(desk, section, one)])
        if not text:
            continue
        line = Line(text=text, seqs=(entry.seq,))
        if agreed and reply and section is SummarySection.DECISIONS and any(x.kind is Kind.CORRECTION for x in group):
            line = Line(text=JOINT.join((_best(group).text, agreed)), seqs=(entry.seq, reply.seq))
        yield Placed(section=section, line=line)


def _stands(desk: _Desk, section: SummarySection, one: Statement) -> bool:
    """Whether a demand stands already, in the same words: saying it again adds nothing."""
    if section not in KEPT_WHOLE:
        return False
    held = (piece for placed in desk.placed if placed.section is section for piece in placed.line.pieces)
    return any(piece == one.text for piece in held)


def _place(one: Statement, *, first: bool) -> SummarySection:
    if one.belongs:
        return SummarySection.CONSTRAINTS
    section = SECTION.get(one.kind, SummarySection.DECISIONS)
    return SummarySection.GOALS if first and section is SummarySection.DECISIONS else section


def _joined(section: SummarySection, group: Sequence[Statement]) -> str:
    """The statements of a group, the worthiest first chosen and then in their order, as many as one line holds.

    Of what must be kept, all; where an entry holds a long list of demands, the first of them and how many more.
    """
    if section in KEPT_WHOLE or not group:
        return _all_of(group)
    alone = max(one.worth for one in group) <= LEAST_WORTH
    if alone and group[0].kind is not Kind.QUESTION:
        return ""
    room = VALUES_TOKENS if all(one.kind is Kind.VALUE for one in group) else LINE_TOKENS
    chosen: list[Statement] = []
    for one in sorted(group, key=lambda one: _cost(one) / BREVITY - one.worth):
        if _cost(one) <= room and (one.worth > LEAST_WORTH or not chosen):
            chosen.append(one)
            room -= _cost(one)
    return JOINT.join(one.text for one in group if one in chosen)


def _all_of(group: Sequence[Statement]) -> str:
    room = DEMANDS_TOKENS
    for n, one in enumerate(group):
        room -= _cost(one)
        if room < 0 and n:
            return JOINT.join([*(other.text for other in group[:n]), more_of(len(group) - n)])
    return JOINT.join(one.text for one in group)


def more_of(count: int) -> str:
    """Return the piece that says how many more demands an entry holds than its line does."""
    return f"and {count} more in that entry"


def _cost(one: Statement) -> int:
    return exact_counter(STORED_ENCODING).count(one.text) + 1


def _best(group: Sequence[Statement]) -> Statement:
    return max(group, key=lambda one: one.worth)


def _note(desk: _Desk, entry: Entry) -> None:
    """What an entry of somebody else than an attested user reports, and what it makes of what was reported before."""
    found = list(reported(entry))
    renewed = {section for section, line in found if line.mark is Mark.UNVERIFIED and section in CLAIMED}
    desk.placed = [one for one in desk.placed if not (one.section in renewed and one.line.mark is Mark.UNVERIFIED)]
    for section, line in found:
        same = next((one for one in desk.placed if one.section is section and _same_failure(one.line, line)), None)
        if same is None:
            desk.placed.append(Placed(section=section, line=line))
        else:
            at = desk.placed.index(same)
            desk.placed[at] = replace(same, line=_counted(same.line, line))


def _same_failure(known: Line, new: Line) -> bool:
    return new.mark is Mark.FAILED and known.mark is Mark.FAILED and known.text == new.text


def _counted(known: Line, new: Line) -> Line:
    """One line for repeated attempts at one thing: how often, the first and the last."""
    return replace(known, times=known.times + new.times, seqs=(known.seqs[0], new.seqs[-1]))


def _is_over(one: Placed, entries: Sequence[Entry]) -> bool:
    if one.section is SummarySection.BLOCKERS:
        return is_resolved(one.line, entries)
    return one.section is SummarySection.OPEN_QUESTIONS and is_answered(one.line, entries)


def _settled(desk: _Desk) -> list[Placed]:
    """Work asked for lately is a next step; what was asked before that is done or overtaken, and was decided."""
    fresh = set(desk.asked[-FRESH:])
    return [_moved(one, fresh) for one in desk.placed]


def _moved(one: Placed, fresh: set[int]) -> Placed:
    if one.line.mark is Mark.UNVERIFIED:
        return one
    if one.section is SummarySection.DECISIONS and one.last_seq in fresh and _is_work(one.line):
        return replace(one, section=SummarySection.NEXT_STEPS)
    asked = one.section is SummarySection.NEXT_STEPS and _is_work(one.line)
    return replace(one, section=SummarySection.DECISIONS) if asked and one.last_seq not in fresh else one


def _is_work(line: Line) -> bool:
    """Whether a line asks for work; one that cites two entries is what was agreed to, however it was put."""
    agreed = (Kind.QUESTION, Kind.CHATTER) if len(line.seqs) > 1 else ()
    asks = (Kind.TASK, Kind.PROPOSAL, Kind.ERRAND, Kind.NOTE, *agreed)
    return all(kind_of(piece, piece) in asks for piece in line.pieces)
