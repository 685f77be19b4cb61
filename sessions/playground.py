"""Trying a compile out: as a human who looks on, with other texts or figures than hold. Nothing is stored or used."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from governance.actors import Acting
from governance.agents import known_roles
from governance.contracts import active_revision
from governance.errors import Invalid, NotThere
from governance.models import Revision
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Phase, RevisionState
from sessions.asking import ContextAsk
from sessions.context.profiles import LayerShare, ModelProfile
from sessions.context.vocabulary import Layer
from sessions.effects import with_figures, with_text
from sessions.facts import contract_fact
from sessions.gathering import Gathered
from sessions.lifecycle import Opening, OpenWish, open_or_resume
from sessions.models import Attempt, BudgetProfile, ContextPacket, Session
from sessions.models.session import LIVE
from sessions.packets import PacketDraft
from sessions.runtime import Window, rehearse
from sessions.vocabulary import AttemptState, Recovery
from threads.models import Task, Thread
from threads.resolution import ThreadQuery, resolve, settle

PER_CENT = 100  # shares are asked for in hundredths of a per cent, as the compiler counts them

type Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OtherText:
    """What a contract is to say instead. `older` is the revision that said it, None for what was written here."""

    body: Body
    older: Revision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What is to be otherwise: texts of contracts, and caps of layers in per cent of the input cap."""

    texts: Mapping[ContractKind, OtherText] = field(default_factory=dict)
    caps: Mapping[Layer, float] = field(default_factory=dict)

    def changed(self, gathered: Gathered) -> Gathered:
        """Return what was gathered as it would be."""
        for kind, text in self.texts.items():
            gathered = _with_other(gathered, kind, text)
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
    """Return the last packet of the same role on the same thread, and of the task that was asked for, that the human
    may see, or None.
    """
    with project_scope(acting, read_only=True):
        rows = ContextPacket.objects.filter(thread_id=draft.thread.pk, role=draft.opening.session.role)
        if draft.ask.task_id is not None:
            rows = rows.filter(session__task_id=draft.ask.task_id)
        return rows.select_related("session", "thread").order_by("-created_at", "-id").first()


def older_revisions(acting: Acting, ids: Iterable[uuid.UUID]) -> list[Revision]:
    """Return revisions that held once, with their contracts."""
    with project_scope(acting, read_only=True):
        rows = Revision.objects.filter(pk__in=list(ids), state=RevisionState.SUPERSEDED)
        return list(rows.select_related("contract"))


def with_caps(profile: ModelProfile, caps: Mapping[Layer, float]) -> ModelProfile:
    """Return a profile whose layers have these caps at any phase and risk; a floor yields to its cap."""
    shares = {layer: _share(profile, layer, cap) for layer, cap in caps.items()}
    phases = {phase: _kept(table, caps) for phase, table in profile.phases.items()}
    risks = {risk: _kept(table, caps) for risk, table in profile.risks.items()}
    return replace(profile, layers={**profile.layers, **shares}, phases=phases, risks=risks)


def body_with_caps(text: Body, caps: Mapping[Layer, float]) -> Body:
    """Return the text of a budget profile with these caps, as a proposal may ask for it."""
    body: dict[str, Any] = {**text, "layers": {**text["layers"]}}
    for layer, cap in caps.items():
        before, share = body["layers"][layer.value], round(cap / 100, 4)
        body["layers"][layer.value] = {**before, "cap": share, "floor": min(before["floor"], share)}
    return body | {name: _without(text[name], caps) for name in ("phases", "risks") if name in text}


def standing_text(kind: ContractKind, slug: str) -> Body | None:
    """Return the text of a contract that holds, in the open scope; a budget profile's may be the one that ships.

    None where there is none.
    """
    revision = active_revision(kind, slug)
    if revision is None and kind is ContractKind.BUDGET_PROFILE:
        shipped = BudgetProfile.objects.newest().filter(slug=slug).first()
        return shipped.body if shipped else None
    return revision.body if revision else None


def _with_other(gathered: Gathered, kind: ContractKind, text: OtherText) -> Gathered:
    if kind is ContractKind.BUDGET_PROFILE:
        chosen = replace(gathered.chosen, profile=with_figures(gathered.chosen.profile, text.body))
        if text.older is not None:
            chosen = replace(chosen, version=text.older.number, revision=text.older.public_id)
        return replace(gathered, chosen=chosen)
    material = with_text(gathered.material, kind, text.body)
    if text.older is not None:  # it stands in the packet as what it is
        fact: dict[str, Any] = {kind.value: replace(contract_fact(text.older), body=text.body)}
        material = replace(material, **fact)
    limit = text.body.get("max_input_tokens") if kind is ContractKind.ROLE else gathered.role_limit
    return replace(gathered, material=material, role_limit=limit)


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
    task = _task(ask, thread)
    live = Session.objects.filter(thread=thread, role=role, state__in=LIVE).select_related("thread")
    live = live.filter(task=task) if task else live
    session = live.order_by("-last_event_at", "-created_at").first()
    running = Attempt.objects.filter(session=session, state=AttemptState.RUNNING).first() if session else None
    if session is not None and running is not None:  # somebody else's goes on: it is looked at and not taken over
        opening = Opening(session=session, attempt=running, recovery=Recovery.CONTINUED)
    else:
        wish = OpenWish(role=role, session=session, task=task, any_task=task is None)
        opening = open_or_resume(acting, thread, wish, now=now)
    return Window(thread=thread, resolution=resolution, opening=opening)


def _task(ask: ContextAsk, thread: Thread) -> Task | None:
    if ask.task_id is None:
        return None
    task = Task.objects.filter(pk=ask.task_id, thread=thread).first()
    if task is None:
        raise NotThere.there("/task_id")
    return task
