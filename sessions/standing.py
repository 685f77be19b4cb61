"""How far what was said in a session may be believed, for whoever wants to learn from it."""

from collections.abc import Iterable, Sequence
from typing import Any

from governance.vocabulary import Audience, rank
from memories.vocabulary import SourceRank
from sessions.models import Event
from sessions.vocabulary import AttestedBy, EventKind, EventRole

# Somebody besides the agent vouches for it: a person at the console, a harness with that right, or an import.
VOUCHED = (AttestedBy.CONSOLE, AttestedBy.HARNESS, AttestedBy.IMPORT)
# What an agent wrote down of its own work.
DERIVED: dict[str, Any] = {"source": SourceRank.TRUSTED_AGENT.value, "own_words": True}


def standing_of(events: Sequence[Event]) -> dict[str, Any]:
    """Return how a stretch of events stands as evidence: as its weakest entry does."""
    sources = [_source(event) for event in events]
    return {
        "source": weakest(sources),
        "own_words": all(_own_words(event) for event in events),
        "from_tool": all(event.role == EventRole.TOOL for event in events),
        "private": any(event.audience == Audience.PRIVATE for event in events),
        "observed_at": max((event.occurred_at or event.created_at for event in events), default=None),
    }


def weakest(sources: Iterable[SourceRank]) -> str:
    """Return the weakest of some sources; none at all are as weak as can be."""
    return min(sources, key=rank, default=SourceRank.UNTRUSTED_EXTERNAL).value


def _source(event: Event) -> SourceRank:
    vouched = event.attested_by in VOUCHED
    match event.role:
        case EventRole.USER if vouched and event.kind == EventKind.CORRECTION:
            return SourceRank.USER_CORRECTION
        case EventRole.USER if vouched:
            return SourceRank.USER_EXPLICIT
        case EventRole.TOOL if vouched and event.kind == EventKind.VERIFICATION and event.failed is False:
            return SourceRank.VERIFIED_TOOL_OUTPUT
        case EventRole.ASSISTANT | EventRole.USER:
            return SourceRank.TRUSTED_AGENT
        case _:
            return SourceRank.UNTRUSTED_EXTERNAL


def _own_words(event: Event) -> bool:
    """Say whether nobody but the agent stands behind it: what it says, or says that its user said."""
    unvouched = event.role == EventRole.USER and event.attested_by not in VOUCHED
    return event.role == EventRole.ASSISTANT or unvouched
