"""Migrations forwards, without rendering every model again for each operation.

Beside the schema Django keeps the models as they are at that moment. When one changes, it renders that model again and
all that are related to it. Here, where everything belongs to a project, that is nearly every model, some 350 times
over: five sixths of a first start. But most operations look at their own model and at the tables that its keys point
to, and at nothing else. In a migration of such operations only the model that changes is rendered. All others are then
what Django calls delayed, and it renders them anew before Python runs and after the last migration.

A migration with any other operation is applied as Django applies it, and so is every one backwards.
"""

from typing import override

from django.db import migrations
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

# By exact type: what another operation looks at, a subclass of these included, nobody has asked.
NARROW = frozenset(
    {
        migrations.CreateModel,
        migrations.AlterModelOptions,
        migrations.AddField,
        migrations.AddIndex,
        migrations.RemoveIndex,
        migrations.AddConstraint,
        migrations.RemoveConstraint,
        migrations.RunPython,
    }
)


def is_narrow(operation: Operation) -> bool:
    """Tell whether an operation looks at no model but its own, and at no keys that point to it."""
    if type(operation) is migrations.AlterField:
        # A key can only point to a unique column. The columns of many-to-many stand in a model of their own.
        return not (operation.field.unique or operation.field.many_to_many)
    if type(operation) is migrations.RunSQL:
        return not operation.state_operations
    return type(operation) in NARROW


class State(ProjectState):
    """A state that renders a changed model alone while `narrow` is true."""

    narrow = False

    @override
    def reload_model(self, app_label: str, model_name: str, delay: bool = False) -> None:
        if not self.narrow:
            super().reload_model(app_label, model_name, delay)
        elif "apps" in self.__dict__:  # hasattr would render all of them
            self.is_delayed = True
            self.apps.unregister_model(app_label, model_name)
            self.apps.render_multiple([self.models[app_label, model_name]])


class Executor(MigrationExecutor):
    """Django's executor, with a state that renders no more than a migration looks at."""

    @override
    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        # Django hands in its own state first. Its models know each other by a registry that only it keeps up to date,
        # so they are left behind.
        mine = state if isinstance(state, State) else State(state.models, state.real_apps)
        mine.narrow = all(map(is_narrow, migration.operations))
        if not mine.narrow:
            mine.clear_delayed_apps_cache()
        return super().apply_migration(mine, migration, fake=fake, fake_initial=fake_initial)
