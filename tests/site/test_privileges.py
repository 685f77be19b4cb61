"""Five ways in which the application role could be unfit, each made for real on a database of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from greywind_site.checks import OverPrivileged, check_application_role, privilege_faults, refuse_over_privileged
from greywind_site.embedded.instance import APP, DATABASE, SUPERUSER

pytestmark = pytest.mark.skipif(
    not settings.GREYWIND.embedded, reason="NEEDS THE EMBEDDED DATABASE: roles are changed as superuser"
)
# What makes the role unfit, what mends it, and what the fault must say.
UNFIT = {
    "superuser": ("ALTER ROLE gw_probe SUPERUSER", "is a superuser"),
    "bypass": ("ALTER ROLE gw_probe BYPASSRLS", "bypasses row-level security"),
    "table": ("CREATE TABLE mine (); ALTER TABLE mine OWNER TO gw_probe", "owns tables"),
    "inherits": ("GRANT gw_owner TO gw_probe WITH INHERIT TRUE, SET FALSE", "can act as gw_owner"),
    "sets": ("GRANT gw_owner TO gw_probe WITH INHERIT FALSE, SET TRUE", "can act as gw_owner"),
    "creates": ("GRANT CREATE ON SCHEMA public TO gw_probe", "may create objects in schema public"),
    "temporary": ("GRANT TEMPORARY ON DATABASE {database} TO gw_probe", "may create temporary tables"),
    "door": ("GRANT gw_doors TO gw_probe", "can act as gw_doors"),
}


@contextmanager
def superuser(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(
        settings.GREYWIND.instance.database_url(SUPERUSER, database=database), autocommit=True
    ) as link:
        yield link


@contextmanager
def probe(unfit: str) -> Iterator[psycopg.Connection]:
    """A connection as a role that was as fit as gw_app until `unfit` ran; everything is rolled back."""
    with superuser(DATABASE) as link, link.transaction(force_rollback=True):
        link.execute("CREATE ROLE gw_probe NOINHERIT; GRANT USAGE ON SCHEMA public TO gw_probe")
        link.execute(unfit.format(database=DATABASE))
        link.execute("SET LOCAL ROLE gw_probe")
        yield link


@pytest.mark.parametrize("kind", sorted(UNFIT))
def test_an_unfit_role_is_told_what_is_wrong(kind: str) -> None:
    change, fault = UNFIT[kind]
    with probe(change) as link:
        assert any(fault in line for line in privilege_faults(link))


def test_a_role_like_ours_has_no_faults() -> None:
    with probe("SELECT 1") as link:
        assert privilege_faults(link) == []


def test_the_real_role_has_no_faults() -> None:
    with psycopg.connect(settings.GREYWIND.instance.database_url(APP)) as link:
        assert privilege_faults(link) == []


def test_refusing_names_the_remedy() -> None:
    with probe("ALTER ROLE gw_probe BYPASSRLS") as link, pytest.raises(OverPrivileged, match=r"roles\.sql"):
        refuse_over_privileged(link)


@pytest.mark.django_db
def test_the_suite_itself_runs_as_a_fit_role() -> None:
    assert privilege_faults(connection) == []


@pytest.mark.django_db
def test_django_asks_only_where_it_is_told() -> None:
    assert check_application_role(databases=None) == check_application_role(databases=["default"]) == []
