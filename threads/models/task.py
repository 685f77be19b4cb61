from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from governance.vocabulary import Phase, Risk
from threads.vocabulary import TaskState


class Task(ContentRow):
    """A unit of work on a thread, and a node of its DAG."""

    PREFIX: ClassVar[str] = "tsk"

    thread = scoped_fk("threads.Thread")
    title = models.CharField(max_length=300)
    brief = models.TextField(default="", blank=True)
    state = models.CharField(max_length=12, choices=choices(TaskState), default=TaskState.PLANNED)
    phase = models.CharField(max_length=8, choices=choices(Phase), default=Phase.PLAN)
    risk = models.CharField(max_length=8, choices=choices(Risk), default=Risk.LOW)
    next_steps = ArrayField(models.TextField(), default=list, blank=True)
    max_input_tokens = models.PositiveIntegerField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    created_by = scoped_fk("governance.Actor")

    class Meta:
        constraints = [
            one_of("state", TaskState, name="task_state_known"),
            one_of("phase", Phase, name="task_phase_known"),
            one_of("risk", Risk, name="task_risk_known"),
        ]

    def __str__(self) -> str:
        return self.title


class TaskEdge(ContentRow):
    """`task` can start only after `depends_on`. The database refuses a circle."""

    PREFIX: ClassVar[str] = "edg"

    task = scoped_fk("threads.Task")
    depends_on = scoped_fk("threads.Task")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "task", "depends_on"], name="task_edge_once"),
            models.CheckConstraint(
                condition=~models.Q(task=models.F("depends_on")),
                name="task_edge_no_loop",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} after {self.depends_on_id}"
