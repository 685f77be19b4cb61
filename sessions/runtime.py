"""The story of one request for context: resolve, open, gather, budget, compile, assemble, record."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Any

from django.db import transaction

from governance.actors import Acting
from governance.ids import new_id
from governance.input import NAME_SHOWN
from governance.scope import go_on_writing, project_scope, record
from governance.telemetry import Operation, traced
from memories.embeddings.queries import AskedVectors, VectorsWanted, query_vectors
from memories.ranking.asking import requests
from sessions.asking import ContextAsk, place_of
from sessions.beginnings import beginning_in
from sessions.compile_figures import count_compile
from sessions.context.assembler import Prompt, assemble
from sessions.context.budget import Budget, build_budget
from sessions.context.compiler import Compiled, compile_packet
from sessions.context.floors import floor_faults, floors_of
from sessions.context.profiles import ModelProfile
from sessions.gathering import CompileWish, Gathered, gather
from sessions.holding import holding_of
from sessions.lifecycle import Opening, OpenWish, as_it_is, open_or_resume
from sessions.packets import PacketDraft, answer_of, hash_of, record_packet
from sessions.profiles import Chosen, limits_for, of_request
from sessions.recalling import own_matter
from sessions.required import refusal_of
from threads.models import Thread
from threads.resolution import Resolution, resolve, settle

MOST_NAMED = 5  # floors that a warning names

type Remember = Callable[[str], None]
type Stored = tuple[PacketDraft, dict[str, Any] | None]
type Store = Callable[[Window, Gathered], Stored]
type Look = Callable[[ContextAsk, Acting, datetime], Window]
type WhatIf = Callable[[Gathered], Gathered]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a request names, looked up, and the thread that it was resolved to."""

    wish: OpenWish
    resolution: Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Where the work goes on: the thread, why it is that one, and how its session was picked up."""

    thread: Thread
    resolution: Resolution
    opening: Opening


@traced(Operation.CONTEXT)
def prepare_context(
    ask: ContextAsk, *, acting: Acting, now: datetime, remember: Remember | None = None
) -> dict[str, Any]:
    """Return the answer to one request for context, after recording it.

    `remember` is called with the packet's public id in the transaction that records it; a refusal is not remembered,
    so that its caller may repair and repeat. Raises
    RequiredContentExceedsBudget, after recording the refusal, when must content does not fit, and what resolution
    and opening raise. A dry run stores nothing; that something was disclosed is still recorded.
    """
    acting = replace(acting, on_behalf_of=ask.on_behalf_of)
    if ask.dry_run:
        draft = rehearse(ask, acting=acting, now=now)
        return _or_refuse(draft, answer_of(draft))
    began = perf_counter()

    def store(window: Window, gathered: Gathered) -> Stored:
        draft = _compile(ask, window, gathered)
        go_on_writing()
        if remember is not None and not draft.refused:
            remember(draft.public_id)
        return draft, record_packet(draft, acting=acting, now=now)

    draft, answer = _with_material(ask, store, acting=acting, now=now)
    count_compile(draft, seconds=perf_counter() - began)
    return _or_refuse(draft, answer)


def _with_material(ask: ContextAsk, store: Store, *, acting: Acting, now: datetime) -> Stored:
    """Return what `store` makes of where the work goes on and of what was read for it, in the scope that read it.

    One snapshot is enough when nothing is opened.
    """
    vectors, window = _own_vectors(ask), None
    while True:
        try:
            with project_scope(acting, read_only=True):
                if window is None:
                    found = find(ask, acting=acting, now=now)
                    window = window_as_it_is(found, acting=acting, now=now)
                if window is not None:
                    return store(window, _gather(ask, window, acting=acting, now=now, vectors=vectors))
        except (
            VectorsWanted
        ) as wanted:  # what a mere "go on" looks for has no vectors here yet; with them it never asks
            vectors = query_vectors(wanted.requests)
            continue
        with project_scope(acting):
            window = open_window(found, acting=acting, now=now)


@traced(Operation.EMBED)
def _own_vectors(ask: ContextAsk) -> AskedVectors | None:
    """Return the vectors of what the input is about by itself, made while no transaction is open."""
    own = own_matter(ask.reading)
    return query_vectors(requests(own)) if own else None


@traced(Operation.RESOLVE)
def find(ask: ContextAsk, *, acting: Acting, now: datetime) -> Found:
    """Look up what the request names and resolve its thread, in the open scope; changes nothing."""
    place = place_of(acting, ask)
    return Found(wish=place.wish, resolution=resolve(acting, place.query, now=now))


def window_as_it_is(found: Found, *, acting: Acting, now: datetime) -> Window | None:
    """Return the window when the work simply goes on there, in the open scope; None where something has to be made."""
    resolution = found.resolution
    if resolution.thread is None:
        return None
    opening = as_it_is(acting, resolution.thread, found.wish, now=now)
    return None if opening is None else Window(thread=resolution.thread, resolution=resolution, opening=opening)


@traced(Operation.OPEN)
def open_window(found: Found, *, acting: Acting, now: datetime) -> Window:
    """Make the thread if it is a new one, and open or resume the session on it, in the open scope.

    What was found may have been read in an earlier transaction: opening locks the session and looks again.
    """
    thread = settle(acting, found.resolution, now=now)
    opening = open_or_resume(acting, thread, found.wish, now=now)
    return Window(thread=thread, resolution=found.resolution, opening=opening)


@traced(Operation.COMPILE)
def _compile(ask: ContextAsk, window: Window, gathered: Gathered) -> PacketDraft:
    chosen = gathered.chosen
    gathered = _warned(gathered, chosen)
    limits = limits_for(ask.max_input_tokens, task=gathered.task, role=gathered.role_limit, project=gathered.project)
    material = gathered.material
    profile = of_request(chosen.profile, ask.dialect, client_tokens=ask.client_tokens)
    floors = floors_of(material.policy.body if material.policy else None)
    budget = build_budget(profile, phase=material.phase, risk=material.risk, limits=limits, floors=floors)
    gathered = replace(gathered, material=replace(material, beginning=beginning_in(gathered.heads.last, budget)))
    compiled, prompt = run(gathered, budget, chosen.profile, ask)
    return PacketDraft(
        id=new_id(),
        ask=ask,
        thread=window.thread,
        resolution=window.resolution,
        opening=window.opening,
        gathered=gathered,
        chosen=chosen,
        limits=tuple(limits),
        budget=budget,
        compiled=compiled,
        prompt=prompt,
        packet_hash=hash_of(compiled, prompt),
    )


def run(gathered: Gathered, budget: Budget, profile: ModelProfile, ask: ContextAsk) -> tuple[Compiled, Prompt | None]:
    """Compile and assemble; pure. The prompt is None for a refusal."""
    compiled = compile_packet(gathered.material, budget, counter=profile.counter())
    return compiled, None if compiled.packet is None else assemble(compiled, ask.dialect)


@traced(Operation.GATHER)
def _gather(
    ask: ContextAsk, window: Window, *, acting: Acting, now: datetime, vectors: AskedVectors | None
) -> Gathered:
    wish = CompileWish(
        role=window.opening.session.role,
        phase=ask.phase,
        risk=ask.risk,
        user_input=ask.user_input,
        matter=own_matter(ask.reading),
        screen_context=ask.screen_context,
        destination=window.resolution.destination,
        on_behalf_of=ask.on_behalf_of,
        skip_client_id=ask.client_event_id,
        profile=ask.profile,
        vectors=vectors,
    )
    gathered = gather(acting, window.thread, window.opening, wish, now=now)
    holding = holding_of(ask.have, window.opening, gathered)
    return replace(gathered, holding=holding, material=replace(gathered.material, held=holding.fact))


def _warned(gathered: Gathered, chosen: Chosen) -> Gathered:
    told = [warning for warning in (gathered.holding.warning, chosen.warning) if warning]
    warnings = (*told, *_unkept_floors(gathered), *_without_meaning(gathered))
    return replace(gathered, material=replace(gathered.material, warnings=warnings)) if warnings else gathered


def _unkept_floors(gathered: Gathered) -> list[str]:
    """Return a warning where a policy of before they were checked asks for floors that there are none of."""
    policy = gathered.material.policy
    faults = [one.field for one in floor_faults(policy.body)] if policy else []
    named = ", ".join(field[:NAME_SHOWN] for field in faults[:MOST_NAMED])
    return [f"unusable_floors: the policy asks for {named}, which no budget can keep."] if faults else []


def _without_meaning(gathered: Gathered) -> list[str]:
    """Return a warning where a model gave no vector of what was looked for."""
    missing = ", ".join(f"{model} ({code})" for model, code in gathered.recalled.found.missing.items())
    return [f"found_by_words: {missing} gave no vector, so what was found shares words."] if missing else []


def rehearse(
    ask: ContextAsk,
    *,
    acting: Acting,
    now: datetime,
    look: Look | None = None,
    what_if: WhatIf | None = None,
) -> PacketDraft:
    """Compile without storing anything, and return what came of it; that it was disclosed is recorded.

    `look` finds the window in the open scope, where it is not found as for any request, and what it makes is undone;
    `what_if` may change what was gathered before it is compiled.
    """
    asked = (look or _window_of, what_if or _as_it_is)
    vectors = _own_vectors(ask)
    try:
        return _rehearsed(ask, *asked, acting=acting, now=now, vectors=vectors)
    except VectorsWanted as wanted:
        return _rehearsed(ask, *asked, acting=acting, now=now, vectors=query_vectors(wanted.requests))


def _rehearsed(
    ask: ContextAsk,
    look: Look,
    what_if: WhatIf,
    *,
    acting: Acting,
    now: datetime,
    vectors: AskedVectors | None,
) -> PacketDraft:
    with project_scope(acting) as scope:
        with transaction.atomic():
            window = look(ask, acting, now)
            gathered = _gather(ask, window, acting=acting, now=now, vectors=vectors)
            draft = _compile(ask, window, what_if(gathered))
            transaction.set_rollback(True)
        scope.entries.clear()
        # The thread and session may have existed only for the rehearsal, so they are not named as targets.
        record("context.dry_run", "context://dry-run", after=draft.packet_hash, detail={"used": draft.compiled.used})
    return draft


def _window_of(ask: ContextAsk, acting: Acting, now: datetime) -> Window:
    return open_window(find(ask, acting=acting, now=now), acting=acting, now=now)


def _as_it_is(gathered: Gathered) -> Gathered:
    return gathered


def _or_refuse(draft: PacketDraft, answer: dict[str, Any] | None) -> dict[str, Any]:
    if answer is not None:
        return answer
    raise refusal_of(draft)
