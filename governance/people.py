"""The humans of a project: their levels, their accounts and their passwords."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from governance.actors import Acting, system_of
from governance.errors import Clash, Forbidden, Invalid, NotThere
from governance.models import Actor, Membership, User
from governance.names import checked_username
from governance.permissions import check_can
from governance.scope import project_scope, record
from governance.seats import Seat, seats_of
from governance.vocabulary import ActorKind, Deed, MembershipLevel

# No letter that is mistaken for another; four groups of five are about 98 bits.
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
GROUPS, GROUP_LENGTH = 4, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """Who was let in. `password` is set for an account made just now, and cannot be shown again."""

    user: User
    actor: Actor
    level: MembershipLevel
    password: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One human of the project, as a list shows them."""

    actor: Actor
    username: str
    level: MembershipLevel
    since: datetime
    last_login: datetime | None


def level_of(acting: Acting) -> MembershipLevel | None:
    """Return the human's level in the open scope as the database has it now; None for whoever is no member."""
    if acting.kind != ActorKind.HUMAN:
        return None
    row = Membership.objects.filter(actor_id=acting.actor_id, actor__active=True).first()
    return MembershipLevel(row.level) if row else None


def check_may(acting: Acting, deed: Deed) -> MembershipLevel:
    """Return the human's level in the open scope; raises Forbidden (level_too_low) when it does not reach."""
    level = level_of(acting)
    check_can(level, deed)
    return level or MembershipLevel.VIEWER


def checked_level(text: str, *, pointer: str) -> MembershipLevel:
    """Return the level of this name; raises Invalid that lists the levels."""
    try:
        return MembershipLevel(text)
    except ValueError as error:
        message = f"expected one of {', '.join(MembershipLevel)}"
        raise Invalid.at(pointer, message, code="level_unknown") from error


def members() -> list[Member]:
    """Return the humans of the open scope's project, in the order in which they came."""
    rows = Membership.objects.select_related("actor__user").order_by("created_at", "id")
    return [
        Member(
            actor=row.actor,
            username=row.actor.user.username if row.actor.user else row.actor.name,
            level=MembershipLevel(row.level),
            since=row.created_at,
            last_login=row.actor.user.last_login if row.actor.user else None,
        )
        for row in rows
    ]


def find_member(username: str, *, pointer: str) -> Actor:
    """Return the member of the open scope's project with this account name; raises NotThere."""
    belonging = Membership.objects.filter(actor__user__username=username).values("actor_id")
    found = Actor.objects.select_related("user").filter(pk__in=belonging).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def invite(acting: Acting, username: str, level: MembershipLevel, *, now: datetime) -> Invited:
    """Make somebody a member of the open scope's project, with an account and a one-time password if they have none.

    Needs an owner. Whoever was removed earlier comes back as the same actor. Raises Invalid for a name that no
    account can have, Clash (already_member, account_closed).
    """
    check_may(acting, Deed.MANAGE_MEMBERS)
    user, password = open_account(username)
    if not user.is_active:
        raise Clash.at("/username", "this account is closed; an operator must open it first", code="account_closed")
    actor, _ = Actor.objects.get_or_create(
        project_id=acting.project_id,
        user=user,
        defaults={"kind": ActorKind.HUMAN, "name": user.username, "created_at": now},
    )
    given = {"level": level, "created_at": now}
    row, fresh = Membership.objects.get_or_create(project_id=acting.project_id, actor=actor, defaults=given)
    if not fresh:
        raise Clash.at("/username", f"already a member, as {row.level}; change the level", code="already_member")
    made = password is not None
    record("member.invite", actor.public_id, after=level, detail={"account_made": made})
    return Invited(user=user, actor=actor, level=level, password=password)


def set_level(acting: Acting, member: Actor, level: MembershipLevel) -> None:
    """Give a member another level. Needs an owner; raises NotThere, and Clash (last_owner) for the only owner."""
    check_may(acting, Deed.MANAGE_MEMBERS)
    if _membership(member).level == level:
        return
    row = _replaceable(member)
    Membership.objects.filter(pk=row.pk).update(level=level)
    record("member.set_level", member.public_id, before=row.level, after=level)


