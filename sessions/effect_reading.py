"""What a change would do, as its author and reviewer read it: the last packets of its contract, compiled with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.functional import Promise

from governance.errors import Gone, NotThere
from governance.holders import agents_under
from governance.invisible import made_visible
from governance.models import Proposal, ProposalText, Revision
from governance.proposal_reading import find_proposal, text_of
from governance.vocabulary import ContractKind
from sessions.context.compiler import Compiled
from sessions.context.vocabulary import CountMethod, DropReason, Layer
from sessions.effects import Body, ContractChange, Moved, compiled_both, moved_items
from sessions.models import Attempt, ContextPacket
from sessions.packet_refs import Namer, Source
from sessions.packet_sentences import GONE
from sessions.packet_why import ShortLine
from sessions.packets import shortfall_out
from sessions.vocabulary import AttemptState, ItemChange

MOST_PACKETS = 20
MOST_MOVES = 12  # of one packet that are listed; the others are counted
PINNED = (ContractKind.PERSONA, ContractKind.ROLE, ContractKind.POLICY, ContractKind.SELF_PROFILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLine:
    """One item that falls out, comes in or reads otherwise; tokens are None where it is out."""

    change: ItemChange
    layer: Layer
    source: Source
    before: int | None
    after: int | None
    reason: DropReason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketEffect:
    """One packet with the present text and with the new one, in tokens; None is a refusal.

    `gone` says why it could not be compiled again; `short` are the layers that would not fit.
    """

    id: str
    at: datetime
    agent: str
    role: str
    before: int | None = None
    after: int | None = None
    method: CountMethod = CountMethod.EXACT
    short: Sequence[ShortLine] = ()
    moves: Sequence[MoveLine] = ()
    more: int = 0
    gone: Promise | str = ""

    @property
    def difference(self) -> int | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def breaks(self) -> bool:
        """Whether the new text makes a refusal of what was none."""
        return not self.gone and self.after is None and self.before is not None

    @property
    def mends(self) -> bool:
        """Whether the new text lets through what was refused."""
        return not self.gone and self.before is None and self.after is not None

    @property
    def out(self) -> int:
        """How many of the listed items fall out."""
        return sum(move.change is ItemChange.GONE for move in self.moves)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A change's effect on the packets that its reader may see; private ones of others are in no figure.

    `before` and `after` are sums over the packets that neither text refuses. `running` attempts keep what holds now,
    which is revision `base`. `agents` are those that it reaches, None where a request names what it goes by.
    """

    packets: Sequence[PacketEffect]
    agents: Sequence[str] | None
    running: int = 0
    base: int | None = None

    @property
    def compiled(self) -> Sequence[PacketEffect]:
        return [packet for packet in self.packets if packet.difference is not None]

    @property
    def before(self) -> int:
        return sum(packet.before or 0 for packet in self.compiled)

    @property
    def after(self) -> int:
        return sum(packet.after or 0 for packet in self.compiled)

    @property
    def difference(self) -> int:
        return self.after - self.before

    @property
    def estimated(self) -> bool:
        return any(packet.method is not CountMethod.EXACT for packet in self.compiled)

    @property
    def refusals(self) -> int:
        return sum(packet.breaks for packet in self.packets)

    @property
    def closed(self) -> int:
        """How many could not be compiled again."""
        return sum(bool(packet.gone) for packet in self.packets)


def text_weighed(proposal_id: str, *, version: int | None = None) -> ProposalText:
    """Return the text of a proposal whose effect can be worked out, in the open scope; None: the latest one.

    Raises NotThere for a proposal or a version that is not here.
    """
    proposal = find_proposal(proposal_id, pointer="{proposal_id}")
    if proposal.kind not in set(ContractKind):  # an offered memory changes no contract
        raise NotThere.there("{proposal_id}")
    return text_of(proposal, proposal.version if version is None else version)


def effect_of(text: ProposalText) -> Effect:
    """Compile the last packets that ran under a proposal's contract with its text, in the open scope; writes nothing.

    At most MOST_PACKETS are looked at.
    """
    proposal, kind = text.proposal, ContractKind(text.proposal.kind)
    if kind is ContractKind.BUDGET_PROFILE:
        return effect_on_profile(proposal.slug, text.base.body if text.base else None, text.body)
    change = ContractChange(kind, text.base.body if text.base else None, text.body)
    return Effect(
        packets=[_packet_effect(packet, change) for packet in _packets(proposal, kind)[:MOST_PACKETS]],
        agents=[made_visible(name) for name in agents_under(proposal)],
        running=_running(kind, text.base),
        base=text.base.number if text.base else None,
    )


def effect_on_profile(slug: str, before: Body | None, after: Body) -> Effect:
    """Compile the last packets under a budget profile with the figures `after`, asked for or not yet, as `effect_of`.

    `before` are the approved figures that hold, None where what ships does.
    """
    change = ContractChange(ContractKind.BUDGET_PROFILE, before, after)
    rows = _latest().filter(receipt__profile__0=slug)[:MOST_PACKETS]
    return Effect(packets=[_packet_effect(packet, change) for packet in rows], agents=None)


def _latest() -> QuerySet[ContextPacket]:
    return ContextPacket.objects.select_related("session", "actor", "attempt").order_by("-created_at", "-id")


def _packets(proposal: Proposal, kind: ContractKind) -> QuerySet[ContextPacket]:
    if proposal.contract_id is None:
        return _latest().filter(_to_come(proposal, kind))
    return _latest().filter(**{f"attempt__{kind}_revision__contract_id": proposal.contract_id})


def _to_come(proposal: Proposal, kind: ContractKind) -> Q:
    """What a contract that is not there yet would reach at once: a policy all, a self profile the human's agents."""
    if kind is ContractKind.POLICY and proposal.slug == "default":
        return Q(attempt__policy_revision__isnull=True)
    if kind is ContractKind.SELF_PROFILE:
        return Q(attempt__self_profile_revision__isnull=True, actor__owned_by_id=proposal.subject_id)
    return Q(pk__in=())


def _packet_effect(packet: ContextPacket, change: ContractChange) -> PacketEffect:
    named: dict[str, Any] = {
        "id": packet.public_id,
        "at": packet.created_at,
        "agent": made_visible(packet.actor.name),
        "role": made_visible(packet.role),
    }
    try:
        before, after = compiled_both(packet, change)
    except Gone as refusal:
        return PacketEffect(**named, gone=GONE.get(refusal.code, refusal.detail))
    moves = moved_items(before, after)
    namer = Namer.of(packet)
    return PacketEffect(
        **named,
        before=_used(before),
        after=_used(after),
        method=after.method,
        short=ShortLine.of(shortfall_out(after)),
        moves=[_line(move, namer) for move in moves[:MOST_MOVES]],
        more=max(len(moves) - MOST_MOVES, 0),
    )


def _line(move: Moved, namer: Namer) -> MoveLine:
    return MoveLine(
        change=move.change,
        layer=move.layer,
        source=namer.source(move.ref),
        before=move.before,
        after=move.after,
        reason=move.reason,
    )


def _used(compiled: Compiled) -> int | None:
    return None if compiled.packet is None else compiled.used


def _running(kind: ContractKind, base: Revision | None) -> int:
    if kind not in PINNED or base is None:
        return 0
    return Attempt.objects.filter(state=AttemptState.RUNNING, **{f"{kind}_revision_id": base.pk}).count()
