"""What reads of refs may bring into a session in all: counted in its row, so that two readers cannot overspend."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from governance.actors import Acting
from governance.errors import Clash
from sessions.models import Attempt, Session
from sessions.profiles import CONSERVATIVE, choose
from sessions.reading import profiles_of
from sessions.vocabulary import AttemptState
from sessions.windows import session_at

SMALLER = "ask for at most {left} tokens with ?limit=, or look for words with ?q="
NO_MORE = "note what matters, and go on in a new session"


class ReadBudgetSpent(Clash):
    """What was asked for does not fit what is left of the session's read budget. Nothing was read."""

    code = "read_budget_spent"
    title = "The session's read budget is spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens that a session's reads have brought in, those of this one included, and how many they may be."""

    session: str
    read: int
    budget: int

    @property
    def left(self) -> int:
        return max(self.budget - self.read, 0)

    def as_json(self) -> dict[str, Any]:
        """Return it as an answer shows it."""
        return {"session_id": self.session, "read": self.read, "budget": self.budget, "left": self.left}


def reading_session(acting: Acting, named: uuid.UUID | None) -> Session | None:
    """Return the session that a read belongs to, in the open scope: the named one, else that of the running attempt.

    None where the reader works in no session: there is no window then that could be filled. Raises NotThere for a
    session that is not here, Forbidden where the reader does not hold its role.
    """
    if named is not None:
        return session_at(acting, named, pointer="?session_id")
    own = Attempt.objects.filter(actor_id=acting.actor_id, state=AttemptState.RUNNING).select_related("session")
    attempt = own.order_by("-lease_until", "-started_at").first()
    return attempt.session if attempt else None


def spend(session: Session | None, tokens: int, *, now: datetime) -> Spent | None:
    """Charge a read to its session, in the open scope; None where it belongs to none.

    The row decides: of two readers at once, the second finds what the first has left. Raises ReadBudgetSpent with the
    figures when so many tokens are not left.
    """
    if session is None:
        return None
    budget = _budget_of(session, now)
    within = Session.objects.filter(pk=session.pk, read_tokens__lte=budget - tokens)
    charged = within.update(read_tokens=F("read_tokens") + tokens)
    read = Session.objects.values_list("read_tokens", flat=True).get(pk=session.pk)
    spent = Spent(session=session.public_id, read=read, budget=budget)
    if not charged:
        raise _refusal(spent, tokens)
    return spent


def _refusal(spent: Spent, tokens: int) -> ReadBudgetSpent:
    remedy = SMALLER.format(left=spent.left) if spent.left else NO_MORE
    message = (
        f"reads have brought {spent.read} of {spent.budget} tokens into {spent.session}, and this one takes {tokens}; "
        f"{remedy}, or propose larger `reads` in the budget profile for the next attempt"
    )
    return ReadBudgetSpent.at("?limit", message, extra=spent.as_json() | {"wanted": tokens})


def _budget_of(session: Session, now: datetime) -> int:
    began = Attempt.objects.filter(session=session).order_by("-number").values_list("started_at", flat=True).first()
    name, rows = profiles_of(session, fallback=CONSERVATIVE, since=began or now)
    return choose(name, rows).profile.read_budget