def remove_member(acting: Acting, member: Actor) -> None:
    """End a membership; the actor stays as the author of what they wrote, and their account stays as it is.

    Needs an owner. Raises NotThere, and Clash (last_owner) for the only owner.
    """
    check_may(acting, Deed.MANAGE_MEMBERS)
    row = _replaceable(member)
    Membership.objects.filter(pk=row.pk).delete()
    record("member.remove", member.public_id, before=row.level)


def reset_password(acting: Acting, member: Actor) -> str:
    """Give a member's account a new one-time password, which is returned once; its browser sessions end.

    Needs an owner. An account may stand for more than this project and an owner is nobody's superior elsewhere, so
    this opens only accounts that are a member here and nowhere else, and never another owner's: the operator's
    command resets those. Raises NotThere and Forbidden (reset_by_operator).
    """
    check_may(acting, Deed.MANAGE_MEMBERS)
    row = _membership(member)
    if member.user is None:
        raise NotThere.there("/username")
    other_owner = row.level == MembershipLevel.OWNER and member.pk != acting.actor_id
    elsewhere = any(seat.project_id != acting.project_id for seat in seats_of(member.user))
    if other_owner or elsewhere:
        message = "only the operator resets this account, with: manage.py member reset-password"
        raise Forbidden.at("/username", message, code="reset_by_operator")
    password = _give_password(member.user)
    record("member.reset_password", member.public_id)
    return password


def find_account(username: str, *, pointer: str) -> User:
    """Return the account of this name, whatever its projects; for the operator's commands. Raises NotThere."""
    user = User.objects.filter(username=User.normalize_username(username.strip())).first()
    if user is None:
        raise NotThere.at(pointer, "there is no account of this name")
    return user


def reset_password_as_operator(username: str, *, trace_id: str = "") -> str:
    """Give any account a new one-time password, for the command of whoever runs this instance; needs no scope.

    Each project that the account is a member of gets a ledger entry by its system actor. Raises NotThere.
    """
    user = find_account(username, pointer="USER")
    with transaction.atomic():
        password = _give_password(user)
        for seat in seats_of(user):
            with project_scope(_system_beside(seat, trace_id=trace_id)):
                target = Actor.objects.get(pk=seat.actor_id).public_id
                record("member.reset_password", target, reason="by the operator's command")
    return password


def open_account(username: str) -> tuple[User, str | None]:
    """Return the account of this name, made now with a one-time password when it is not there yet."""
    user, fresh = User.objects.get_or_create(username=checked_username(username, pointer="/username"))
    return user, _give_password(user) if fresh else None


def _give_password(user: User) -> str:
    password = one_time_password()
    user.set_password(password)
    user.must_change_password = True
    user.save(update_fields=["password", "must_change_password"])
    return password


def one_time_password() -> str:
    """Return a fresh password that can be read out and typed."""
    groups = ("".join(secrets.choice(LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def _membership(member: Actor) -> Membership:
    row = Membership.objects.filter(actor=member).first()
    if row is None:
        raise NotThere.there("/username")
    return row


def _replaceable(member: Actor) -> Membership:
    """Return the membership, locked with those of all owners; raises NotThere, and Clash when it is the last owner's.

    One statement locks them in one order, so that two owners cannot take each other's place away at one moment.
    """
    concerned = Membership.objects.filter(Q(level=MembershipLevel.OWNER) | Q(actor=member))
    rows = {row.actor_id: row for row in concerned.select_for_update().order_by("id")}
    row = rows.pop(member.pk, None)
    if row is None:
        raise NotThere.there("/username")
    remaining = Actor.objects.filter(pk__in=rows, active=True, user__is_active=True)
    if row.level == MembershipLevel.OWNER and not remaining.exists():
        message = "this is the project's last owner; make somebody else an owner first"
        raise Clash.at("/username", message, code="last_owner")
    return row


def _system_beside(seat: Seat, *, trace_id: str) -> Acting:
    with project_scope(system_of(seat.project_id, seat.actor_id, trace_id=trace_id)):
        system = Actor.objects.get(kind=ActorKind.SYSTEM).pk
    return system_of(seat.project_id, system, trace_id=trace_id)
