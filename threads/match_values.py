"""What the resolver is given and what it answers: plain values, no rule."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from threads.speech import Reading, SpeechAct
from threads.vocabulary import MatchRule, ThreadType


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSignals:
    """One open thread that the actor may see, as gathered; "me" is this actor in this role."""

    thread_id: str
    type: ThreadType
    title: str
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    recent_goals: tuple[str, ...] = ()
    recent_tasks: tuple[str, ...] = ()
    last_active_at: datetime | None = None
    last_active_by_me_at: datetime | None = None
    provisional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRequest:
    """What is asked: the input, the thread it is bound to if any, and the time.

    `standing_binding` says that the binding is a channel's or page's own and was not named in this request: a
    restart leaves it, and small talk leaves it when it leads to a work thread. `reading` is of the text, where it was
    read before.
    """

    text: str
    bound_thread_id: str | None
    now: datetime
    standing_binding: bool = False
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchNumbers:
    """Thresholds of the rules."""

    recent_window: timedelta = timedelta(days=7)  # "continue" survives a weekend and a short leave; after it, ask
    lean_window: timedelta = timedelta(hours=2)  # "make it async" leans on what is still before one's eyes
    recent_tie: timedelta = timedelta(minutes=10)  # two kinds of thread used this close together: no telling which
    takeover_lead: timedelta = timedelta(
        days=1
    )  # how clearly another's thread must be the project's latest to be taken
    semantic_floor: float = 0.28  # one telling word suffices, one of everybody's words ("page") does not
    semantic_sure: float = 0.5  # from here even "fix it in PR-123" names its thread instead of leaning
    ambiguity_margin: float = 0.08  # near topics that share their common words differ by less
    lean_words: float = 3.0  # words of its own with which "it" may still mean the recent matter
    talk_lead: float = 0.8  # standard deviations ahead of every other thread: learnt by `bench_resolution --learn`
    # (threads left out, by set: right 75, 83 and 38 %, wrong 2, 0 and 4 % of 48, 192 and 48 inputs)
    talk_known: float = 0.1  # of the input's matter that it must have heard: with less, only the manner is alike
    talk_doubt: float = 0.5  # from here behind another in talk, a thread that a title names is asked about
    add_words: float = 1.0  # the same for "also" and "again", which also open new matters


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A thread that was looked at: score in [0, 1], why in a few words, and whether it was turned down."""

    thread_id: str
    title: str
    score: float
    reason: str
    rejected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMatch:
    """The answer. Without `thread_id` it is a new thread of `new_type`, or, if `ambiguous`, a question back.

    `new_title` is None where the input holds no words for a title yet. `rule` is the one that decided or that found
    the ambiguity; then the candidates that are not rejected are those to choose from.
    """

    thread_id: str | None
    rule: MatchRule
    confidence: float
    candidates: tuple[Candidate, ...]
    ambiguous: bool
    new_type: ThreadType | None
    new_title: str | None
    speech: SpeechAct
