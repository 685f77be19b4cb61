"""A canary: a project of its own in which an agent writes, reads and compiles, and of which nothing stays."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX

from governance.actors import Acting, acting_as
from governance.agents import add_agent
from governance.models import User
from governance.projects import open_project
from governance.scope import project_scope
from governance.seats import acting_in, seats_of
from governance.vocabulary import KeyScope, Language
from greywind_site.operating.erasing import OWNER, erase_project, has_owner
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Event, Session
from sessions.runtime import prepare_context
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import EventKind, EventRole
from threads.lifecycle import ThreadWish, archive_thread, create_thread
from threads.models import Thread

NAME = "canary"
ROLE = "dev"
LONGEST_FLIGHT = timedelta(minutes=10)


class CanaryDied(Exception):
    """A step did not do what it should; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cage:
    """The canary's project: its owner, its agent, and a word that stands nowhere else."""

    owner: Acting
    agent: Acting
    word: str


def fly(*, now: datetime) -> str:
    """Write, read, compile and delete; returns what was done. Raises CanaryDied, and whatever a step raises."""
    with _cage(now=now) as cage:
        session = _write(cage, now=now)
        _read(cage, session)
        _compile(cage, session, now=now)
    return "wrote, read, compiled and deleted" if has_owner() else "wrote, read, compiled and archived"


@contextmanager
def _cage(*, now: datetime) -> Iterator[Cage]:
    """A project whose owner's account is closed at once: it stands in no list, and nobody can sign in to it."""
    _sweep(before=now - LONGEST_FLIGHT)
    word = f"{NAME}-{secrets.token_hex(6)}"
    account = User(username=word, date_joined=now)
    account.set_unusable_password()
    account.save()
    try:
        # Only an open account can install a project's first contracts.
        _, human = open_project(word, owner=account, now=now, language=Language.EN)
        owner = acting_as(human)
        User.objects.filter(pk=account.pk).update(is_active=False)
        with project_scope(owner):
            agent = add_agent(owner, word, roles=[ROLE], now=now)
        yield Cage(owner=owner, agent=acting_as(agent, scopes=frozenset(KeyScope)), word=word)
    finally:
        if has_owner():
            _erase(account)
        else:
            _archive(account)


def _write(cage: Cage, *, now: datetime) -> Session:
    spoken = NewEvent(client_id=cage.word, role=EventRole.USER, kind=EventKind.MESSAGE, text=f"看好 {cage.word} today")
    with project_scope(cage.agent):
        thread = create_thread(cage.agent, ThreadWish(title=cage.word), now=now)
        opening = open_or_resume(cage.agent, thread, OpenWish(role=ROLE), now=now)
        append(cage.agent, opening.session.pk, [spoken], now=now)
    return opening.session


def _read(cage: Cage, session: Session) -> None:
    with project_scope(cage.agent, read_only=True):
        if not Event.objects.filter(session=session, text__contains=cage.word).exists():
            raise CanaryDied("the event that was written is not there")
    if Event.objects.filter(session=session).exists():
        raise CanaryDied("the event can be read without a scope: isolation does not hold")


def _compile(cage: Cage, session: Session, *, now: datetime) -> None:
    asked = InputFact(raw_text="继续", input_type="text", timestamp=None, attached_context=None)
    answer = prepare_context(ContextAsk(user_input=asked, session_id=session.pk), acting=cage.agent, now=now)
    if cage.word not in json.dumps(answer["prompt"], ensure_ascii=False):
        raise CanaryDied(f"the packet {answer['packet_id']} lacks the event that was written")


def _sweep(*, before: datetime) -> None:
    """Take away what a canary that was killed in its flight left behind."""
    fallen = User.objects.filter(username__regex=f"^{NAME}-[0-9a-f]{{12}}$", date_joined__lt=before)
    fallen = fallen.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    for account in fallen if has_owner() else ():
        _erase(account)


def _erase(account: User) -> None:
    for seat in seats_of(account):
        erase_project(seat.project_id)
    account.delete(using=OWNER)  # what hangs on an account is partly closed to the application's role


def _archive(account: User) -> None:
    User.objects.filter(pk=account.pk).update(is_active=False)
    for seat in seats_of(account):
        owner = acting_in(seat, trace_id="")
        with project_scope(owner):
            for thread in Thread.objects.all():
                archive_thread(owner, thread, reason=NAME)
