"""What the page of a thread shows: its intent, its demands, its work, and the packets compiled for it."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, IntegerField, OuterRef, Subquery, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, JSONObject

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import public_id
from governance.invisible import made_visible
from governance.scope import project_scope
from governance.vocabulary import Audience, Destination
from sessions.context.vocabulary import CountMethod
from sessions.fallen import fallen_among, said_now, texts_in
from sessions.handoffs import parts_of
from sessions.models import Attempt, ContextPacket, Event, Handoff, ProviderSession, Session
from sessions.reading import constraints_of, event_place
from sessions.reading import place_in as place_of_event
from sessions.thread_lines import (
    BindingLine,
    Demand,
    HandoffLine,
    PacketLine,
    Place,
    SessionLine,
    ThreadPage,
    VisionLine,
    Words,
)
from sessions.thread_timeline import history_of
from sessions.vocabulary import AttestedBy, EventKind, SessionState
from threads.models import Binding, Thread, Vision
from threads.task_reading import board_of
from threads.vision_reading import edits_in, waiting_edits
from threads.vocabulary import ThreadState, ThreadType, VisionSource

MOST_VERSIONS, MOST_DEMANDS, MOST_SESSIONS, MOST_HANDOFFS, MOST_BINDINGS, MOST_PACKETS = 20, 200, 50, 10, 50, 20


def thread_page(acting: Acting, project: str, thread_id: uuid.UUID) -> ThreadPage:
    """Read the page of a thread in one snapshot; raises NotThere for one that the actor may not see.

    `project` is the public id that addresses begin with.
    """
    with project_scope(acting, read_only=True):
        thread = Thread.objects.filter(pk=thread_id).annotate(ties=_ties(), edits=waiting_edits()).first()
        if thread is None:
            raise NotThere
        timeline, lineage = history_of(project, thread)
        return ThreadPage(
            thread=thread,
            title=Words.of(thread.title),
            tags=[made_visible(tag) for tag in thread.tags],
            type=ThreadType(thread.type),
            state=ThreadState(thread.state),
            private=thread.audience == Audience.PRIVATE,
            visions=_visions(thread),
            waiting=edits_in(thread.edits),
            demands=_demands(thread),
            board=board_of(thread),
            sessions=_sessions(thread),
            handoffs=_handoffs(thread),
            bindings=[_binding(tie) for tie in thread.ties],
            packets=_packets(thread),
            lineage=lineage,
            timeline=timeline,
        )


def _ties() -> ArraySubquery:
    tied = Binding.objects.filter(thread=OuterRef("pk")).order_by("created_at", "id")
    tie = JSONObject(channel="channel", page="page", destination="destination")
    return ArraySubquery(tied.values_list(tie)[:MOST_BINDINGS])


def _binding(tie: Mapping[str, str]) -> BindingLine:
    channel, page = made_visible(tie["channel"]), made_visible(tie["page"])
    return BindingLine(channel, page, Destination(tie["destination"]))


def _visions(thread: Thread) -> list[VisionLine]:
    rows = Vision.objects.filter(thread=thread).select_related("author", "decided_by").order_by("-version")
    return [
        VisionLine(
            version=row.version,
            source=VisionSource(row.source),
            goal=Words.of(row.origin_goal),
            origin=place_in(row.origin_ref),
            done_when=_all_words(row.done_when),
            non_goals=_all_words(row.non_goals),
            priorities=_all_words(row.user_priorities),
            quality_bar=Words.of(row.quality_bar) if row.quality_bar else None,
            author=made_visible(row.author.name),
            at=row.created_at,
            proposal=public_id("prp", row.proposal_id) if row.proposal_id else "",
            decider=made_visible(row.decided_by.name) if row.decided_by else "",
        )
        for row in rows[:MOST_VERSIONS]
    ]


def place_in(ref: str) -> Place | None:
    """Return where an event's ref leads, or None for a ref of another kind. A range leads to its first entry."""
    scheme, _, rest = ref.partition("://")
    session, _, seqs = rest.partition("/")
    first = seqs.partition("-")[0]
    return Place(ref, session, first) if scheme == "event" and session and first.isdecimal() else None


