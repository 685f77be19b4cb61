"""`manage.py member`: the humans of a project."""

from typing import Any

from django.utils import timezone

from governance.people import (
    Invited,
    checked_level,
    find_account,
    find_member,
    invite,
    members,
    remove_member,
    reset_password_as_operator,
    set_level,
)
from governance.projects import project_name
from governance.scope import project_scope
from greywind_site.identity.factors import forget_factors
from greywind_site.operating.command import Told, lines, new_trace, owner_of, table

ONCE = "The password is shown this once. Hand it over by a way that you trust."


def let_in(options: dict[str, Any]) -> Told:
    """Invite somebody, with an account where they have none."""
    acting, level = owner_of(options), checked_level(options["level"], pointer="--level")
    with project_scope(acting):
        done = invite(acting, options["user"], level, now=timezone.now())
        facts = {"project": project_name(), "user": done.user.username, "level": level, "actor": done.actor.public_id}
    return Told(facts={**facts, "password": done.password}, shown=lines(facts | _password(done), then=_then(done)))


def show_members(options: dict[str, Any]) -> Told:
    """List the humans of a project."""
    with project_scope(owner_of(options), read_only=True):
        rows = members()
    facts = [
        {"user": row.username, "level": row.level, "since": row.since, "last_sign_in": row.last_login} for row in rows
    ]
    cells = [list(fact.values()) for fact in facts]
    return Told(facts={"members": facts}, shown=table("user", "level", "since", "last sign-in", rows=cells))


def change_level(options: dict[str, Any]) -> Told:
    """Give a member another level."""
    acting, level = owner_of(options), checked_level(options["level"], pointer="--level")
    with project_scope(acting):
        set_level(acting, find_member(options["user"], pointer="USER"), level)
    facts = {"user": options["user"], "level": level}
    return Told(facts=facts, shown=lines(facts))


def let_go(options: dict[str, Any]) -> Told:
    """End a membership."""
    acting = owner_of(options)
    with project_scope(acting):
        remove_member(acting, find_member(options["user"], pointer="USER"))
    facts = {"user": options["user"], "removed": True}
    return Told(facts=facts, shown=lines(facts, then=["The account stays; it sees nothing of this project any more."]))


def renew_password(options: dict[str, Any]) -> Told:
    """Give an account a new one-time password."""
    password = reset_password_as_operator(options["user"], trace_id=new_trace())
    facts = {"user": options["user"], "password": password}
    return Told(facts=facts, shown=lines(facts, then=[ONCE, "The browser sessions of this account have ended."]))


def let_forget(options: dict[str, Any]) -> Told:
    """Take an account's second factors away."""
    gone = forget_factors(find_account(options["user"], pointer="USER"), trace_id=new_trace())
    facts = {"user": options["user"], "forgotten": gone}
    then = "The password alone opens the account now. Its owner adds a new second factor under their account, security."
    return Told(facts=facts, shown=lines(facts, then=[then]))


def _password(done: Invited) -> dict[str, Any]:
    return {"one-time password": done.password} if done.password else {}


def _then(done: Invited) -> list[str]:
    return [ONCE] if done.password else ["The account was there already and keeps its password."]
