"""What entries other than a user's report: failures, verifications, claims of the agent, questions, next steps. Pure."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import regex

from sessions.context.cuts import one_line
from sessions.context.summary_lines import JOINT, Line, Mark, plain_text
from sessions.context.vocabulary import SummarySection
from sessions.summaries import cues
from sessions.summaries.clauses import folded, is_question, sentences, tidy
from sessions.summaries.cues import Kind
from sessions.summaries.entries import Entry
from sessions.summaries.reversals import words
from sessions.vocabulary import EventKind, EventRole

REPORT_TOKENS = 32
STEPS_TOKENS = 72  # of the steps or conclusions of one report, which stand on one line
MOST_LISTED = 6  # entries under one heading of an agent's report
ANSWERS = 0.34  # share of a question's words that an answer to it speaks of
CLAIMED = (SummarySection.CONCLUSIONS, SummarySection.NEXT_STEPS)
"""Sections in which an agent's own words are marked as such; a later report of the agent takes their place."""
_HEADED = regex.compile(
    r"^\s*(?:#+\s*|\*\*)?(?P<name>next(?: steps?)?|to-?dos?|remaining|open(?: questions?| items?)?|blockers?|blocked|decisions?|decided|risks?"
    r"|下一步|接下来|待办(?:事项)?|遗留(?:问题)?|未决(?:问题)?|待定|待确认|开放问题|阻塞(?:项)?|决定|结论|风险)\s*(?:\*\*)?\s*[:：]\s*(?:\*\*)?\s*(?P<rest>.*)$",
    regex.IGNORECASE,
)
_HEADINGS: Sequence[tuple[str, SummarySection]] = (
    ("next", SummarySection.NEXT_STEPS),
    ("to", SummarySection.NEXT_STEPS),
    ("remaining", SummarySection.NEXT_STEPS),
    ("open", SummarySection.OPEN_QUESTIONS),
    ("block", SummarySection.BLOCKERS),
    ("risk", SummarySection.DISSENT),
    ("deci", SummarySection.CONCLUSIONS),
    ("下一步", SummarySection.NEXT_STEPS),
    ("接下来", SummarySection.NEXT_STEPS),
    ("待办", SummarySection.NEXT_STEPS),
    ("阻塞", SummarySection.BLOCKERS),
    ("风险", SummarySection.DISSENT),
    ("决定", SummarySection.CONCLUSIONS),
    ("结论", SummarySection.CONCLUSIONS),
)
_BULLET = regex.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+(?:\[ \]\s*)?(?P<text>.+)$")
_DONE = regex.compile(
    r"(?:all )?(?:done|fixed|finished|completed?|implemented|added|created|moved|removed|updated|merged|pushed|released|works?|passe[sd]|verified)\b"
    r"|(?:all|both|\d+)\b.{0,40}\b(?:pass(?:es|ed)?|works?|done|green)\b"
    r"|(?:已(?:经)?|都|全部)?(?:完成|做完|修好|改好|写好|搞定|实现|上线|发布|合并|通过|部署|提交|整理好|跑通)(?:了|好|完)?"
)


def reported(entry: Entry) -> Iterator[tuple[SummarySection, Line]]:
    """Yield what an entry reports, with the section in which it belongs. Nothing of it counts as verified, but what a
    verification says."""
    if entry.kind == EventKind.VERIFICATION:
        yield SummarySection.VERIFICATION, Line(text=told_of(entry), seqs=(entry.seq,), mark=verdict_of(entry))
    elif entry.kind == EventKind.TOOL_RESULT and entry.failed:
        yield SummarySection.VERIFICATION, Line(text=tool_name(entry), seqs=(entry.seq,), mark=Mark.FAILED)
    elif entry.is_assistants:
        yield from _claimed(entry)


def verdict_of(entry: Entry) -> Mark:
    """Return what a verification found; one that says neither is none."""
    return {True: Mark.FAILED, False: Mark.PASSED, None: Mark.UNVERIFIED}[entry.failed]


def tool_name(entry: Entry) -> str:
    """Return what the attempts at one thing are counted under: the tool that was called."""
    return plain_text(entry.tool or "tool")


def told_of(entry: Entry) -> str:
    """Return the words of an entry that a report of it may use."""
    return one_line(plain_text(entry.text[:2_000]), REPORT_TOKENS)


