from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from governance.models.base import ProjectRow, choices, one_of, scoped_fk
from governance.vocabulary import ActorKind, MembershipLevel


class Actor(ProjectRow):
    """One human, agent or system in one project. An agent's first role is the one it acts in when it names none."""

    PREFIX: ClassVar[str] = "act"

    kind = models.CharField(max_length=8, choices=choices(ActorKind))
    name = models.CharField(max_length=200)
    user = models.ForeignKey(
        "governance.User",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="actors",
    )
    owned_by = scoped_fk("governance.Actor", null=True)
    roles = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    persona = scoped_fk("governance.Contract", null=True)
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            one_of("kind", ActorKind, name="actor_kind_known"),
            models.CheckConstraint(
                condition=models.Q(kind=ActorKind.HUMAN) | models.Q(user__isnull=True),
                name="actor_user_is_human",
            ),
            models.UniqueConstraint(fields=["project", "user"], name="actor_one_per_account"),
            models.UniqueConstraint(fields=["project", "kind", "name"], name="actor_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(ProjectRow):
    """What a human may do in a project: viewer < maintainer < owner."""

    PREFIX: ClassVar[str] = "act"

    actor = scoped_fk("governance.Actor")
    level = models.CharField(max_length=12, choices=choices(MembershipLevel))

    class Meta:
        constraints = [
            one_of("level", MembershipLevel, name="membership_level_known"),
            models.UniqueConstraint(fields=["project", "actor"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} {self.level}"
