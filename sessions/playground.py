"""Trying a compile out: as a human who looks on, with other texts or figures than hold. Nothing is stored or used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from governance.actors import Acting
from governance.agents import known_roles
from governance.contracts import active_revision
from governance.errors import Invalid
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Phase
from sessions.asking import ContextAsk
from sessions.context.profiles import LayerShare, ModelProfile
from sessions.context.vocabulary import Layer
from sessions.effects import with_text
from sessions.gathering import Gathered
from sessions.lifecycle import Opening, OpenWish, open_or_resume
from sessions.models import Attempt, BudgetProfile, ContextPacket, Session
from sessions.models.session import LIVE
from sessions.packets import PacketDraft
from sessions.runtime import Window, rehearse
from sessions.vocabulary import AttemptState, Recovery
from threads.resolution import ThreadQuery, resolve, settle

PER_CENT = 100  # shares are asked for in hundredths of a per cent, as the compiler counts them

type Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What is to be otherwise: the text of a role contract or the policy, and caps of layers in per cent of the cap."""

    kind: ContractKind | None = None
    body: Body | None = None
    caps: Mapping[Layer, float] = field(default_factory=dict)

    def changed(self, gathered: Gathered) -> Gathered:
        """Return what was gathered as it would be."""
        if self.kind is not None and self.body is not None:
            gathered = replace(gathered, material=with_text(gathered.material, self.kind, self.body))
            if self.kind is ContractKind.ROLE:
                gathered = replace(gathered, role_limit=self.body.get("max_input_tokens"))
        if self.caps:
            profile = with_caps(gathered.chosen.profile, self.caps)
            gathered = replace(gathered, chosen=replace(gathered.chosen, profile=profile))
        return gathered


def try_out(ask: ContextAsk, what_if: WhatIf, *, acting: Acting, phases: Sequence[Phase | None]) -> list[PacketDraft]:
    """Compile once for each phase (None: the task's own) as the human who asks, and store nothing.

    What they may not read is in no packet of theirs, whatever the agent's own would hold. Raises Invalid for an unknown
    role, and what resolution and opening raise.
    """
    now = timezone.now()
    asks = [replace(ask, phase=phase, dry_run=True) for phase in phases]
    return [rehearse(one, acting=acting, now=now, look=_look, what_if=what_if.changed) for one in asks]


def last_packet(acting: Acting, draft: PacketDraft) -> ContextPacket | None:
    """Return the last packet of the same role on the same thread that the human may see, or None."""
    with project_scope(acting, read_only=True):
        rows = ContextPacket.objects.filter(thread_id=draft.thread.pk, role=draft.opening.session.role)
        return rows.select_related("session", "thread").order_by("-created_at", "-id").first()


def with_caps(profile: ModelProfile, caps: Mapping[Layer, float]) -> ModelProfile:
    """Return a profile whose layers have these caps at any phase and risk; a floor yields to its cap."""
    shares = {layer: _share(profile, layer, cap) for layer, cap in caps.items()}
    phases = {phase: _kept(table, caps) for phase, table in profile.phases.items()}
    risks = {risk: _kept(table, caps) for risk, table in profile.risks.items()}
    return replace(profile, layers={**profile.layers, **shares}, phases=phases, risks=risks)


def body_with_caps(acting: Acting, slug: str, caps: Mapping[Layer, float]) -> Body:
    """Return the text of the budget profile that holds under a name, with these caps, as a proposal may ask for it."""
    with project_scope(acting, read_only=True):
        approved = active_revision(ContractKind.BUDGET_PROFILE, slug)
        found = approved.body if approved else BudgetProfile.objects.newest().get(slug=slug).body
    body: dict[str, Any] = {**found, "layers": {**found["layers"]}}
    for layer, cap in caps.items():
        before, share = body["layers"][layer.value], round(cap / 100, 4)
        body["layers"][layer.value] = {**before, "cap": share, "floor": min(before["floor"], share)}
    return body | {name: _without(found[name], caps) for name in ("phases", "risks") if name in found}


def present_text(acting: Acting, kind: ContractKind, slug: str) -> Body | None:
    """Return the text of a contract that holds, None where there is none."""
    with project_scope(acting, read_only=True):
        revision = active_revision(kind, slug)
        return revision.body if revision else None


def _without(tables: Body, caps: Mapping[Layer, float]) -> Body:
    """Return the tables of phases or risks without rows for these layers: what is asked for holds in all of them."""
    return {key: {**table, "layers": _kept(table["layers"], caps)} for key, table in tables.items()}


def _kept[Row](table: Mapping[Any, Row], caps: Mapping[Layer, float]) -> dict[Any, Row]:
    return {layer: row for layer, row in table.items() if layer not in caps}


def _share(profile: ModelProfile, layer: Layer, cap: float) -> LayerShare:
    units = round(cap * PER_CENT)
    return LayerShare(floor=min(profile.layers[layer].floor, units), cap=units)


def _look(ask: ContextAsk, acting: Acting, now: datetime) -> Window:
    """Find the thread for these words as the human, and the session of the role on it as it stands."""
    role = ask.role or ""
    if role not in known_roles():
        raise Invalid.at("/role", "there is no active contract of this role; choose another", code="unknown_role")
    query = ThreadQuery(text=ask.user_input.raw_text, role=role, thread_id=ask.thread_id)
    resolution = resolve(acting, query, now=now)
    thread = settle(acting, resolution, now=now)
    live = Session.objects.filter(thread=thread, role=role, state__in=LIVE).select_related("thread")
    session = live.order_by("-last_event_at", "-created_at").first()
    running = Attempt.objects.filter(session=session, state=AttemptState.RUNNING).first() if session else None
    if session is not None and running is not None:  # somebody else's goes on: it is looked at and not taken over
        opening = Opening(session=session, attempt=running, recovery=Recovery.CONTINUED)
    else:
        opening = open_or_resume(acting, thread, OpenWish(role=role, session=session, any_task=True), now=now)
    return Window(thread=thread, resolution=resolution, opening=opening)
