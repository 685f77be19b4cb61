"""What a request for context says, checked and looked up: values in, rows of the open scope out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from governance.actors import Acting, held_role
from governance.errors import Invalid, NotThere
from governance.models import Actor
from governance.vocabulary import ActorKind, Phase, Risk
from sessions.context.material import HeldFact, InputFact
from sessions.context.vocabulary import Dialect
from sessions.lifecycle import OpenWish, ProviderWish
from sessions.models import Attempt, Session
from threads.models import Task
from threads.resolution import ThreadQuery
from threads.speech import Reading, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Have:
    """What the caller's own window holds; with nothing named it holds nothing yet, and will ask for deltas.

    `packet` and what that went on from; of the session's last packet the stable prefix of that hash; the refs; and
    with `transcript`, what the caller itself appended since then, or since its window was opened.
    """

    packet: uuid.UUID | None = None
    prefix_hash: str | None = None
    refs: frozenset[str] = frozenset()
    transcript: bool = False

    @property
    def nothing(self) -> bool:
        """Whether the window is empty."""
        return self == Have()

    @property
    def alone(self) -> bool:
        """Whether no packet is named, in whichever way: what is held is the caller's word alone."""
        return self.packet is None and self.prefix_hash is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a request says it holds, checked. `fact` None means a whole packet; `warning` says why, if it was asked.

    `asked` says that the caller may go on from this packet, `stable_only` that it holds the stable prefix of one.
    """

    fact: HeldFact | None = None
    warning: str | None = None
    stable_only: bool = False
    asked: bool = False


@dataclass(frozen=True, kw_only=True)
class ContextAsk:
    """One request for context. Ids are parsed; whether they are there is found out in the scope."""

    user_input: InputFact
    thread_id: uuid.UUID | None = None
    session_id: uuid.UUID | None = None
    attempt_id: uuid.UUID | None = None
    task_id: uuid.UUID | None = None
    channel: str | None = None
    page: str = ""
    provider: ProviderWish | None = None
    client_event_id: str | None = None
    on_behalf_of: uuid.UUID | None = None
    role: str | None = None
    phase: Phase | None = None
    risk: Risk | None = None
    screen_context: Mapping[str, Any] | None = None
    profile: str | None = None
    max_input_tokens: int | None = None
    dialect: Dialect = Dialect.OPENAI_CHAT
    dry_run: bool = False
    have: Have | None = None
    client_tokens: int | None = None

    @cached_property
    def reading(self) -> Reading:
        """How the input is read: resolving and recalling both go by it."""
        return read(self.user_input.raw_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the request says it belongs: the query for the resolver, and the window it names."""

    query: ThreadQuery
    wish: OpenWish


def place_of(acting: Acting, ask: ContextAsk) -> Place:
    """Look up what the request names, in the open scope.

    Raises NotThere for what is not here, Invalid where two names contradict each other, and Forbidden for a role
    that the actor does not hold.
    """
    session = _session(ask)
    task = _task(ask, session)
    role = held_role(acting, ask.role or (session.role if session else None))
    if session and session.role != role:
        raise Invalid.at("/role", f"this session is {session.role}'s; leave the role out or name that one")
    named = [("/thread_id", ask.thread_id), ("/session_id", session and session.thread_id)]
    named.append(("/task_id", task.thread_id if task else None))
    if session and task and session.task_id != task.pk:
        raise Invalid.at(
            "/task_id", "this session works on another task; leave one of the two out", code="tasks_differ"
        )
    _check_behalf(ask.on_behalf_of)
    query = ThreadQuery(
        text=ask.user_input.raw_text,
        reading=ask.reading,
        role=role,
        thread_id=_same(named),
        channel=ask.channel,
        page=ask.page,
    )
    wish = OpenWish(
        role=role, session=session, attempt_id=ask.attempt_id, task=task, any_task=True, provider=ask.provider
    )
    return Place(query=query, wish=wish)


def _same(named: list[tuple[str, Any]]) -> Any:
    given = [(pointer, value) for pointer, value in named if value is not None]
    for pointer, value in given[1:]:
        if value != given[0][1]:
            raise Invalid.at(given[0][0], f"names another thread than {pointer} belongs to", code="threads_differ")
    return given[0][1] if given else None


def _session(ask: ContextAsk) -> Session | None:
    session_id = ask.session_id
    if session_id is None and ask.attempt_id is not None:
        session_id = Attempt.objects.filter(pk=ask.attempt_id).values_list("session_id", flat=True).first()
        if session_id is None:
            raise NotThere.there("/attempt_id")
    if session_id is None:
        return None
    session = Session.objects.filter(pk=session_id).first()
    if session is None:
        raise NotThere.there("/session_id")
    return session


def _task(ask: ContextAsk, session: Session | None) -> Task | None:
    task_id = ask.task_id or (session.task_id if session else None)
    if task_id is None:
        return None
    task = Task.objects.filter(pk=task_id).first()
    if task is None:
        raise NotThere.there("/task_id")
    return task


def _check_behalf(actor_id: uuid.UUID | None) -> None:
    if actor_id is not None and not Actor.objects.filter(pk=actor_id, kind=ActorKind.HUMAN, active=True).exists():
        raise Invalid.at("/on_behalf_of", "expected a human of this project (act_…)", code="unknown_human")
