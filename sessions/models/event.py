from collections.abc import Iterator, Sequence
from itertools import batched
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models.query import ModelIterable

from governance.models.base import ContentRow, choices, one_of, scoped_fk
from sessions.models.segment import STAYS_WARM, texts_of
from sessions.vocabulary import AttestedBy, EventKind, EventRole

ERASED = "erased"  # the key of `meta` that marks an entry whose content was erased
AT_ONCE = 1_000  # entries whose texts are fetched together


class WholeEntries(ModelIterable):  # type: ignore[type-arg]  # it takes none where it runs
    """The entries of a query, each with its text, wherever that rests."""

    def __iter__(self) -> Iterator["Event"]:
        for rows in batched(super().__iter__(), AT_ONCE):
            _give_texts(rows, using=self.queryset.db)
            yield from rows


class EventQuerySet(models.QuerySet["Event"]):
    """Entries come with their texts, also with those that rest in cold segments: one statement more for all of them.

    A condition on `text` sees the column alone, which is empty where a text rests. So would a row of values: one with
    `text` is refused.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._iterable_class = WholeEntries

    def saying(self) -> Self:
        """Return those that say something, wherever it rests: the others are empty, or were erased."""
        return self.exclude(text="", segment=None)

    def only(self, *fields: str) -> Self:
        """As Django's; with a text comes what finds it."""
        return super().only(*fields, *(("segment", "seq") if "text" in fields else ()))

    def _values(self, *fields: Any, **expressions: Any) -> Self:
        """Through here go `values` and `values_list`, whoever reads them then, and be it a statement around them."""
        rows: Self = super()._values(*fields, **expressions)  # type: ignore[misc]  # Django's own, and not in its stubs
        if "text" in rows.query.values_select:
            raise TypeError("a text may rest in a cold segment, where no row of values finds it; fetch entries")
        return rows


def _give_texts(rows: Sequence["Event"], *, using: str) -> None:
    """Give the entries whose texts rest in segments what they said; nothing is moved."""
    whole = [row for row in rows if "text" in row.__dict__]  # of the others it was not asked for
    texts = texts_of(((row.segment_id, row.seq) for row in whole), using=using)
    for row in whole if texts else ():
        row.text = texts.get((row.segment_id, row.seq), row.text)


class Event(ContentRow):
    """One transcript entry: append-only, numbered without gaps inside its session.

    `text` is what a packet shows; an oversized tool result is head, tail and a ref here and whole in `artifact`. Once
    the session is sealed, `segment` may hold the text: the column is empty then, and whoever fetches the entry gets it.
    The token columns count `seams.block_body(text)` and its newline. `occurred_at` is null when nobody said.
    """

    PREFIX: ClassVar[str] = "evt"

    # No index of its own: the planner would take it for the tail of a session, and sort the whole session each time.
    session = scoped_fk("agent_sessions.Session", db_index=False)
    seq = models.PositiveIntegerField()
    client_id = models.CharField(max_length=200)
    attempt = scoped_fk("agent_sessions.Attempt", null=True)
    actor = scoped_fk("governance.Actor")
    role = models.CharField(max_length=12, choices=choices(EventRole))
    kind = models.CharField(max_length=24, choices=choices(EventKind))
    text = models.TextField(blank=True)
    tool = models.CharField(max_length=200, default="", blank=True)
    failed = models.BooleanField(null=True, blank=True)
    attested_by = models.CharField(max_length=12, choices=choices(AttestedBy), default=AttestedBy.AGENT)
    artifact = scoped_fk("agent_sessions.Artifact", null=True)
    tokens_o200k = models.PositiveIntegerField()
    tokens_cl100k = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=80)
    meta = models.JSONField(default=dict, blank=True)
    occurred_at = models.DateTimeField(null=True, blank=True)
    # No index of its own: a segment tells its span, and most entries are in none.
    segment = scoped_fk("agent_sessions.ColdSegment", null=True, db_index=False)

    objects = EventQuerySet.as_manager()

    class Meta:
        base_manager_name = "objects"  # a text that is fetched later comes through the same door
        constraints = [
            one_of("role", EventRole, name="event_role_known"),
            one_of("kind", EventKind, name="event_kind_known"),
            one_of("attested_by", AttestedBy, name="event_attested_known"),
            models.UniqueConstraint(fields=["project", "session", "seq"], name="event_seq_once"),
            models.UniqueConstraint(fields=["project", "session", "client_id"], name="event_client_id_once"),
            models.CheckConstraint(condition=models.Q(seq__gte=1), name="event_seq_from_one"),
            models.CheckConstraint(
                condition=models.Q(segment=None)
                | (models.Q(text="") & ~models.Q(kind__in=[str(kind) for kind in STAYS_WARM])),
                name="event_rests_once",
            ),
        ]
        indexes = [
            # Standing constraints are gathered on every compile; they are few among many events.
            models.Index(
                fields=["project", "session", "seq"],
                condition=models.Q(kind__in=["constraint", "correction"]),
                name="event_constraints",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.seq} {self.kind}"

    @property
    def erased(self) -> bool:
        """Whether its content was erased: that it was said stays, what was said does not."""
        return ERASED in self.meta and not self.text