@lru_cache(4_096)
def claims_of(entry: Entry) -> Sequence[tuple[SummarySection, str]]:
    """Return what an agent's message claims under headings, what it says is done, and what it asks at its end."""
    headed = _together(_headed(entry.prose))
    told = [tidy(one) for one in sentences(entry.prose[:1_500])]
    done = next((one for one in told[:2] if _DONE.match(folded(one)) and len(one.split()) + len(one) // 4 > 3), None)
    found = [*headed, *([(SummarySection.CONCLUSIONS, done)] if done else [])]
    if told and is_question(told[-1]) and entry.role == EventRole.ASSISTANT:
        found.append((SummarySection.OPEN_QUESTIONS, told[-1]))
    return [(section, one_line(text, STEPS_TOKENS if section in CLAIMED else REPORT_TOKENS)) for section, text in found]


def _together(headed: Iterator[tuple[SummarySection, str]]) -> list[tuple[SummarySection, str]]:
    """Steps and conclusions of one report as one line, everything else line by line."""
    found = list(headed)
    joined = {section: JOINT.join(text for other, text in found if other is section) for section in CLAIMED}
    alone = [(section, text) for section, text in found if section not in CLAIMED]
    return [(section, text) for section, text in joined.items() if text] + alone


def is_answered(line: Line, entries: Sequence[Entry]) -> bool:
    """Return whether somebody spoke after a question was asked: at once, or later of the same thing.

    What was put down as open is over when somebody says of that very thing that it is settled, or answers it.
    """
    asked = max(line.seqs, default=0)
    later = [entry for entry in entries if entry.seq > asked and (entry.is_users or entry.is_assistants)]
    asker = next((entry for entry in entries if entry.seq == asked), None)
    if asker is not None and not _is_put_down(line, asker):
        return any(entry.role != asker.role and not cues.DEFERS.search(folded(entry.prose)) for entry in later)
    about, asks = words(folded(line.text)), is_question(line.text)
    return any(
        len(about & words(folded(part))) > ANSWERS * len(about) and (asks or _settles(part))
        for entry in later
        if "?" not in entry.text
        for part in (sentences(entry.prose) if not asks else [entry.prose])
    )


def _is_put_down(line: Line, asker: Entry) -> bool:
    """Whether a line was left open on purpose, by its label or in a list, and is no question to whoever is there."""
    if not is_question(line.text) or cues.DEFERS.search(folded(line.text)):
        return True
    return cues.LABELS[Kind.OPEN].match(folded(line.text)) is not None or _lists_questions(asker)


def _lists_questions(asker: Entry) -> bool:
    return asker.is_assistants and [section for section, _ in claims_of(asker)].count(SummarySection.OPEN_QUESTIONS) > 1


def _settles(part: str) -> bool:
    said = folded(part)
    return cues.RESOLVES.search(said) is not None or _DONE.search(said) is not None


def is_resolved(line: Line, entries: Sequence[Entry]) -> bool:
    """Return whether an attested user or a verification said later that what stood in the way no longer does."""
    stopped, about = max(line.seqs, default=0), words(folded(line.text))
    heard = [entry for entry in entries if entry.seq > stopped and (entry.is_users or verdict_of(entry) is Mark.PASSED)]
    return any(
        cues.RESOLVES.search(folded(part)) and len(about & words(folded(part))) > ANSWERS * len(about)
        for entry in heard
        for part in sentences(entry.prose)
    )


def _claimed(entry: Entry) -> Iterator[tuple[SummarySection, Line]]:
    for section, text in claims_of(entry):
        mark = Mark.UNVERIFIED if section in CLAIMED else None
        yield section, Line(text=text, seqs=(entry.seq,), mark=mark)


def _headed(prose: str) -> Iterator[tuple[SummarySection, str]]:
    section, left = None, 0
    for raw in prose.splitlines():
        headed, bullet = _HEADED.match(raw), _BULLET.match(raw)
        if headed:
            section, left = _section(headed["name"].casefold()), MOST_LISTED
            if headed["rest"].strip():
                yield section, tidy(headed["rest"])
        elif section is not None and bullet and left:
            left -= 1
            yield section, tidy(bullet["text"])
        elif raw.strip():
            section = None


def _section(name: str) -> SummarySection:
    return next((section for start, section in _HEADINGS if name.startswith(start)), SummarySection.OPEN_QUESTIONS)
