from typing import Any, ClassVar, override

from django.db import models
from django.db.models import Q

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from memories.vocabulary import SourceType, VectorState


class HalfVector(models.Field):  # type: ignore[type-arg]  # the stubs' parameters do not exist at run time
    """pgvector's vector of half-precision numbers, of any length. Written and compared in SQL alone."""

    @override
    def db_type(self, connection: Any) -> str:
        return "halfvec"


class Embedding(ContentRow):
    """The vector of one passage by one model and version, or that it is waited for.

    What the search asks of a passage is copied here by the database, so that a scan reads no other table. A vector is
    normalised. `due_at` is when somebody may next try; whoever tries moves it, and so holds the row for as long.
    """

    PREFIX: ClassVar[str] = "emb"

    passage = scoped_fk("memories.Passage")
    thread = scoped_fk("threads.Thread", null=True)
    source_type = models.CharField(max_length=12, choices=choices(SourceType))
    said_at = models.DateTimeField()
    confined = models.BooleanField(default=False)  # a memory of one thread, which holds on no other
    live = models.BooleanField(default=True)
    model = models.CharField(max_length=80)
    version = models.CharField(max_length=80)
    dims = models.PositiveSmallIntegerField()
    vector = HalfVector(null=True, blank=True)
    state = models.CharField(max_length=8, choices=choices(VectorState), default=VectorState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=40, default="", blank=True)
    due_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            one_of("state", VectorState, name="embedding_state_known"),
            models.UniqueConstraint(fields=["project", "passage", "model", "version"], name="embedding_once"),
        ]
        indexes = [
            # The exact scan: all of a scope, or of one thread in it, and nothing of anybody else's.
            models.Index(
                fields=["project", "model", "thread"],
                name="embedding_of_scope",
                condition=Q(state=VectorState.READY, live=True),
            ),
            # Whose turn it is, newest first: what is being worked on now is found first.
            models.Index(fields=["-due_at"], name="embedding_due", condition=Q(state=VectorState.PENDING, live=True)),
            models.Index(fields=["model", "version", "state"], name="embedding_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.passage_id} by {self.model}"
