"""Filling: a row at each place of every table that the planting left empty there, whatever the table is."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connections, models, transaction
from django.db.models import NOT_PROVIDED
from django.utils import timezone

from governance.ids import new_id
from governance.models import AuditEvent, AuditHead, Project
from governance.models.base import ContentRow, ProjectRow
from greywind_site.hunting.leaks.marks import OF_A_ROLE, PRIVATE, SHARED, Mint, Mints, Place
from greywind_site.hunting.leaks.people import ROLES, Crew
from greywind_site.operating.erasing import OWNER

TEXTUAL = (models.CharField, models.TextField)
SHORTEST_MARKED = 24  # characters that a field must hold to take a mark


def project_models() -> list[type[models.Model]]:
    """Return every model whose table carries a project, what others point at first."""
    return [model for model in apps.get_models() if issubclass(model, ProjectRow) or model in (AuditEvent, AuditHead)]


def columns_of(crew: Crew, place: Place) -> dict[str, Any]:
    """Return the columns that put a row at a place."""
    role = ROLES[place.who] if place.audience == OF_A_ROLE else None
    owner = next((m.acting.actor_id for m in crew.everybody if m.number == place.who), None)
    return {
        "audience": {SHARED: "project", OF_A_ROLE: "role", PRIVATE: "private"}[place.audience],
        "audience_role": role,
        "owner_id": owner if place.audience == PRIVATE else None,
    }


def fill(crew: Crew, places: list[Place], *, mints: Mints) -> list[str]:
    """Put a row at each of these places into every table that has none there; returns the tables that needed it."""
    filled = []
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        # The rows belong to no story, so the triggers that watch over stories sleep; what a column may hold is checked.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for model in project_models():
            if model in (AuditEvent, AuditHead):
                continue
            for place in places if issubclass(model, ContentRow) else places[:1]:
                if not _here(model, crew, place).exists():
                    _Filler(model, crew, place, mints.of(place)).row().save(using=OWNER, force_insert=True)
                    filled.append(f"{model._meta.db_table} {place.audience}")  # noqa: SLF001 - documented by Django
    return filled


def _here(model: type[models.Model], crew: Crew, place: Place) -> "models.QuerySet[models.Model]":
    rows = model._default_manager.using(OWNER).filter(project_id=crew.project_id)  # noqa: SLF001 - as above
    return rows.filter(**columns_of(crew, place)) if issubclass(model, ContentRow) else rows


# What was decided in a row of ours was about a version that no page shows: one is decided on once.
OTHER_VERSION = 900


class _Filler:
    """Makes up a row of one model, field by field."""

    PLAIN: ClassVar[list[tuple[Any, Any]]] = [
        (models.BooleanField, lambda: False),
        (models.DateTimeField, timezone.now),
        (models.IntegerField, lambda: 1),
        (models.FloatField, lambda: 0.5),
        (models.UUIDField, new_id),
        (models.BinaryField, lambda: b"x"),
    ]

    def __init__(self, model: type[models.Model], crew: Crew, place: Place, mint: Mint) -> None:
        self.model, self.crew, self.place, self.mint = model, crew, place, mint

    def row(self) -> models.Model:
        """Return a row at the place; every text of it holds a mark."""
        return self.model(**dict(self._values()))

    def _values(self) -> Iterator[tuple[str, Any]]:
        yield "project_id", self.crew.project_id
        if issubclass(self.model, ContentRow):
            yield from columns_of(self.crew, self.place).items()
        for field in self.model._meta.concrete_fields:  # noqa: SLF001 - as above
            if field.name not in ("id", "project", "audience", "audience_role", "owner"):
                value = self._value(field)
                if value is not NOT_PROVIDED:
                    yield field.attname, value

    def _value(self, field: "models.Field[Any, Any]") -> Any:
        if isinstance(field, models.ForeignKey):
            return NOT_PROVIDED if field.null else self._target(field)
        if field.choices:
            return field.default if field.has_default() else field.choices[0][0]
        if field.name in ("seen_version", "after_version"):
            return OTHER_VERSION
        if isinstance(field, (ArrayField, models.JSONField, *TEXTUAL)):
            return self._spoken(field)
        if field.has_default() or field.null:
            return NOT_PROVIDED
        return next(make() for kind, make in self.PLAIN if isinstance(field, kind))

    def _spoken(self, field: "models.Field[Any, Any]") -> Any:
        if isinstance(field, models.JSONField):
            return {"note": self.mint.word()}
        if not isinstance(field, ArrayField):
            return self._text(field)
        return [self._text(field.base_field)] if isinstance(field.base_field, TEXTUAL) else []

    def _text(self, field: "models.Field[Any, Any]") -> str:
        return self.mint.word() if (field.max_length or SHORTEST_MARKED) >= SHORTEST_MARKED else "x"

    def _target(self, field: "models.ForeignKey[Any, Any]") -> Any:
        model = field.related_model
        if model is Project:
            return self.crew.project_id
        near = list(_here(model, self.crew, self.place)[:1]) or list(
            _here(model, self.crew, Place(self.crew.number))[:1]
        )
        if not near:
            raise LookupError(f"{self.model.__name__}.{field.name} needs a {model.__name__}, and there is none")
        return near[0].pk
