"""Migrations applied with fewer renderings make what Django's own executor makes, at once and step by step."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, override

import pytest
from django.core.management import call_command
from django.db import connections, migrations, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import CASCADE, CheckConstraint, ForeignKey, Index, Q, UniqueConstraint
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from greywind_site.migrating import Executor
from tests.databases import as_superuser, unmigrated_database
from tests.governance.rawsql import present_database

KEY = ("id", models.AutoField(primary_key=True))
LONG_KEY = models.BigAutoField(primary_key=True)
NAME = ("name", models.CharField(max_length=20))
OURS = ("agent_sessions", "governance", "memories", "threads")


def to(target: str, **options: Any) -> Any:
    return ForeignKey(f"tried.{target}", CASCADE, **options)


def look(told: list[Any], apps: Any, _editor: object = None) -> None:
    """Tell the fields of all models, those that point to them too, and whether keys lead to the models of today."""
    for model in sorted(apps.get_models(), key=lambda each: each.__name__):
        told.append([model.__name__, *sorted(field.name for field in model._meta.get_fields(include_hidden=True))])
        keys = [field for field in model._meta.fields if field.is_relation]
        told.append([key.related_model is apps.get_model(key.related_model._meta.label) for key in keys])


class Look(Operation):
    """An operation that nobody knows, and that looks at everything."""

    def __init__(self, told: list[Any]) -> None:
        self.told = told

    @override
    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """It changes nothing."""

    @override
    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        look(self.told, to_state.apps)


def chain(told: list[Any]) -> list[list[Operation]]:
    """The operations of five migrations: narrow ones, then all keys to a place change, narrow ones, what is removed."""
    return [
        [
            migrations.CreateModel("Place", [KEY, NAME]),
            migrations.CreateModel("Visit", [KEY, ("at", models.DateField()), ("place", to("place"))]),
            migrations.AddIndex("Visit", Index(fields=["place", "-at"], name="visit_at")),
            migrations.AddConstraint("Visit", UniqueConstraint(fields=["place", "at"], name="visit_once")),
            migrations.RunSQL("ALTER TABLE tried_visit ADD CHECK (at > '2000-01-01')", ""),
        ],
        [
            migrations.AddField("Place", "within", to("place", null=True)),
            migrations.CreateModel("Guest", [KEY, NAME, ("visit", to("visit")), ("home", to("place"))]),
            migrations.AlterField("Visit", "place", to("place", null=True, db_index=False)),
            migrations.AddField("Visit", "hosts", models.ManyToManyField("tried.guest", related_name="hosted")),
            migrations.RemoveIndex("Visit", "visit_at"),
            migrations.AlterField("Place", "name", models.TextField(default="somewhere", db_index=True)),
            migrations.RunPython(partial(look, told)),
        ],
        [Look(told), migrations.AlterField("Place", "id", LONG_KEY), migrations.RenameField("Guest", "name", "called")],
        [
            migrations.AddField("Guest", "seat", models.OneToOneField("tried.place", CASCADE, related_name="sitting")),
            migrations.RemoveConstraint("Visit", "visit_once"),
            migrations.AddConstraint("Guest", CheckConstraint(condition=~Q(called=""), name="guest_called")),
            migrations.AlterModelOptions("Guest", {"ordering": ["called"]}),
            migrations.RunPython(partial(look, told)),
        ],
        [
            migrations.RenameModel("Visit", "Stay"),
            migrations.AlterField("Stay", "id", LONG_KEY),
            migrations.RemoveField("Stay", "hosts"),
            migrations.DeleteModel("Guest"),
        ],
    ]


@dataclass(frozen=True)
class Applied:
    """What an executor did: its statements, what was seen of the models in between, how many of them it rendered."""

    statements: list[str]
    told: list[Any]
    rendered: int


@contextmanager
def counted() -> Iterator[list[str]]:
    """The names of the models that are rendered within the block, as often as they are."""
    rendered: list[str] = []
    render = ModelState.render

    def count(model: ModelState, apps: Any) -> Any:
        rendered.append(model.name)
        return render(model, apps)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelState, "render", count)
        yield rendered


def applied(kind: type[MigrationExecutor]) -> Applied:
    """Apply the chain, and leave nothing of it behind."""
    told: list[Any] = []
    executor, state = kind(connections["owner"]), ProjectState()
    with transaction.atomic("owner"), CaptureQueriesContext(connections["owner"]) as captured, counted() as rendered:
        for number, operations in enumerate(chain(told)):
            migration = migrations.Migration(str(number), "tried")
            migration.operations = operations
            state = executor.apply_migration(state, migration)
        transaction.set_rollback(True, "owner")
    statements = [query["sql"] for query in captured.captured_queries if "tried_" in query["sql"]]
    return Applied(statements, told, len(rendered))


@pytest.mark.django_db(databases=["default", "owner"])
def test_with_fewer_renderings_the_same_is_run_and_seen() -> None:
    ours, djangos = applied(Executor), applied(MigrationExecutor)
    assert (ours.statements, ours.told) == (djangos.statements, djangos.told)
    assert ours.rendered < djangos.rendered


class Asked(Exception):
    """The executor was asked for."""


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_command_applies_by_our_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_: object, **__: object) -> None:
        raise Asked

    monkeypatch.setattr(Executor, "migration_plan", answer)
    with pytest.raises(Asked):
        call_command("migrate", check_unapplied=True)


def schema_of(database: str, file: Path) -> list[str]:
    """What PostgreSQL says of a database, without the word by which each dump is told from all others."""
    as_superuser("pg_dump", "--schema-only", f"--file={file}", database)
    return [line for line in file.read_text().splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]


def step_by_step() -> None:
    """Migrate as an installation that lacks each app's newest migration, then gets it from Django's own executor."""
    early = Executor(connections["owner"])
    graph = early.loader.graph
    newest = [max(node for node in graph.nodes if node[0] == app) for app in OURS]
    late = {node for one in newest for node in graph.backwards_plan(one)}
    plan = early.migration_plan(graph.leaf_nodes())
    early.migrate([], plan=[step for step in plan if (step[0].app_label, step[0].name) not in late])
    MigrationExecutor(connections["owner"]).migrate(newest)


@pytest.mark.slow
def test_step_by_step_makes_what_is_made_at_once(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    with django_db_blocker.unblock():
        with unmigrated_database("steps") as database:
            step_by_step()
            found = schema_of(database, tmp_path / "steps")
        assert found == schema_of(present_database(), tmp_path / "once")
