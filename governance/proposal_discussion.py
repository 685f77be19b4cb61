"""What was said of a proposal, in order: comments, and decisions with their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Comment, Decision
from governance.vocabulary import DecisionReason, DecisionVerb


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One entry of the discussion: a comment, or a decision with its verb."""

    at: datetime
    who: str
    version: int
    text: str
    verb: DecisionVerb | None = None
    reason: DecisionReason | None = None
    self_approved: bool = False

    @property
    def language(self) -> str:
        return language_of(self.text)


def said_of(decisions: Sequence[Decision], comments: Sequence[Comment]) -> list[Said]:
    """Return both as one discussion, oldest first, ready to be read."""
    spoken = [
        Said(at=one.created_at, who=one.author.name, version=one.version, text=made_visible(one.text))
        for one in comments
    ]
    decided = [
        Said(
            at=one.created_at,
            who=one.decider.name,
            version=one.version,
            text=made_visible(one.text),
            verb=DecisionVerb(one.verb),
            reason=DecisionReason(one.reason_code) if one.reason_code else None,
            self_approved=one.self_approved,
        )
        for one in decisions
    ]
    return sorted(spoken + decided, key=lambda one: one.at)
