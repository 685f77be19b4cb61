"""Which thread a request belongs to, and why: rules over plain values, tried in a fixed order.

Explicit binding, recent continuation, meaning, a new thread. Nothing here reads a clock or a row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from threads.affinity import Affinity, Topic, affinities
from threads.match_reasons import shares, spoken
from threads.match_values import Candidate, MatchNumbers, MatchRequest, ThreadMatch, ThreadSignals
from threads.speech import Reading, SpeechAct, read, title_from
from threads.talk import Verdict
from threads.talk_rules import confidence_of, is_doubted, singled_out, torn_between
from threads.vocabulary import MatchRule, ThreadType

__all__ = ["Candidate", "MatchNumbers", "MatchRequest", "ThreadMatch", "ThreadSignals", "match_thread", "title_from"]

SHOWN_CANDIDATES = 5
"""Candidates that a match carries: more cannot be told apart at a glance."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One request with everything the rules look at."""

    request: MatchRequest
    reading: Reading
    threads: tuple[ThreadSignals, ...]
    numbers: MatchNumbers
    verdict: Verdict | None = None

    @property
    def told(self) -> str | None:
        """The thread that talk singles out, if it does."""
        return singled_out(self.verdict, self.numbers)

    @property
    def lines(self) -> list[ThreadSignals]:
        """Threads that a matter can belong to: all but small talk."""
        return [thread for thread in self.threads if thread.type is not ThreadType.SMALL_TALK]

    def age(self, moment: datetime) -> timedelta:
        return max(self.request.now - moment, timedelta())

    def mine(self, threads: Iterable[ThreadSignals], within: timedelta) -> list[ThreadSignals]:
        """Return the threads in which the actor was active within that time, latest first."""
        dated = [(thread.last_active_by_me_at, thread) for thread in threads if thread.last_active_by_me_at]
        near = [(moment, thread) for moment, thread in dated if self.age(moment) <= within]
        return [thread for _, thread in sorted(near, key=lambda pair: (pair[0], pair[1].thread_id), reverse=True)]


def match_thread(
    request: MatchRequest,
    candidates: Sequence[ThreadSignals],
    numbers: MatchNumbers | None = None,
    *,
    verdict: Verdict | None = None,
) -> ThreadMatch:
    """Return where `request` belongs among `candidates` (open threads that the actor may see, in any order).

    `verdict` says how these compare by what was said in them; without it, titles, labels, goals and tasks decide.
    """
    case = _Case(request, request.reading or read(request.text), tuple(candidates), numbers or MatchNumbers(), verdict)
    if request.bound_thread_id is not None and _binding_holds(case, request.bound_thread_id):
        return _bound(case, request.bound_thread_id)
    match case.reading.act:
        case SpeechAct.RESTART:
            return _restart(case)
        case SpeechAct.SMALL_TALK:
            return _small_talk(case)
        case SpeechAct.CONTINUE:
            return _continue(case)
        case SpeechAct.REQUEST:
            return _request(case)


def _binding_holds(case: _Case, bound: str) -> bool:
    if not case.request.standing_binding:
        return True
    chatty = any(thread.thread_id == bound and thread.type is ThreadType.SMALL_TALK for thread in case.threads)
    if case.reading.act is SpeechAct.SMALL_TALK:
        return chatty
    return case.reading.act is not SpeechAct.RESTART and not (chatty and case.reading.act is SpeechAct.REQUEST)


def _bound(case: _Case, bound: str) -> ThreadMatch:
    shown = [_candidate(thread, 1.0, "bound") for thread in case.threads if thread.thread_id == bound]
    return _found(case, bound, shown, rule=MatchRule.BINDING, confidence=1.0)


def _restart(case: _Case) -> ThreadMatch:
    chatty = read(case.reading.content).act is SpeechAct.SMALL_TALK
    kind = ThreadType.SMALL_TALK if case.reading.content and chatty else ThreadType.WORK
    return _new(case, (), kind=kind, confidence=1.0)


def _small_talk(case: _Case) -> ThreadMatch:
    talk = [thread for thread in case.threads if thread.type is ThreadType.SMALL_TALK]
    recent = case.mine(talk, case.numbers.recent_window)
    if recent:
        return _recent(case, recent)
    return _new(case, (), kind=ThreadType.SMALL_TALK, confidence=0.9)


