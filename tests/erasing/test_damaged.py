"""A compressed part of a transcript that does not open stops no erasure: it stays shut, and whoever asked is told."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections, transaction
from django.utils import timezone

from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from greywind_site.erasing.person import Erased, erase_person
from sessions.cooling import cool, thaw
from sessions.models import ColdSegment, Event, Session
from sessions.models.segment import WITHHELD, SegmentDamaged
from sessions.vocabulary import EventRole
from sessions.windows import close
from tests.cast import Cast, Member, make_cast
from tests.governance.rawsql import owner
from tests.governing import joined
from tests.memories.learning import Desk

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
SPOKEN = "please move the xqcanaryx gauge to pier four"


class Archive:
    """A session of Bo's agent and one of somebody else's, both sealed and compressed; one of them is damaged."""

    def __init__(self) -> None:
        self.cast: Cast = make_cast()
        bo = joined(self.cast, "bo", MembershipLevel.MAINTAINER)
        with project_scope(self.cast.owner.acting):
            Actor.objects.filter(pk=self.cast.dev.actor.pk).update(owned_by=bo.actor_id)
        self.theirs = self.resting(self.cast.dev, (SPOKEN, EventRole.USER), ("It is moved.", EventRole.ASSISTANT))
        self.others = self.resting(self.cast.tester, (f"It was said: {SPOKEN}", EventRole.ASSISTANT))

    def resting(self, member: Member, *said: tuple[str, EventRole]) -> Session:
        desk = Desk(member)
        for text, role in said:
            desk.said(text, role=role)
        with project_scope(member.acting):
            session = Session.objects.get(pk=desk.session.pk)
            close(member.acting, session, reason="done", now=timezone.now())
            cool(session, now=timezone.now())
        return session

    def damage(self, session: Session, content: str = "substr(content, 1, 9)") -> bytes:
        """Write other bytes into a session's segment, as a failing disk would; returns what stood there."""
        with owner() as link, link.transaction():
            link.execute("SET LOCAL session_replication_role = replica")
            where = "WHERE session_id = %s"
            [(before,)] = link.execute(f"SELECT content FROM agent_sessions_coldsegment {where}", [session.pk])
            link.execute(f"UPDATE agent_sessions_coldsegment SET content = {content} {where}", [session.pk])
        return bytes(before)

    def segment(self, session: Session) -> ColdSegment:
        with project_scope(self.cast.owner.acting):
            return ColdSegment.objects.get(session=session)

    def texts(self, session: Session) -> list[str]:
        with project_scope(self.cast.owner.acting):
            return [row.text for row in Event.objects.filter(session=session).order_by("seq")]


def gone() -> Erased:
    [done] = erase_person("bo", reason="asked to be forgotten", now=timezone.now())
    return done


@pytest.fixture
def archive() -> Archive:
    return Archive()


def test_all_else_is_erased_and_what_could_not_be_searched_stays_shut_though_it_is_whole_again(
    archive: Archive,
) -> None:
    whole = archive.damage(archive.others)
    [told] = gone().damaged
    assert (told.session, told.first, told.last, told.emptied) == (archive.others.public_id, 1, 1, False)
    assert archive.texts(archive.theirs) == ["", "It is moved."]
    archive.damage(archive.others, f"'\\x{whole.hex()}'")
    with pytest.raises(SegmentDamaged, match="so they stay shut"):
        archive.texts(archive.others)


def test_what_holds_their_words_is_emptied_and_brought_back_whole_it_does_not_say_them(archive: Archive) -> None:
    kept, whole = archive.segment(archive.theirs).sha256, archive.damage(archive.theirs)
    [told] = gone().damaged
    assert (told.session, told.last, told.emptied) == (archive.theirs.public_id, 2, True)
    assert bytes(archive.segment(archive.theirs).content) == b""
    archive.damage(archive.theirs, f"'\\x{whole.hex()}', sha256 = '{kept}'")
    assert archive.texts(archive.theirs) == ["", "It is moved."]
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        thaw(ColdSegment.objects.using("owner").filter(session=archive.theirs))
    assert archive.texts(archive.theirs) == ["", "It is moved."]


def test_the_command_says_it_plainly_before_and_after_and_is_no_success(archive: Archive) -> None:
    archive.damage(archive.others)
    shown, facts = StringIO(), StringIO()
    call_command("erase", "--person", "bo", "--reason", "asked", "--dry-run", "--json", stdout=facts)
    [project] = json.loads(facts.getvalue())["projects"]
    assert project["damaged"] == [{"session": archive.others.public_id, "first": 1, "last": 1, "emptied": False}]
    assert archive.segment(archive.others).sha256 != WITHHELD
    with pytest.raises(SystemExit, match="1"):
        call_command("erase", "--person", "bo", "--reason", "asked", "--yes", stdout=shown)
    words = " ".join(shown.getvalue().split())
    assert ("Not everything could be searched" in words, archive.others.public_id in words) == (True, True)
