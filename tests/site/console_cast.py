"""People in front of the console: who signs in, and what they find there."""

import time
import uuid

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from governance.models import Actor, Membership, User
from governance.scope import project_scope
from governance.stepping import PROOF
from governance.vocabulary import ActorKind, MembershipLevel, ProofKind
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


def account_of(cast: Cast) -> User:
    """The account of the cast's owner."""
    return User.objects.get(username=f"owner-{cast.project.name}")


def page_of(cast: Cast) -> str:
    """Address of the project's page."""
    return f"/p/{cast.project.public_id}/"


def signed_in(account: User, language: dict[str, str] | None = None) -> Client:
    """A browser in which the account is signed in as if by its password just now, without going through the form."""
    client = Client(headers=language or ENGLISH)
    client.force_login(account)
    return proven(client)


def proven(client: Client, *, minutes_ago: float = 0) -> Client:
    """Let the account that is signed in have shown who it is, so long ago."""
    session = client.session
    session[PROOF] = {"how": ProofKind.PASSWORD, "at": time.time() - minutes_ago * 60}
    session.save()
    return client


def statements(client: Client, path: str, *, but: tuple[str, ...] | str = ()) -> int:
    """Statements of a page that must be there, without the ends of its transactions and what begins with `but`."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    asked = [query["sql"] for query in captured.captured_queries]
    return sum(not (sql in ("BEGIN", "COMMIT") or sql.startswith(but)) for sql in asked)
