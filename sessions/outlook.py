"""What picking a session up now would give, said before anybody tries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sessions.lifecycle import what_is_lost
from sessions.models import Attempt, ProviderSession, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, Prospect, Recovery


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a resume would give: `recovery` is None where the session is over. `missing` as the resume would name it.

    `provider` is the provider session that could be resumed; from any other process, what is said of `otherwise`
    holds.
    """

    prospect: Prospect
    recovery: Recovery | None
    missing: tuple[str, ...] = ()
    otherwise: Recovery | None = None
    provider: ProviderSession | None = None


def outlook_of(
    session: Session,
    attempts: Sequence[Attempt],
    providers: Sequence[ProviderSession],
    *,
    has_summary: bool,
    has_handoff: bool,
    now: datetime,
) -> Outlook:
    """Return what a resume would give, by the rules that `sessions.lifecycle` resumes by."""
    if session.state not in LIVE:
        return Outlook(prospect=Prospect.OVER, recovery=None)
    running = next((attempt for attempt in attempts if attempt.state == AttemptState.RUNNING), None)
    kept = {"events": session.head_seq > 0, "work_summary": has_summary, "handoff": has_handoff}
    missing, usable = what_is_lost(kept)
    fresh = Recovery.REBUILT if usable else Recovery.FAILED
    if running is not None:
        prospect = Prospect.CONTINUED if running.lease_until >= now else Prospect.LAPSED
        return Outlook(prospect=prospect, recovery=Recovery.CONTINUED, missing=missing, otherwise=fresh)
    alive = next((provider for provider in providers if provider.alive), None)
    if alive is not None:
        return Outlook(
            prospect=Prospect.RESUMED, recovery=Recovery.RESUMED, missing=missing, otherwise=fresh, provider=alive
        )
    if not attempts:
        return Outlook(prospect=Prospect.FIRST, recovery=fresh, missing=missing)
    prospect = Prospect.REBUILT if usable else Prospect.FAILED
    return Outlook(prospect=prospect, recovery=fresh, missing=missing)