def _demands(thread: Thread) -> list[Demand]:
    """Which demands hold is decided in one place; here each gets its speaker and moment."""
    standing = {row.ref for row in constraints_of(thread)}
    sessions = {place_of_event(ref)[0] for ref in standing}
    rows = (
        Event.objects.filter(session__in=sessions, kind=EventKind.CONSTRAINT)
        .order_by("-created_at", "-seq")
        .select_related("actor")
    )
    found = [(event_place(row.session_id, row.seq), row) for row in rows]
    return [_demand(ref, row) for ref, row in found if ref in standing][:MOST_DEMANDS]


def _demand(ref: str, row: Event) -> Demand:
    session = public_id("ses", row.session_id)
    return Demand(
        text=Words.of(row.text),
        place=Place(ref, session, str(row.seq)),
        by=made_visible(row.actor.name),
        attested_by=AttestedBy(row.attested_by),
        at=row.occurred_at or row.created_at,
    )


def _sessions(thread: Thread) -> list[SessionLine]:
    attempts = Attempt.objects.filter(session=OuterRef("pk")).order_by()
    tokens = Event.objects.filter(session=OuterRef("pk")).order_by()
    outside = ProviderSession.objects.filter(session=OuterRef("pk")).order_by("-created_at", "-id")
    rows = (
        Session.objects.filter(thread=thread)
        .annotate(
            number=_one(attempts.values("session").annotate(x=Count("pk"))),
            tokens=_one(tokens.values("session").annotate(x=Sum("tokens_o200k"))),
            outside=Subquery(outside.values(x=JSONObject(harness="harness", id="external_id"))[:1]),
            at=Coalesce("last_event_at", "created_at"),
        )
        .order_by("-at", "-id")
        .values(
            "id", "role", "state", "task_id", "task__title", "number", "outside", "last_event_at", "head_seq", "tokens"
        )
    )
    return [_session(row) for row in rows[:MOST_SESSIONS]]


def _one(rows: Any) -> Coalesce:
    return Coalesce(Subquery(rows.values("x"), output_field=IntegerField()), 0)


def _session(row: Mapping[str, Any]) -> SessionLine:
    outside = row["outside"]
    return SessionLine(
        id=public_id("ses", row["id"]),
        role=row["role"],
        state=SessionState(row["state"]),
        task_id=public_id("tsk", row["task_id"]) if row["task_id"] else None,
        task=Words.of(row["task__title"]) if row["task__title"] else None,
        attempts=row["number"],
        provider=made_visible(f"{outside['harness']} · {outside['id']}") if outside else "",
        last_event_at=row["last_event_at"],
        entries=row["head_seq"],
        tokens=row["tokens"],
    )


def _handoffs(thread: Thread) -> list[HandoffLine]:
    rows = Handoff.objects.filter(from_session__thread=thread).select_related("from_session", "to_session")
    latest = list(rows.order_by("-created_at", "-id")[:MOST_HANDOFFS])
    fallen = fallen_among(text for row in latest for text in texts_in(parts_of(row)))
    return [
        HandoffLine(
            id=row.public_id,
            at=row.created_at,
            from_id=row.from_session.public_id,
            from_role=row.from_session.role,
            to_id=row.to_session.public_id if row.to_session else None,
            to_role=row.to_session.role if row.to_session else None,
            next_actor=made_visible(row.next_actor),
            summary=Words.of(said["summary"]),
            unfinished=_all_words(said["unfinished_items"]),
            risks=_all_words(said["risks"]),
            suggestion=Words.of(said["resume_suggestion"]),
        )
        for row, said in ((row, said_now(parts_of(row), fallen)) for row in latest)
    ]


def _packets(thread: Thread) -> list[PacketLine]:
    # Of the decisions only the method: the whole is large, and it is not shown here.
    rows = (
        ContextPacket.objects.filter(thread=thread)
        .annotate(method=KT("decisions__budget__method"))
        .order_by("-created_at", "-id")
        .values("id", "created_at", "role", "used", "input_cap", "refused", "method")
    )
    return [
        PacketLine(
            id=public_id("pkt", row["id"]),
            at=row["created_at"],
            role=row["role"],
            used=row["used"],
            cap=row["input_cap"],
            method=CountMethod(row["method"]) if row["method"] else None,
            refused=row["refused"],
        )
        for row in rows[:MOST_PACKETS]
    ]


def _all_words(texts: Sequence[str]) -> list[Words]:
    return [Words.of(text) for text in texts]
