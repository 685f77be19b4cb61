"""What people set on their own account: its password and how pages speak to them."""

from collections.abc import Mapping

from django.db import transaction

from governance.actors import Acting
from governance.errors import Clash
from governance.models import User
from governance.names import checked_username
from governance.scope import project_scope, record
from governance.seats import seats_of
from governance.vocabulary import ActorKind, Language


def choose_password(account: User, password: str, *, trace_id: str = "") -> None:
    """Store the password that somebody chose for themselves; a one-time password is over with it.

    No scope may be open: each project of the account gets a ledger entry of its own, all in one transaction.
    """
    with transaction.atomic():
        account.set_password(password)
        account.must_change_password = False
        account.save(update_fields=["password", "must_change_password"])
        record_in_projects(account, "member.choose_password", trace_id=trace_id)


def record_in_projects(
    account: User, verb: str, *, detail: Mapping[str, object] | None = None, trace_id: str = ""
) -> None:
    """Record what an account did to itself in the ledger of each of its projects. Needs a transaction and no scope."""
    for seat in seats_of(account):
        acting = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
        with project_scope(acting):
            record(verb, acting.public_id, detail=dict(detail or {}))


def open_account_without_password(name: str) -> User:
    """Make an account that opens by other means than a password, such as a provider's word. It belongs to no project.

    Raises Invalid for a name that no account can have, Clash (account_there) for one that is taken.
    """
    account, fresh = User.objects.get_or_create(username=checked_username(name, pointer="/username"))
    if not fresh:
        raise Clash.at("/username", "there is an account of this name already", code="account_there")
    account.set_unusable_password()
    account.save(update_fields=["password"])
    return account


def set_preferences(account: User, *, time_zone: str, language: Language) -> None:
    """Store in which zone times are shown and which language pages are in. Belongs to no project."""
    account.time_zone, account.language = time_zone, language
    account.save(update_fields=["time_zone", "language"])
