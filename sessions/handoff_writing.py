"""A handoff from records alone: the last valid work summary, what was said since, the task, the screen, open calls.

Pure. It names where things stand and does not repeat them. What nobody knows stands under the risks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.context.cuts import one_line
from sessions.context.material import SummaryFact, TaskFact
from sessions.context.vocabulary import SummarySection
from sessions.handoff_words import Say, sentence
from sessions.vocabulary import EventKind, EventRole

QUOTE_TOKENS = 40  # of one thing that somebody said; the ref beside it opens the rest
LINE_TOKENS = 80  # of one line of a summary
MOST_LINES = 8  # of one list: more is history


@dataclass(frozen=True, slots=True)
class Said:
    """One entry since the summary, as far as a handoff looks at it."""

    seq: int
    ref: str
    role: str
    kind: str
    text: str
    tool: str = ""
    failed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What is known of a session. `since` are its latest entries that no summary covers, oldest first.

    `covered` is the last entry that the summary covers, 0 where there is none; `head` the last entry of all.
    """

    session_ref: str
    head: int
    covered: int
    summary: SummaryFact | None
    since: Sequence[Said]
    task: TaskFact | None
    goal: str
    resume_point: str
    screen: str
    crashed: bool = False
    first_new: int = 1  # the first entry that the last handoff of this session did not tell of


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All parts of a handoff. Every list may be empty, and is then empty on purpose."""

    summary: str
    unfinished_items: Sequence[str]
    risks: Sequence[str]
    resume_suggestion: str
    what: str
    why: str
    trade_offs: Sequence[str] = field(default_factory=tuple)
    open: Sequence[str] = field(default_factory=tuple)
    next: Sequence[str] = field(default_factory=tuple)


def written(records: Records) -> Parts:
    """Return the handoff that the records allow; every part of it says something or is empty on purpose."""
    sections = _sections(records.summary)
    steps = [*(records.task.next_steps if records.task else ()), *sections[SummarySection.NEXT_STEPS]]
    waiting = list(_waiting(records))
    unfinished = _kept([*waiting, *steps])
    return Parts(
        summary=_summary(records),
        unfinished_items=unfinished,
        risks=_kept([*uncertain(records), *sections[SummarySection.BLOCKERS]]),
        resume_suggestion=_suggestion(records, steps),
        what="\n".join(_what(records, sections)),
        why=_why(records),
        trade_offs=_kept(sections[SummarySection.DISSENT]),
        open=_kept([*waiting, *sections[SummarySection.OPEN_QUESTIONS]]),
        next=_kept(steps),
    )


def uncertain(records: Records) -> list[str]:
    """Return what nobody knows from the records: entries in no summary, calls without a result, a process that died."""
    like, risks = _language(records), list[str]()
    if records.crashed:
        risks.append(sentence(Say.CRASHED, like=like, last=records.head))
    if records.covered < records.head:
        span = _span(records, records.covered + 1)
        told: dict[str, object] = {"first": records.covered + 1, "last": records.head, "ref": span}
        risks.append(sentence(Say.NOT_COVERED if records.summary else Say.NO_SUMMARY, like=like, **told))
    risks += [sentence(Say.OPEN_CALL, like=like, tool=_tool(call), ref=call.ref) for call in _open_calls(records.since)]
    for entry in records.since:
        if entry.failed and entry.kind in (EventKind.TOOL_RESULT, EventKind.VERIFICATION):
            failed = {"tool": _tool(entry), "ref": entry.ref, "quote": _quoted(entry.text)}
            risks.append(sentence(Say.FAILED_CALL, like=like, **failed))
    return risks


def _summary(records: Records) -> str:
    like, lines = _language(records), list[str]()
    if records.task:
        named = {"title": records.task.title, "ref": records.task.ref, "state": records.task.state}
        lines.append(sentence(Say.TASK, like=like, **named))
    else:
        lines.append(sentence(Say.NO_TASK, like=like))
    if records.summary:
        lines.append(sentence(Say.COVERED, like=like, last=records.covered, ref=records.summary.ref))
    start = max(records.first_new, records.covered + 1)
    if start <= records.head:
        told: dict[str, object] = {"ref": _span(records, start), "count": records.head - start + 1}
        lines.append(sentence(Say.SINCE, like=like, **told))
    elif records.summary:
        lines.append(sentence(Say.NOTHING_SINCE, like=like))
    if records.screen:
        lines.append(sentence(Say.SCREEN, like=like, quote=_quoted(records.screen)))
    return "\n".join(lines)


def _what(records: Records, sections: Mapping[str, Sequence[str]]) -> list[str]:
    done = _kept([*sections[SummarySection.VERIFICATION], *sections[SummarySection.CONCLUSIONS]])
    told = [entry for entry in records.since if entry.role == EventRole.ASSISTANT and entry.kind == EventKind.MESSAGE]
    done += [f"{_quoted(entry.text)} ({entry.ref})" for entry in told[-1:] if entry.text.strip()]
    return done or [sentence(Say.DONE_NOTHING, like=_language(records), ref=_span(records, 1))]


def _why(records: Records) -> str:
    if records.goal.strip():
        return one_line(records.goal, LINE_TOKENS)
    return sentence(Say.GOAL_UNKNOWN, like=_language(records), ref=_span(records, 1, 1))


def _suggestion(records: Records, steps: Sequence[str]) -> str:
    if records.resume_point.strip():
        return one_line(records.resume_point, LINE_TOKENS)
    like = _language(records)
    if steps and not any(_is_request(entry) for entry in records.since):
        return sentence(Say.STEP, like=like, quote=_quoted(steps[0]))
    return sentence(Say.GO_ON, like=like, ref=_span(records, max(records.head - MOST_LINES, 0) + 1))


def _waiting(records: Records) -> Iterator[str]:
    """Yield the last request where nobody has answered it."""
    asked = next((entry for entry in reversed(records.since) if _is_request(entry)), None)
    if asked is None:
        return
    answered = any(entry.role == EventRole.ASSISTANT and entry.seq > asked.seq for entry in records.since)
    if not answered:
        told = {"ref": asked.ref, "quote": _quoted(asked.text)}
        yield sentence(Say.UNANSWERED, like=_language(records), **told)


def _open_calls(since: Sequence[Said]) -> list[Said]:
    """Return the calls at the end to which no result has come; a result answers the earliest call before it."""
    waiting: list[Said] = []
    for entry in since:
        if entry.kind == EventKind.TOOL_CALL:
            waiting.append(entry)
        elif entry.kind == EventKind.TOOL_RESULT and waiting:
            waiting.remove(next((call for call in waiting if call.tool == entry.tool), waiting[0]))
    return waiting


def _sections(summary: SummaryFact | None) -> dict[str, Sequence[str]]:
    said = summary.sections if summary else {}
    return {name: said.get(name, ()) for name in SummarySection}


def _kept(lines: Sequence[str]) -> list[str]:
    return [one_line(line, LINE_TOKENS) for line in dict.fromkeys(filter(str.strip, lines))][:MOST_LINES]


def _span(records: Records, first: int, last: int | None = None) -> str:
    end = min(records.head if last is None else last, records.head)
    place = records.session_ref.replace("session://", "event://")
    first = min(max(first, 1), max(end, 1))
    return f"{place}/{first}-{end}" if first < end else f"{place}/{first}"


def _language(records: Records) -> str:
    """Return a text of the work: its latest request, else its task's title or its goal."""
    asked = next((entry.text for entry in reversed(records.since) if _is_request(entry)), "")
    return asked or (records.task.title if records.task else "") or records.goal


def _is_request(entry: Said) -> bool:
    return entry.role == EventRole.USER and entry.kind in (EventKind.MESSAGE, EventKind.CORRECTION)


def _quoted(text: str) -> str:
    return one_line(text, QUOTE_TOKENS)


def _tool(entry: Said) -> str:
    return entry.tool or entry.kind
