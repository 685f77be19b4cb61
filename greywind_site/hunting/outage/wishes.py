"""What a process asks for while the broker comes and goes: marks, and summaries of what it says."""

import json
import os
import signal
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from governance.actors import Acting, system_of
from governance.jobs import enqueue
from governance.scope import project_scope
from greywind_site.hunting.continuity.world import DEV
from greywind_site.hunting.outage.trades import NOTE
from sessions.consolidation_due import ask_for_summary
from sessions.models import Session
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole

BELL_SECONDS = 1.0  # a bell rings a moment after the wish, from a thread of the process


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much one process asks for at most, in so many seconds, and in whose name; `pause` lies between two wishes.

    `dies`: it is killed right after the last commit, before any worker is woken.
    """

    name: str
    project: str
    actor: str
    sessions: Sequence[str]
    many: int
    seconds: float
    pause: float
    dies: bool = False


def carry_out(plan: Plan) -> None:
    """Ask, and tell of each wish on a line of its own once it is committed: what it is about, and how long it took."""
    acting = system_of(uuid.UUID(plan.project), uuid.UUID(plan.actor), role=DEV)
    until = time.monotonic() + plan.seconds
    for number in range(plan.many):
        began, mark = time.monotonic(), f"{plan.name}-{number}"
        if began > until:
            break
        with project_scope(acting):
            enqueue(acting, NOTE, mark)
            if plan.sessions:
                _speak(acting, uuid.UUID(plan.sessions[number % len(plan.sessions)]), mark)
        _tell(mark, time.monotonic() - began)
        time.sleep(0 if plan.dies else plan.pause)
    if plan.dies:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(BELL_SECONDS)


def _speak(acting: Acting, session_id: uuid.UUID, mark: str) -> None:
    said = NewEvent(
        client_id=mark,
        role=EventRole.USER,
        kind=EventKind.MESSAGE,
        text=f"I looked at gauge {mark}, and it is fine.",
        attested_by=AttestedBy.HARNESS,
    )
    append(acting, session_id, [said], now=timezone.now())
    ask_for_summary(acting, Session.objects.get(pk=session_id))


def _tell(mark: str, seconds: float) -> None:
    sys.stdout.write(json.dumps([mark, round(seconds, 4)]) + "\n")
    sys.stdout.flush()
