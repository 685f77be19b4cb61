"""What picking a session up now would give, said before anybody tries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sessions.losses import Kept, recovered
from sessions.models import Attempt, ProviderSession, Session
from sessions.models.session import LIVE
from sessions.vocabulary import AttemptState, Loss, Prospect, Recovery


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a resume would give: `recovery` is None where the session is over. `missing` as the resume would name it.

    `provider` is the provider session that could be resumed; from any other process, what is said of `otherwise`
    holds.
    """

    prospect: Prospect
    recovery: Recovery | None
    missing: tuple[Loss, ...] = ()
    otherwise: Recovery | None = None
    provider: ProviderSession | None = None


def outlook_of(
    session: Session,
    attempts: Sequence[Attempt],
    providers: Sequence[ProviderSession],
    *,
    kept: Kept,
    now: datetime,
) -> Outlook:
    """Return what a resume would give, by the rules that `sessions.lifecycle` resumes by."""
    if session.state not in LIVE:
        return Outlook(prospect=Prospect.OVER, recovery=None)
    running = next((attempt for attempt in attempts if attempt.state == AttemptState.RUNNING), None)
    fresh, lost = recovered(kept, alive=False)
    if running is not None:
        prospect = Prospect.CONTINUED if running.lease_until >= now else Prospect.LAPSED
        return Outlook(prospect=prospect, recovery=Recovery.CONTINUED, missing=lost, otherwise=fresh)
    alive = next((provider for provider in providers if provider.alive), None)
    if alive is not None:
        recovery, missing = recovered(kept, alive=True)
        return Outlook(
            prospect=Prospect(recovery),
            recovery=recovery,
            missing=missing or lost,
            otherwise=fresh,
            provider=alive,
        )
    prospect = Prospect(fresh) if attempts else Prospect.FIRST
    return Outlook(prospect=prospect, recovery=fresh, missing=lost)
