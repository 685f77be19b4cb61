"""When talk decides where an input belongs, when it asks, and when it only doubts what a title says."""

from threads.match_values import MatchNumbers
from threads.talk import Verdict

MOST_TORN = 3
"""More threads than this, close together, are no choice to offer: the input fits none of them well."""


def singled_out(verdict: Verdict | None, numbers: MatchNumbers) -> str | None:
    """Return the thread that is clearly ahead of all others and has heard of the input's matter before."""
    if verdict is None or verdict.known < numbers.talk_known or verdict.lead < numbers.talk_lead:
        return None
    return verdict.standings[0].thread_id


def torn_between(verdict: Verdict | None, numbers: MatchNumbers) -> set[str]:
    """Return the two or three threads that are close together and clearly ahead of all others, if there are such."""
    if verdict is None or verdict.known < numbers.talk_known:
        return set()
    close = {one.thread_id for one in verdict.standings if one.behind < numbers.talk_lead}
    return close if 1 < len(close) <= MOST_TORN and len(close) < len(verdict.standings) else set()


def is_doubted(verdict: Verdict | None, thread_id: str, numbers: MatchNumbers) -> bool:
    """Return whether another thread's talk is ahead of this one's by more than chance easily gives."""
    if verdict is None or verdict.known < numbers.talk_known:
        return False
    return any(one.thread_id == thread_id and one.behind >= numbers.talk_doubt for one in verdict.standings)


def confidence_of(verdict: Verdict) -> float:
    """Return how sure the nearest thread is, 0 to 1: one half at one standard deviation ahead, three quarters at 3."""
    return verdict.lead / (1.0 + verdict.lead)
