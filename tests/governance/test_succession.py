"""What holds ends only by what follows it, and stays what was decided on: around every verb, by plain SQL."""

import uuid
from typing import Any

import psycopg
import pytest
from django.db import transaction

from governance.actors import Acting
from governance.contracts import revisions_of
from governance.models import Contract, Revision
from governance.scope import project_scope
from governance.vocabulary import ContractKind, MembershipLevel
from tests.cast import PERSONA, Cast, make_cast
from tests.governance.rawsql import app_link, enter, owner, refusal
from tests.governing import asked, changed, decided, joined
from tests.stage import Stage

RETIRE = "UPDATE governance_revision SET state = 'superseded' WHERE state = 'active'"
ROLE = {"slug": "dev", "duties": ["other work"]}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def held(cast: Cast) -> int:
    with project_scope(cast.owner.acting):
        return Revision.objects.filter(state="active").count()


def heard(who: Acting, *statements: str) -> str | None:
    """Commit statements in a scope; returns the SQLSTATE with which that is refused."""
    try:
        with app_link() as link, link.transaction():
            enter(link, who)
            for statement in statements:
                link.execute(statement)
    except psycopg.Error as error:
        return error.sqlstate
    return None


@pytest.mark.parametrize("who", ["owner", "dev"])
@pytest.mark.parametrize("extra", ["", " AND contract_id = (SELECT min(contract_id::text)::uuid FROM c)"])
def test_nobody_ends_what_holds_and_leaves_nothing_there(cast: Cast, who: str, extra: str) -> None:
    before = held(cast)
    statement = f"WITH c AS (SELECT contract_id FROM governance_revision) {RETIRE}{extra}"
    assert (heard(getattr(cast, who).acting, statement), held(cast)) == ("GW006", before)


def test_leaving_the_scope_before_the_end_helps_nobody(cast: Cast) -> None:
    left = "SELECT set_config('greywind.project', '', true)"
    assert heard(cast.owner.acting, RETIRE, left) == "GW006"


def test_the_owner_of_the_tables_does_not_either(cast: Cast) -> None:
    with owner() as link, pytest.raises(psycopg.Error) as caught:
        link.execute(RETIRE)
    assert caught.value.sqlstate == "GW006"


def test_an_approval_ends_what_it_was_based_on(cast: Cast) -> None:
    changed(cast, ContractKind.ROLE, "dev", ROLE)
    with project_scope(cast.owner.acting):
        states = [row.state for row in revisions_of(Contract.objects.get(kind="role", slug="dev"))]
    assert states == ["active", "superseded"]


def test_two_approvals_within_one_transaction_follow_each_other(cast: Cast) -> None:
    with transaction.atomic():
        for duty in ("one", "two"):
            changed(cast, ContractKind.ROLE, "dev", ROLE | {"duties": [duty]})
    with project_scope(cast.owner.acting):
        states = [row.state for row in revisions_of(Contract.objects.get(kind="role", slug="dev"))]
    assert states == ["active", "superseded", "superseded"]


def test_the_scope_of_a_transaction_is_the_same_after_the_look(cast: Cast) -> None:
    proposal = asked(cast.dev.acting, ContractKind.PERSONA, "default", PERSONA | {"speaking_style": "warm"})
    with project_scope(cast.owner.acting), transaction.atomic():
        decided(cast.owner.acting, proposal)
        with app_link() as other:
            assert other.execute("SELECT coalesce(current_setting('greywind.project', true), '')").fetchone() == ("",)
        cursor = transaction.get_connection().cursor()
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT current_setting('greywind.project')")
        assert cursor.fetchone() == (str(cast.project.pk),)


CHANGES: list[tuple[str, str, Any]] = [
    ("governance_contract", "kind", "policy"),
    ("governance_contract", "slug", "other"),
    ("governance_contract", "subject_id", uuid.UUID(int=1)),
    ("governance_contract", "audience", "private"),
    ("governance_revision", "audience", "private"),
    ("governance_revision", "audience_role", "dev"),
    ("governance_revision", "owner_id", uuid.UUID(int=1)),
    ("governance_actor", "kind", "human"),
    ("governance_actor", "user_id", uuid.UUID(int=1)),
]


@pytest.mark.parametrize(("table", "column", "value"), CHANGES, ids=[f"{row[0]}.{row[1]}" for row in CHANGES])
def test_plain_sql_does_not_change_what_was_decided_on(
    *, stage: Stage, app: psycopg.Connection, table: str, column: str, value: Any
) -> None:
    assert refusal(app, stage.alpha.owner.acting, f"UPDATE {table} SET {column} = %s", [value]) == "GW001"


LIFT = "UPDATE governance_membership SET level = 'owner'"


@pytest.mark.parametrize("level", [MembershipLevel.MAINTAINER, MembershipLevel.VIEWER, None])
@pytest.mark.parametrize("statement", [LIFT, "DELETE FROM governance_membership"])
def test_only_an_owner_says_who_is_a_member_and_how(cast: Cast, level: MembershipLevel | None, statement: str) -> None:
    who = joined(cast, "mei", level) if level else cast.dev.acting
    assert heard(who, statement) == "GW006"


def test_an_owner_gives_levels(cast: Cast) -> None:
    joined(cast, "mei", MembershipLevel.VIEWER)
    assert heard(cast.owner.acting, LIFT) is None
