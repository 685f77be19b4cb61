"""What every row of a project has in common, and how rows point at each other without crossing projects."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from governance.ids import new_id, public_id
from governance.vocabulary import Audience


def choices(words: type[StrEnum]) -> list[tuple[str, str]]:
    """Return a field's choices for an enumeration: the stored word is also the shown one."""
    return [(word.value, word.value) for word in words]


def one_of(column: str, words: Iterable[StrEnum], *, name: str, blank: bool = False) -> models.CheckConstraint:
    """Return the constraint that keeps `column` inside its enumeration, also for raw SQL; `blank` lets it be empty."""
    known = [*([""] if blank else []), *map(str, words)]
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": known}), name=name)


def some_of(column: str, words: Iterable[StrEnum], *, name: str) -> models.CheckConstraint:
    """Return the constraint that keeps every entry of the array `column` inside its enumeration, also for raw SQL."""
    return models.CheckConstraint(condition=models.Q(**{f"{column}__contained_by": [*map(str, words)]}), name=name)


def scoped_fk(to: str, *, null: bool = False, **options: Any) -> "models.ForeignKey[Any, Any]":
    """Return a foreign key whose constraint is the composite (project_id, id) one that the migration adds.

    Django knows no composite foreign key, and a plain one sees through row-level security: it would let a row
    of one project point at another's.
    """
    options.setdefault("related_name", "+")
    return models.ForeignKey(
        to,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=null,
        blank=null,
        **options,
    )


class ProjectRow(models.Model):
    """A row that belongs to one project."""

    PREFIX: ClassVar[str]

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    project = models.ForeignKey("governance.Project", on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True

    @property
    def public_id(self) -> str:
        return public_id(self.PREFIX, self.id)


class ContentRow(ProjectRow):
    """A row with content of its own, which only its audience may read."""

    audience = models.CharField(max_length=8, choices=choices(Audience), default=Audience.PROJECT)
    audience_role = models.CharField(max_length=64, null=True, blank=True)
    owner = scoped_fk("governance.Actor", null=True)

    class Meta:
        abstract = True


def reach_of(row: ContentRow) -> dict[str, Any]:
    """Return the audience columns of a row, for a child that is made beside it."""
    return {
        "audience": row.audience,
        "audience_role": row.audience_role,
        "owner_id": row.owner_id,
    }