def _continue(case: _Case) -> ThreadMatch:
    """Go on in the actor's latest line, else in the project's if it is clearly the latest; else ask; else begin."""
    lines = [thread for thread in case.lines if not thread.provisional]
    recent = case.mine(lines, case.numbers.recent_window)
    if recent:
        return (
            _ask(case, _by_activity(case, recent), MatchRule.RECENT) if _torn(case, recent) else _recent(case, recent)
        )
    latest = _takeover(case, lines)
    if latest:
        return _found(case, latest.thread_id, _by_activity(case, lines), rule=MatchRule.RECENT, confidence=0.5)
    if lines:
        return _ask(case, _by_activity(case, lines), MatchRule.RECENT)
    return _new(case, (), kind=ThreadType.WORK, confidence=0.5)


def _torn(case: _Case, recent: Sequence[ThreadSignals]) -> bool:
    """Return whether the two latest are too close in time to tell: of two kinds, or at the very same moment."""
    if len(recent) < 2:
        return False
    first, second = recent[:2]
    if not first.last_active_by_me_at or not second.last_active_by_me_at:
        return False
    lead = first.last_active_by_me_at - second.last_active_by_me_at
    return not lead or (first.type is not second.type and lead < case.numbers.recent_tie)


def _takeover(case: _Case, lines: Sequence[ThreadSignals]) -> ThreadSignals | None:
    """Return the project's latest line for an actor who has none of its own, if it leads the next one clearly."""
    dated = sorted(
        ((thread.last_active_at, thread) for thread in lines if thread.last_active_at),
        key=lambda pair: pair[0],
        reverse=True,
    )
    if not dated or case.age(dated[0][0]) > case.numbers.recent_window:
        return None
    clear = len(dated) == 1 or dated[0][0] - dated[1][0] >= case.numbers.takeover_lead
    return dated[0][1] if clear else None


def _request(case: _Case) -> ThreadMatch:
    """Something with content: what leans on the present matter, then meaning, then going on, then something new."""
    reading, numbers = case.reading, case.numbers
    scored = _scored(case)
    best = scored[0][1].score if scored else 0.0
    here = case.mine((line for line in case.lines if not line.provisional), numbers.lean_window)
    bare = reading.specific == 0 or (reading.points_back and reading.specific <= numbers.add_words)
    if here and bare and best < numbers.semantic_sure:
        return _recent(case, here)
    if best >= numbers.semantic_floor or case.told:
        return _semantic(case, scored)
    if reading.goes_on:
        return _continue(case)
    if here and _leans(reading, numbers):
        return _recent(case, here)
    return _unknown(case, scored)


def _unknown(case: _Case, scored: Sequence[tuple[ThreadSignals, Affinity]]) -> ThreadMatch:
    """Nothing fits: something new, unless talk is torn between two or three."""
    if torn := torn_between(case.verdict, case.numbers):
        return _ask(case, _talked(case), MatchRule.SEMANTIC, close=torn)
    best = scored[0][1].score if scored else 0.0
    shown = [_candidate(thread, affinity.score, shares(affinity)) for thread, affinity in scored if affinity.score > 0]
    return _new(case, shown, kind=ThreadType.WORK, confidence=0.9 * (1.0 - best))


def _leans(reading: Reading, numbers: MatchNumbers) -> bool:
    most = numbers.lean_words if reading.points_back else numbers.add_words
    return (reading.points_back or reading.adds) and reading.specific <= most


def _scored(case: _Case) -> list[tuple[ThreadSignals, Affinity]]:
    """Return all lines with their affinity to the request, nearest first. Goals that talk has weighed count once."""
    weighed = {standing.thread_id for standing in case.verdict.standings} if case.verdict else set()
    topics = [
        Topic(
            title=line.title,
            labels=(*line.tags, *line.keywords),
            history=(*(() if line.thread_id in weighed else line.recent_goals), *line.recent_tasks),
        )
        for line in case.lines
    ]
    pairs = zip(case.lines, affinities(case.reading.content, topics), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1].score, pair[0].thread_id))


