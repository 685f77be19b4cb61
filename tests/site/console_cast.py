"""People in front of the console: who signs in, and what they find there."""

import uuid

from django.test import Client

from governance.models import Actor, Membership, User
from governance.scope import project_scope
from governance.vocabulary import ActorKind, MembershipLevel
from tests.cast import Cast

PASSWORD = "correct horse battery staple"
CHINESE, ENGLISH = {"Accept-Language": "zh-CN"}, {"Accept-Language": "en"}


def make_account() -> User:
    """An account nobody else uses: failures are counted by name, in a cache that all test processes share."""
    return User.objects.create_user(username=f"person-{uuid.uuid4().hex[:12]}", password=PASSWORD)


def join(account: User, cast: Cast, level: MembershipLevel) -> User:
    """Make the account a member of the cast's project."""
    with project_scope(cast.owner.acting):
        actor = Actor.objects.create(
            project=cast.project, kind=ActorKind.HUMAN, name=account.username, user=account, roles=["dev"]
        )
        Membership.objects.create(project=cast.project, actor=actor, level=level)
    return account


def page_of(cast: Cast) -> str:
    """Address of the project's page."""
    return f"/p/{cast.project.public_id}/"


def signed_in(account: User, language: dict[str, str] | None = None) -> Client:
    """A browser in which the account is signed in, without going through the form."""
    client = Client(headers=language or ENGLISH)
    client.force_login(account)
    return client
