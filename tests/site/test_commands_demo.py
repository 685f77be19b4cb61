"""Taking a project away, and the demo made anew."""

import uuid
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from governance.errors import Unavailable
from governance.models import User
from governance.projects import acting_for_owner, open_project, owned_projects
from governance.scope import project_scope
from greywind_site.demo import DemoCredentials, ensure_demo
from greywind_site.embedded.instance import Instance
from greywind_site.operating import erasing
from greywind_site.operating.command import Refused
from greywind_site.operating.erasing import TABLES, erase_project
from tests.cast import Api, make_cast
from tests.demos import stored_demo
from tests.factories import seed
from threads.models import Thread

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def rows_of(project: uuid.UUID) -> int:
    """How many rows of that project there are, in all tables together."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(TABLES)
        tables = [row[0] for row in cursor.fetchall()]
        counts = " + ".join(f"(SELECT count(*) FROM {table} WHERE project_id = %s)" for table in tables)
        cursor.execute(f"SELECT {counts}", [project] * len(tables))
        return int(cursor.fetchone()[0])


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DemoCredentials:
    """The demo of a data folder of its own."""
    monkeypatch.setitem(settings.GREYWIND.__dict__, "instance", Instance(tmp_path))
    return stored_demo(tmp_path)


def test_an_erased_project_leaves_no_row_and_takes_none_of_another_along() -> None:
    gone, kept = make_cast("gone"), make_cast("kept")
    for cast, canary in ((gone, "xqgonex"), (kept, "xqkeptx")):
        seed(cast, canary=canary)
    before = rows_of(kept.project.pk)
    erase_project(gone.project.pk)
    assert (rows_of(gone.project.pk), rows_of(kept.project.pk)) == (0, before)


def test_without_the_owner_role_nothing_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "has_owner", lambda: False)
    project, _ = open_project("kept", owner=User.objects.create_user("ann"), now=timezone.now())
    with pytest.raises(Unavailable, match="DATABASE_OWNER_URL"):
        erase_project(project.pk)


def test_the_demo_made_anew_has_the_same_id_key_and_login(demo: DemoCredentials, tmp_path: Path) -> None:
    call_command("demo", "reset", "--yes", stdout=StringIO())
    assert ensure_demo(data_dir=tmp_path) == demo


def test_the_printed_key_opens_the_demo_made_anew(demo: DemoCredentials) -> None:
    call_command("demo", "reset", "--yes", stdout=StringIO())
    assert Api(demo.agent_key).get("/threads").json()["results"]


def test_what_was_done_in_the_demo_is_gone(demo: DemoCredentials) -> None:
    owner = acting_for_owner(demo.project_id)
    with project_scope(owner):
        Thread.objects.update(title="scribbled over")
    call_command("demo", "reset", "--yes", stdout=StringIO())
    with project_scope(acting_for_owner(demo.project_id), read_only=True):
        assert not Thread.objects.filter(title="scribbled over").exists()


def test_other_projects_outlive_a_reset(demo: DemoCredentials) -> None:
    project, _ = open_project("kept", owner=User.objects.create_user("ann"), now=timezone.now())
    call_command("demo", "reset", "--yes", stdout=StringIO())
    assert project.public_id in {row.public_id for row in owned_projects()}


def test_without_a_yes_nothing_is_changed(demo: DemoCredentials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))  # a pipe is not a person
    with pytest.raises(Refused, match="--yes"):
        call_command("demo", "reset", stdout=StringIO())
    assert Api(demo.agent_key).get("/threads").status_code == 200
