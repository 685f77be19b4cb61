"""Erasing a person: everywhere in one transaction, told in the ledger of every project, and never undone."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session as BrowserSession
from django.db import connections, transaction
from django.db.models import Q

from governance.audit import fingerprint
from governance.errors import Clash, NotThere, Unavailable
from governance.ids import new_id, public_id
from governance.models import Actor, AuditEvent, Membership, Revision, User
from governance.people import find_account
from governance.scope import ENTER, LEDGER_COLUMNS, LEDGER_ROW
from governance.vocabulary import ActorKind, MembershipLevel, RevisionState
from greywind_site.erasing.blanking import blank
from greywind_site.erasing.finding import find, find_memory
from greywind_site.erasing.resting import Damaged, damaged_in
from greywind_site.erasing.theirs import Theirs, counts_of
from greywind_site.operating.erasing import OWNER, has_owner
from memories.models import Memory

KEPT_STATES = (RevisionState.ACTIVE, RevisionState.SUPERSEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was, or would be, erased in one project: rows by kind; what of a person stays, by kind; and the transcripts
    that could not be searched, because they are damaged. `actor` is '' where a memory was erased.
    """

    project_id: uuid.UUID
    rows: Mapping[str, int]
    damaged: Sequence[Damaged]
    actor: str = ""
    stays: Mapping[str, int] = field(default_factory=dict)


def preview(username: str, *, project_id: uuid.UUID | None = None) -> list[Erased]:
    """Say what erasing the person would take away; nothing is changed. Raises what `erase_person` raises."""
    with _owner_transaction():
        return [_told(find(seat), seat) for seat in _seats(username, project_id, lock=False)]


def erase_person(
    username: str, *, reason: str, now: datetime, project_id: uuid.UUID | None = None, trace_id: str = ""
) -> list[Erased]:
    """Erase what a person said and what was made of it, in one project or in all, all or nothing.

    With all of them the account goes too: its name, its ways to sign in, its browsers. Raises NotThere for an unknown
    account, Clash (last_owner) where a project would be left without an owner, and Unavailable without the owner role.
    """
    done = []
    with _owner_transaction() as told:
        for seat in _seats(username, project_id):
            theirs = find(seat)
            done.append(_told(theirs, seat))
            entries = _entries(theirs, [_of_person(seat, done[-1])], reason=reason, trace_id=trace_id)
            blank(theirs, now=now)
            _forget_seat(seat)
            told.append((seat.project_id, entries))
        if project_id is None:
            _forget_account(find_account(username, pointer="--person"))
    return done


def preview_memory(memory: Memory) -> Erased:
    """Say what erasing a memory would take away; nothing is changed."""
    with _owner_transaction():
        return _found(find_memory(memory))


def erase_memory(memory: Memory, *, reason: str, now: datetime, trace_id: str = "") -> Erased:
    """Erase a memory and what was made of it or cites it, whoever may read that.

    Raises Unavailable without the owner role: `memories.erasing.erase` reaches what its caller may read.
    """
    with _owner_transaction() as told:
        _lock(memory.project_id)
        theirs = find_memory(memory)
        found = _found(theirs)
        told.append((memory.project_id, _entries(theirs, [], reason=reason, trace_id=trace_id)))
        blank(theirs, now=now)
    return found


type Entries = Sequence[tuple[Any, ...]]


@contextmanager
def _owner_transaction() -> Iterator[list[tuple[uuid.UUID, Entries]]]:
    """One transaction of the owner role in which append-only sleeps; the ledger's entries are written last, awake."""
    if not has_owner():
        raise Unavailable("this needs the owner role; set DATABASE_OWNER_URL", code="owner_role_missing")
    told: list[tuple[uuid.UUID, Entries]] = []
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield told
        cursor.execute("SET LOCAL session_replication_role = origin")
        for project_id, entries in told:
            cursor.execute(ENTER, [str(project_id), "", ""])
            for entry in entries:
                cursor.execute(f"INSERT INTO governance_auditevent ({LEDGER_COLUMNS}) VALUES {LEDGER_ROW}", entry)  # noqa: S608 - names of ours


