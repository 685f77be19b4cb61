"""What people set on their own account: its password and how pages speak to them."""

from django.db import transaction

from governance.actors import Acting
from governance.models import User
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
        for seat in seats_of(account):
            acting = Acting(project_id=seat.project_id, actor_id=seat.actor_id, kind=ActorKind.HUMAN, trace_id=trace_id)
            with project_scope(acting):
                record("member.choose_password", acting.public_id)


def set_preferences(account: User, *, time_zone: str, language: Language) -> None:
    """Store in which zone times are shown and which language pages are in. Belongs to no project."""
    account.time_zone, account.language = time_zone, language
    account.save(update_fields=["time_zone", "language"])
