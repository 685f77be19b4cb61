"""What apps above do about proposals that are no contract's: hear an agent's, and carry out an approved one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.models import Actor, Proposal, ProposalText
from governance.vocabulary import Proposable


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a text that becomes no revision rests on: its matter as it was `then` and as it stands `now`, as bodies of
    the same form, None where there was nothing. `shut` is the code of why nothing can be approved there, '' elsewhere.
    """

    then: Mapping[str, Any] | None
    now: Mapping[str, Any] | None
    shut: str = ""

    @property
    def moved(self) -> bool:
        """Whether something else stands there by now."""
        return self.then != self.now


type Ask = Callable[[Acting, Mapping[str, Any], datetime], Mapping[str, Any]]
type Apply = Callable[[Proposal, ProposalText, Actor, datetime], None]
type Made = Callable[[Proposal], str]
type Grounds = Callable[[Mapping[str, Any]], Ground]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undertaking:
    """`ask` keeps what an agent would propose until its human agrees, and returns what the agent hears. `apply` does
    what was approved, in the decision's own transaction, by the human who decided last. `made` says what came of it, as
    a public id, '' for nothing that the open scope may read. `ground` looks up what a text rests on, where it is a
    change of something that stands.
    """

    ask: Ask
    apply: Apply
    made: Made
    ground: Grounds | None = None


_undertakings: dict[str, Undertaking] = {}  # by the kind of their proposals


def undertake(kind: Proposable, undertaking: Undertaking) -> None:
    """Take over the proposals of a kind; called once for each, as its app gets ready."""
    if kind in _undertakings:
        raise ValueError(f"proposals of {kind} are taken over already")
    _undertakings[kind] = undertaking


def undertaking_of(kind: str) -> Undertaking | None:
    """Return who carries out proposals of a kind; None for a contract's, which become a revision."""
    return _undertakings.get(kind)


def heard_of(proposal: Proposal) -> dict[str, Any]:
    """Return what whoever asked hears of the proposal that waits for a human."""
    named = proposal.public_id
    return {"id": named, "kind": proposal.kind, "state": proposal.state, "held": True, "proposal_id": named}


def ground_of(kind: str, body: Mapping[str, Any]) -> Ground | None:
    """Return what a text of this kind rests on in the open scope; None for a contract's, and where nothing moves."""
    undertaking = _undertakings.get(kind)
    return undertaking.ground(body) if undertaking and undertaking.ground else None