def _seats(username: str, project_id: uuid.UUID | None, *, lock: bool = True) -> list[Actor]:
    """Return the person's actors, their projects locked: whoever writes there is waited for."""
    account = find_account(username, pointer="--person")
    seats = Actor.objects.using(OWNER).filter(user_id=account.pk).order_by("project_id")
    chosen = list(seats if project_id is None else seats.filter(project_id=project_id))
    if project_id is not None and not chosen:
        raise NotThere.at("--person", "this account has never been in that project")
    for seat in chosen:
        if lock:
            _lock(seat.project_id)
        _check_replaceable(seat)
    return chosen


def _lock(project_id: uuid.UUID) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT FROM governance_project WHERE id = %s FOR UPDATE", [project_id])


def _check_replaceable(seat: Actor) -> None:
    owners = Membership.objects.using(OWNER).filter(project_id=seat.project_id, level=MembershipLevel.OWNER)
    others = owners.filter(actor__active=True, actor__user__is_active=True).exclude(actor=seat)
    if owners.filter(actor=seat).exists() and not others.exists():
        project = public_id("prj", seat.project_id)
        message = f"they are the last owner of {project}; make somebody else an owner first, or erase the project"
        raise Clash.at("--person", message, code="last_owner")


def _told(theirs: Theirs, seat: Actor) -> Erased:
    entries = AuditEvent.objects.using(OWNER).filter(project_id=seat.project_id, actor=seat.public_id)
    adopted = Revision.objects.using(OWNER).filter(Q(proposed_by=seat) | Q(decided_by=seat), state__in=KEPT_STATES)
    stays = {
        "ledger entries": entries.count(),
        "of these with a reason in words": entries.exclude(reason="").exclude(reason__startswith="hmac:").count(),
        "adopted contract texts": adopted.exclude(contract__subject=seat).exclude(contract__owner=seat).count(),
    }
    return replace(_found(theirs), actor=seat.public_id, stays=stays)


def _found(theirs: Theirs) -> Erased:
    return Erased(project_id=theirs.project_id, rows=counts_of(theirs), damaged=damaged_in(theirs))


def _of_person(seat: Actor, erased: Erased) -> tuple[str, ...]:
    rows = dict(erased.rows) | ({"damaged": len(erased.damaged)} if erased.damaged else {})
    return "person.erase", seat.public_id, fingerprint([seat.name, rows]), json.dumps(rows, sort_keys=True)


def _entries(theirs: Theirs, told: Sequence[tuple[str, ...]], *, reason: str, trace_id: str) -> Entries:
    """Return the ledger's entries: what is told, and one for each memory. They are the system's: nobody signed in."""
    by = public_id("act", theirs.all(Actor).get(kind=ActorKind.SYSTEM).pk)
    memories = theirs.of(Memory).filter(erased_at=None)
    each = [("memory.erase", memory.public_id, fingerprint(memory.content), "{}") for memory in memories]
    return [
        (new_id(), theirs.project_id, by, "", verb, target, reason[:500], before, "", trace_id, detail)
        for verb, target, before, detail in [*told, *each]
    ]


def _forget_seat(seat: Actor) -> None:
    Membership.objects.using(OWNER).filter(actor=seat).delete()
    Actor.objects.using(OWNER).filter(pk=seat.pk).update(name=f"erased-{seat.pk.hex}", active=False)


def _forget_account(account: User) -> None:
    browsers = UserSession.objects.using(OWNER).filter(user_id=account.pk)
    BrowserSession.objects.using(OWNER).filter(
        session_key__in=list(browsers.values_list("session_key", flat=True))
    ).delete()
    for rows in (browsers, *(kind.objects.using(OWNER).filter(user_id=account.pk) for kind in WAYS_IN)):
        rows.delete()
    account.set_unusable_password()
    blank = {"first_name": "", "last_name": "", "email": "", "language": "", "time_zone": "UTC", "last_login": None}
    kept = {"username": f"erased-{account.pk.hex}", "password": account.password, "is_active": False}
    User.objects.using(OWNER).filter(pk=account.pk).update(**blank, **kept)


WAYS_IN = (Authenticator, SocialAccount, EmailAddress)