def _semantic(case: _Case, scored: Sequence[tuple[ThreadSignals, Affinity]]) -> ThreadMatch:
    """One that talk singles out, else one that a title or label names, unless talk is rather more for another."""
    best = scored[0][1].score
    close = [thread for thread, affinity in scored if affinity.score >= best - case.numbers.ambiguity_margin]
    shown = [_candidate(thread, affinity.score, shares(affinity)) for thread, affinity in scored if affinity.score > 0]
    if case.told:  # a title is a few words, often those that anybody begins with: all that was said since tells more
        return _by_talk(case, case.told)
    if len(close) == 1 and not is_doubted(case.verdict, close[0].thread_id, case.numbers):
        return _found(case, close[0].thread_id, shown, rule=MatchRule.SEMANTIC, confidence=best)
    recent = case.mine(close, case.numbers.recent_window)
    if len(close) > 1 and recent and len({thread.type for thread in close}) == 1 and not _rivalled(case, recent):
        return _found(case, recent[0].thread_id, shown, rule=MatchRule.SEMANTIC, confidence=best / 2)
    return _ask(case, shown, MatchRule.SEMANTIC, close={thread.thread_id for thread in close})


def _rivalled(case: _Case, recent: Sequence[ThreadSignals]) -> bool:
    """Return whether the latest of comparable threads is hardly later than the next: then it is no better a guess."""
    if _torn(case, recent):
        return True
    ages = [case.age(thread.last_active_by_me_at) for thread in recent[:2] if thread.last_active_by_me_at]
    return len(ages) == 2 and ages[1] < 2 * ages[0] + case.numbers.recent_tie


def _by_talk(case: _Case, told: str) -> ThreadMatch:
    shown = _talked(case)
    return _found(case, told, shown, rule=MatchRule.SEMANTIC, confidence=shown[0].score)


def _talked(case: _Case) -> list[Candidate]:
    """Return the threads nearest in talk; the score is the nearest one's confidence times what they share of it."""
    if case.verdict is None:
        return []
    sure = confidence_of(case.verdict)
    lines = {line.thread_id: line for line in case.lines}
    return [
        _candidate(lines[one.thread_id], sure * one.score, f"said there: {', '.join(one.shared)}")
        for one in case.verdict.standings[:SHOWN_CANDIDATES]
    ]


def _recent(case: _Case, recent: Sequence[ThreadSignals]) -> ThreadMatch:
    shown = _by_activity(case, recent)
    return _found(case, recent[0].thread_id, shown, rule=MatchRule.RECENT, confidence=shown[0].score)


def _by_activity(case: _Case, threads: Sequence[ThreadSignals]) -> list[Candidate]:
    """Return the threads as candidates, latest first; the score falls from 1 to one half over the recent window."""
    shown = []
    for thread in threads:
        moment = thread.last_active_by_me_at or thread.last_active_at
        age = case.age(moment) if moment else None
        faded = min(age / case.numbers.recent_window, 1.0) if age is not None else 1.0
        shown.append(
            _candidate(thread, 1.0 - faded / 2, f"active {spoken(age)} ago" if age is not None else "never active")
        )
    return sorted(shown, key=lambda candidate: -candidate.score)


def _candidate(thread: ThreadSignals, score: float, reason: str) -> Candidate:
    return Candidate(
        thread_id=thread.thread_id, title=thread.title, score=round(score, 3), reason=reason, rejected=True
    )


def _found(
    case: _Case, thread_id: str, shown: Sequence[Candidate], *, rule: MatchRule, confidence: float
) -> ThreadMatch:
    marked = [replace(candidate, rejected=candidate.thread_id != thread_id) for candidate in shown]
    marked.sort(key=lambda candidate: candidate.rejected)  # stable: the chosen one first, the rest in their order
    return ThreadMatch(
        thread_id=thread_id,
        rule=rule,
        confidence=round(confidence, 3),
        candidates=tuple(marked[:SHOWN_CANDIDATES]),
        ambiguous=False,
        new_type=None,
        new_title=None,
        speech=case.reading.act,
    )


def _ask(case: _Case, shown: Sequence[Candidate], rule: MatchRule, *, close: set[str] | None = None) -> ThreadMatch:
    top = shown[:SHOWN_CANDIDATES]
    marked = [replace(one, rejected=close is not None and one.thread_id not in close) for one in top]
    return ThreadMatch(
        thread_id=None,
        rule=rule,
        confidence=0.0,
        candidates=tuple(marked),
        ambiguous=True,
        new_type=None,
        new_title=None,
        speech=case.reading.act,
    )


def _new(case: _Case, shown: Sequence[Candidate], *, kind: ThreadType, confidence: float) -> ThreadMatch:
    return ThreadMatch(
        thread_id=None,
        rule=MatchRule.NEW,
        confidence=round(confidence, 3),
        candidates=tuple(shown[:SHOWN_CANDIDATES]),
        ambiguous=False,
        new_type=kind,
        new_title=title_from(case.request.text) or None,
        speech=case.reading.act,
    )
