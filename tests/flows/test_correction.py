"""The correction story: a user corrects a fact, and what was wrong does not come back, by whatever way."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from governance.scope import project_scope
from memories.conflicts import SettleWish, settle, sight
from memories.consolidation import consolidate_due
from memories.models import Conflict, Memory
from memories.retiring import revoke
from memories.vocabulary import Origin, ScopeType, SettlementVerb, WriteAction
from memories.writes import EvidenceWish, Written
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.import_places import Target
from sessions.importing import Importer
from sessions.models import Event
from sessions.runtime import prepare_context
from sessions.speaking import Speech, speak
from sessions.vocabulary import EventKind, EventRole
from tests.cast import Cast
from tests.memories.learning import Desk, auto_cast, read, stated


@dataclass(frozen=True, slots=True)
class Story:
    """What is said, in one language: the old fact, the correction, the new fact, and the question that asks for it."""

    old: str
    correction: str
    new: str
    question: str


ENGLISH = Story(
    old="The staging port is 8080.",
    correction="No, the staging port is 9090.",
    new="The staging port is 9090.",
    question="Which staging port do I use?",
)
CHINESE = Story(
    old="预发环境的端口是 8080。",
    correction="不对，预发环境的端口是 9090。",
    new="预发环境的端口是 9090。",
    question="预发环境的端口是多少？",
)
BOTH = pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["en", "zh"])


@pytest.fixture
def cast(db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return Desk(cast.dev)


def imported(cast: Cast, folder: Path, text: str, *, session: str = "old-1") -> str:
    """Import a transcript in which a user said something in February, and return the ref of it."""
    line = {"session": session, "seq": 1, "role": "user", "kind": "message", "text": text, "ts": "2026-02-02T09:00:00Z"}
    path = folder / f"{session}.jsonl"
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n")
    Importer(cast.owner.acting, Target(role="dev"), now=timezone.now()).read(path)
    with project_scope(cast.owner.acting):
        event = Event.objects.filter(text=text).select_related("session").latest("created_at")
        return f"event://{event.session.public_id}/{event.seq}"


def learnt(cast: Cast, text: str, ref: str, **more: Any) -> Written:
    """Let the agent remember what a user said."""
    return stated(cast.dev, text, evidence=[EvidenceWish(ref=ref)], **more)


def recalled(cast: Cast, desk: Desk, question: str, *, now: datetime | None = None) -> list[str]:
    """Return what the next packet brings back to mind: memories, and what was said in other windows."""
    spoken = InputFact(raw_text=question, input_type="text", timestamp=None, attached_context=None)
    ask = ContextAsk(user_input=spoken, session_id=desk.session.pk)
    packet = prepare_context(ask, acting=cast.dev.acting, now=now or timezone.now())["packet"]
    return [item["content"] for item in packet["retrieved"]]


def in_order(now: datetime | None = None) -> None:
    consolidate_due(count=len, now=now or timezone.now())


def corrected(cast: Cast, desk: Desk, story: Story, old: Memory, *, action: WriteAction) -> Written:
    """Let the user say it in the console, and the agent remember that."""
    said = Speech(kind=EventKind.CORRECTION, text=story.correction, client_id="c1", session_id=desk.session.pk)
    done = speak(cast.owner.acting, desk.session.thread, said, now=timezone.now())
    change = {"target_id": old.pk} if action is WriteAction.UPDATE else {}
    ref = f"event://{done.session.public_id}/{done.event.seq}"
    return learnt(cast, story.new, ref, action=action, **change)


@pytest.mark.parametrize("action", [WriteAction.UPDATE, WriteAction.ADD])
@BOTH
def test_what_was_corrected_does_not_come_back(cast: Cast, tmp_path: Path, story: Story, action: WriteAction) -> None:
    desk = Desk(cast.dev)
    old = learnt(cast, story.old, imported(cast, tmp_path, story.old)).memory
    other = Desk(cast.dev).session.thread_id
    twin = learnt(cast, story.old, desk.said("yes"), scope_type=ScopeType.THREAD, scope_id=other).memory
    assert story.old in recalled(cast, desk, story.question)
    assert corrected(cast, desk, story, old, action=action).outcome == "active"
    assert story.new in recalled(cast, desk, story.question)
    in_order()
    again = learnt(cast, story.old, imported(cast, tmp_path, story.old, session="old-2"))
    later = timezone.now() + timedelta(days=31)
    in_order(later)
    told = recalled(cast, Desk(cast.dev), story.question, now=later)
    assert (again.outcome, again.code) == ("rejected", "superseded_before")
    assert (story.new in told, story.old in told, read(cast.dev, old).status) == (True, False, "archived")
    assert (read(cast.dev, twin).status, read(cast.dev, twin).content) == ("active", story.old)


@BOTH
def test_what_was_settled_acts_on_the_next_packet_and_lasts(
    cast: Cast, desk: Desk, tmp_path: Path, story: Story
) -> None:
    learnt(cast, story.old, imported(cast, tmp_path, story.old), origin=Origin.AGENT_INFERRED)
    assert learnt(cast, story.new, desk.said("ok"), origin=Origin.AGENT_INFERRED).outcome == "conflict"
    with project_scope(cast.owner.acting):
        conflict = Conflict.objects.get()
        seen = sight(conflict, now=timezone.now()).seen_hash
        wish = SettleWish(verb=SettlementVerb.TAKE_NEW, expected_version=conflict.version, seen_hash=seen)
        settle(cast.owner.acting, conflict, wish, now=timezone.now())
    assert recalled(cast, desk, story.question) == [story.new]
    in_order()
    again = imported(cast, tmp_path, story.old, session="old-2")
    assert learnt(cast, story.old, again, origin=Origin.AGENT_INFERRED).code == "superseded_before"
    in_order(timezone.now() + timedelta(days=31))
    assert recalled(cast, desk, story.question) == [story.new]


@BOTH
def test_what_is_revoked_is_gone_with_what_was_made_of_it(cast: Cast, desk: Desk, story: Story) -> None:
    first = learnt(cast, story.old, desk.said("yes")).memory
    child = learnt(cast, f"{story.old} {story.new}", desk.said("so"), parents=[first.pk]).memory
    assert recalled(cast, desk, story.question)
    with project_scope(cast.owner.acting):
        came = revoke(cast.owner.acting, read(cast.owner, first), reason="poisoned", now=timezone.now())
    in_order()
    assert (recalled(cast, desk, story.question), len(came.packets)) == ([], 1)
    assert read(cast.dev, child).archived_for == "parent_revoked"


@BOTH
def test_what_a_packet_carried_is_not_learnt_anew_from_its_echo(cast: Cast, desk: Desk, story: Story) -> None:
    learnt(cast, story.old, desk.said("yes"))
    assert recalled(cast, desk, story.question) == [story.old]
    echo = desk.said(f"notes: {story.old}", role=EventRole.TOOL, kind=EventKind.TOOL_RESULT)
    told = learnt(cast, story.old, echo, origin=Origin.TOOL_OUTPUT)
    assert (told.outcome, told.code) == ("rejected", "echo_of_injected")
