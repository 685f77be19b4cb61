"""The page of one memory, and what people do there: who sees what, what follows, and what moved meanwhile."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.actors import acting_as
from governance.ids import new_id
from governance.models import Actor, AuditEvent, Membership
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from memories.models import Feedback, Injection, Memory, MemoryRead
from memories.retiring import archive
from memories.store_words import Tab, Way
from memories.vocabulary import PENDING, MemoryStatus, Origin, WriteMode
from memories.wishes import EvidenceWish
from tests.cast import Cast, Member, make_cast
from tests.memories.learning import Desk, auto_cast, claim, read, stated
from tests.site.console_cast import CHINESE, ENGLISH, account_of, join, make_account, page_of, signed_in, statements
from threads.titles import graphemes

HOSTILE = "<script>alert(1)</script> & \u202eevil"


@pytest.fixture
def cast(db: None) -> Cast:
    return auto_cast()


@pytest.fixture
def memory(cast: Cast) -> Memory:
    return Desk(cast.dev).learn("The nightly build runs at two.").memory


@pytest.fixture
def owner(cast: Cast) -> Client:
    return signed_in(account_of(cast))


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


@pytest.fixture
def viewer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.VIEWER))


def at(cast: Cast, memory: Memory, more: str = "") -> str:
    return f"{page_of(cast)}memories/{memory.public_id}/{more}"


def html_of(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def seen(client: Client, path: str, **more: str) -> dict[str, str]:
    """What the form at an address would send: its hidden fields, and `more`."""
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html_of(client, path))
    return {**dict(fields), **more}


def do(client: Client, cast: Cast, memory: Memory, way: Way, **more: str) -> Any:
    path = at(cast, memory, f"do/{way}")
    return client.post(path, seen(client, path, **{"reason": "looked at it", **more}))


def held(cast: Cast, content: str = "The staging host is called pelican.") -> Memory:
    """A proposal that waits for a human: an outside source is never taken by itself."""
    desk = Desk(cast.dev)
    memory = desk.learn(content, origin=Origin.TOOL_OUTPUT).memory
    assert memory.status in PENDING
    return memory


@pytest.mark.parametrize("language", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_every_part_is_there_in_both_languages(cast: Cast, memory: Memory, language: dict[str, str]) -> None:
    client = signed_in(account_of(cast), language)
    pages = [client.get(at(cast, memory, f"?tab={tab}")) for tab in Tab]
    shown = {(page.status_code, 'aria-current="page"' in page.content.decode()) for page in pages}
    assert shown == {(200, True)}


def test_the_owner_of_another_project_finds_no_part_of_it(cast: Cast, memory: Memory) -> None:
    other = signed_in(join(make_account(), make_cast("beta"), MembershipLevel.OWNER))
    parts = ["", "?tab=access", "diff", "edit", "do/archive"]
    assert {other.get(at(cast, memory, part)).status_code for part in parts} == {404}


def test_a_private_memory_is_its_owner_s_alone(cast: Cast, owner: Client, maintainer: Client) -> None:
    own = stated(cast.owner, "I am allergic to peanuts.", private=True).memory
    parts = ["", "?tab=versions", "?tab=lineage", "?tab=access", "diff", "edit", "do/erase"]
    others = {maintainer.get(at(cast, own, part)).status_code for part in parts}
    assert (others, owner.get(at(cast, own)).status_code) == ({404}, 200)


def test_a_viewer_is_offered_nothing_to_do(cast: Cast, memory: Memory, viewer: Client) -> None:
    html = html_of(viewer, at(cast, memory))
    assert ("/do/" in html, "disabled" in html, "/say" in html, "/edit" in html) == (False, False, False, False)


def test_a_maintainer_is_told_that_erasing_is_an_owner_s(cast: Cast, memory: Memory, maintainer: Client) -> None:
    html = html_of(maintainer, at(cast, memory))
    assert ("/do/erase" in html, "/do/revoke" in html, "Needs the level owner." in html) == (False, True, True)


@pytest.mark.parametrize(("level", "way"), [("viewer", Way.ARCHIVE), ("maintainer", Way.ERASE)])
def test_a_level_that_is_too_low_is_refused(cast: Cast, memory: Memory, level: str, way: Way) -> None:
    client = signed_in(join(make_account(), cast, MembershipLevel(level)))
    sent = {"version": "1", "status": "active", "reason": "x"}
    answers = {client.get(at(cast, memory, f"do/{way}")).status_code}
    answers.add(client.post(at(cast, memory, f"do/{way}"), sent).status_code)
    assert (answers, read(cast.owner, memory).status) == ({403}, MemoryStatus.ACTIVE)


def test_what_others_wrote_acts_nowhere(cast: Cast, maintainer: Client) -> None:
    memory = held(cast, HOSTILE)
    paths = [at(cast, memory), at(cast, memory, "?tab=versions"), at(cast, memory, "do/admit")]
    pages = [html_of(maintainer, path) for path in [*paths, f"{page_of(cast)}candidates/"]]
    assert [("<script>alert" in page, "\u202e" in page) for page in pages] == [(False, False)] * 4


@pytest.mark.parametrize("part", ["", "?tab=versions", "?tab=lineage", "?tab=access", "diff", "edit", "do/archive"])
def test_the_title_begins_with_its_words(cast: Cast, maintainer: Client, part: str) -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    memory = Desk(cast.dev).learn(f"The\n{family} build <runs> " + "at two and at three " * 5).memory
    [title] = re.findall(r"<title>(.*?)</title>", html_of(maintainer, at(cast, memory, part)), re.DOTALL)
    words, _, rest = unescape(title).partition("… · ")
    assert (words.startswith(f"The {family} build <runs> at two"), len(graphemes(words)), bool(rest)) == (
        True,
        60,
        True,
    )


def test_the_title_of_an_erased_memory_has_no_words(cast: Cast, owner: Client, memory: Memory) -> None:
    do(owner, cast, memory, Way.ERASE)
    assert "<title>Memory · Text and gates · GreyWind</title>" in html_of(owner, at(cast, memory))


def test_that_somebody_read_it_stands_in_the_access_log(cast: Cast, memory: Memory, viewer: Client) -> None:
    viewer.get(at(cast, memory))
    with project_scope(cast.owner.acting):
        reader = MemoryRead.objects.select_related("actor").get(memory=memory).actor.name
    assert f"<bdi>{reader}</bdi>" in html_of(viewer, at(cast, memory, "?tab=access"))


def test_packets_that_carried_it_are_named(cast: Cast, memory: Memory, viewer: Client) -> None:
    packet = new_id()
    with project_scope(cast.owner.acting):
        Injection.objects.create(project=cast.project, memory=memory, packet_id=packet, at=timezone.now())
    assert f"pkt_{packet.hex}" in html_of(viewer, at(cast, memory, "?tab=access"))


def test_in_use_is_not_yet_carried(cast: Cast, memory: Memory, viewer: Client) -> None:
    html = html_of(viewer, at(cast, memory))
    assert ("In use is not yet carried" in html, "No packet has carried it yet." in html) == (True, True)


def test_a_candidate_is_let_in(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    answer = do(maintainer, cast, memory, Way.ADMIT)
    assert (answer.status_code, read(cast.owner, memory).status) == (303, MemoryStatus.ACTIVE)


def test_from_the_inbox_the_next_matter_comes_after_a_decision(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    sent = seen(maintainer, at(cast, memory, "?from=inbox"), reason="no")
    answer = maintainer.post(at(cast, memory, "do/refuse"), sent)
    assert answer["Location"] == f"/inbox?next={memory.public_id}"
    assert f'href="{at(cast, memory)}">Look at what you decided' in html_of(maintainer, "/inbox")


def test_above_the_next_matter_the_message_names_what_was_decided(cast: Cast, maintainer: Client) -> None:
    named = "👩‍👩‍👧" * 60
    memory, following = held(cast, f"{named} The rest."), held(cast)
    sent = seen(maintainer, at(cast, memory, "?from=inbox"))
    answer = maintainer.post(at(cast, memory, "do/admit"), sent, follow=True)
    assert answer.request["PATH_INFO"] == at(cast, following)
    assert f"“\u2068{named}…\u2069” — It is in use: the next search" in answer.content.decode()


def test_on_its_own_page_the_message_names_nothing(cast: Cast, memory: Memory, maintainer: Client) -> None:
    answer = do(maintainer, cast, memory, Way.ARCHIVE)
    assert '">Archived. Nothing finds it' in html_of(maintainer, answer["Location"])


def test_it_is_let_in_from_its_own_page_without_a_word(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    answer = maintainer.post(at(cast, memory, "do/admit"), seen(maintainer, at(cast, memory), reason=""))
    assert (answer.status_code, read(cast.owner, memory).status) == (303, MemoryStatus.ACTIVE)


def test_a_refusal_without_a_reason_keeps_what_was_typed(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    sent = seen(maintainer, at(cast, memory), reason=" ", missing="the output of hostname")
    answer = maintainer.post(at(cast, memory, "do/refuse"), sent)
    assert (answer.status_code, "the output of hostname" in answer.content.decode()) == (422, True)
    assert read(cast.owner, memory).status in PENDING


def test_what_a_change_would_change_stands_beside_it(cast: Cast, maintainer: Client, memory: Memory) -> None:
    change = {"action": "UPDATE", "target_id": memory.pk, "origin": Origin.TOOL_OUTPUT}
    asked = Desk(cast.dev).learn("The nightly build runs at four.", **change).memory
    html = html_of(maintainer, at(cast, asked))
    assert ("</span>two<" in html, "</span>four<" in html) == (True, True)


def test_a_refusal_says_which_evidence_would_help(cast: Cast, maintainer: Client, viewer: Client) -> None:
    memory = held(cast)
    do(maintainer, cast, memory, Way.REFUSE, missing="the output of hostname")
    html = html_of(viewer, at(cast, memory))
    assert ("A human refused it" in html, "the output of hostname" in html) == (True, True)


def test_without_a_reason_nothing_is_done(cast: Cast, memory: Memory, maintainer: Client) -> None:
    answer = do(maintainer, cast, memory, Way.ARCHIVE, reason=" ")
    assert (answer.status_code, read(cast.owner, memory).status) == (422, MemoryStatus.ACTIVE)


def test_it_is_archived_and_comes_back(cast: Cast, memory: Memory, maintainer: Client) -> None:
    do(maintainer, cast, memory, Way.ARCHIVE)
    out = read(cast.owner, memory).status
    do(maintainer, cast, memory, Way.RESTORE)
    assert (out, read(cast.owner, memory).status) == (MemoryStatus.ARCHIVED, MemoryStatus.ACTIVE)


def test_what_moved_meanwhile_keeps_the_text_and_says_so(cast: Cast, memory: Memory, maintainer: Client) -> None:
    path = at(cast, memory, "do/revoke")
    sent = seen(maintainer, path, reason="a typed reason")
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="first", now=timezone.now())
    answer = maintainer.post(path, sent)
    html = answer.content.decode()
    kept = ("a typed reason" in html, 'name="status" value="archived"' in html)
    assert (answer.status_code, kept, read(cast.owner, memory).status) == (409, (True, True), MemoryStatus.ARCHIVED)


def test_before_revoking_it_is_said_how_far_it_came(cast: Cast, memory: Memory, maintainer: Client) -> None:
    packet = new_id()
    cited = [EvidenceWish(ref=memory.ref)]
    made = stated(cast.owner, "Builds are done by three.", evidence=cited).memory
    with project_scope(cast.owner.acting):
        Injection.objects.create(project=cast.project, memory=memory, packet_id=packet, at=timezone.now())
    html = html_of(maintainer, at(cast, memory, "do/revoke"))
    assert (f"pkt_{packet.hex}" in html, made.public_id in html) == (True, True)


def test_a_revoked_one_stays_readable_and_can_only_be_erased(cast: Cast, memory: Memory, owner: Client) -> None:
    do(owner, cast, memory, Way.REVOKE)
    html = html_of(owner, at(cast, memory))
    ways = set(re.findall(r"/do/(\w+)", html))
    assert ("The nightly build runs at two." in html, ways) == (True, {"erase"})


def test_of_an_erased_one_only_that_there_was_one_remains(cast: Cast, memory: Memory, owner: Client) -> None:
    do(owner, cast, memory, Way.ERASE)
    html = html_of(owner, at(cast, memory)) + html_of(owner, at(cast, memory, "?tab=versions"))
    assert ("nightly build" in html, "Its words were erased" in html, "/do/" in html) == (False, True, False)


def test_no_reason_for_something_private_stands_in_the_ledger(cast: Cast, owner: Client) -> None:
    own = stated(cast.owner, "I am allergic to peanuts.", private=True).memory
    do(owner, cast, own, Way.ERASE, reason="peanuts were a mistake")
    with project_scope(cast.owner.acting):
        assert not AuditEvent.objects.filter(reason__contains="peanuts").exists()


def test_a_side_of_a_conflict_is_decided_there(cast: Cast, maintainer: Client) -> None:
    desk = Desk(cast.dev)
    stated(cast.owner, "Port of the gauge: 80", claims=claim("80"))
    side = desk.learn("Port of the gauge: 90", claims=claim("90"), origin=Origin.TOOL_OUTPUT).memory
    html = html_of(maintainer, at(cast, side))
    assert ("It is a side of a conflict" in html, "/do/admit" in html) == (True, False)


def test_saying_it_otherwise_makes_the_new_text_and_keeps_the_old(cast: Cast, maintainer: Client) -> None:
    first = stated(cast.owner, "The retro is on Monday.").memory
    path = at(cast, first, "edit")
    answer = maintainer.post(path, seen(maintainer, path, content="The retro is on Friday.", reason="moved"))
    page = html_of(maintainer, answer["Location"] + "?tab=lineage")
    assert (answer.status_code, "on Monday" in page, "on Friday" in page) == (303, True, True)


def test_another_version_than_the_seen_one_is_not_overwritten(cast: Cast, memory: Memory, maintainer: Client) -> None:
    path = at(cast, memory, "edit")
    sent = seen(maintainer, path, content="The nightly build runs at four.")
    with project_scope(cast.owner.acting):
        archive(cast.owner.acting, memory, reason="first", now=timezone.now())
    answer = maintainer.post(path, sent)
    assert (answer.status_code, "runs at four" in answer.content.decode()) == (409, True)


def test_two_versions_are_compared_by_words(cast: Cast, maintainer: Client) -> None:
    first = stated(cast.owner, "The retro is on Monday.", write_mode=WriteMode.MERGE).memory
    path = at(cast, first, "edit")
    maintainer.post(path, seen(maintainer, path, content="The retro is on Friday."))
    html = html_of(maintainer, at(cast, first, "diff"))
    assert ("</span>Monday<" in html, "</span>Friday<" in html) == (True, True)


def test_versions_that_there_are_none_of_are_not_there(cast: Cast, memory: Memory, owner: Client) -> None:
    asked = ["?from=1&to=9", "?from=x", "?to=0"]
    assert {owner.get(at(cast, memory, f"diff{query}")).status_code for query in asked} == {404}


def test_what_people_say_of_it_stands_beside_it(cast: Cast, memory: Memory, maintainer: Client) -> None:
    answer = maintainer.post(at(cast, memory, "say"), {"kind": "wrong", "note": "it is at three"})
    assert "it is at three" in html_of(maintainer, answer["Location"])


def test_a_viewer_says_nothing_of_it(cast: Cast, memory: Memory, viewer: Client) -> None:
    status = viewer.post(at(cast, memory, "say"), {"kind": "wrong"}).status_code
    with project_scope(cast.owner.acting):
        assert (status, Feedback.objects.exists()) == (403, False)


def test_an_unknown_word_of_feedback_keeps_the_note(cast: Cast, memory: Memory, maintainer: Client) -> None:
    answer = maintainer.post(at(cast, memory, "say"), {"kind": "splendid", "note": "typed with care"})
    assert (answer.status_code, "typed with care" in answer.content.decode()) == (422, True)


def test_a_proposal_is_answered_with_more_evidence(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    path = f"{page_of(cast)}memories/new?answers={memory.public_id}"
    do(maintainer, cast, memory, Way.REFUSE)
    html = html_of(maintainer, path)
    sent = {**seen(maintainer, path), "content": memory.content, "type": "semantic", "kind": "fact"}
    answer = maintainer.post(path, {**sent, "sensitivity": "work"})
    page = html_of(maintainer, answer["Location"] + "?tab=lineage")
    assert (memory.content in html, memory.public_id in page) == (True, True)


def test_the_statements_do_not_grow_with_what_it_has(transactional_db: None) -> None:
    cast = auto_cast()
    maintainer = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    desk = Desk(cast.dev)
    bare = desk.learn("The nightly build runs at two.").memory
    said = [desk.said(f"so it is {n}") for n in range(6)]
    rich = desk.learn("Port of the gauge: 80", *said, claims=claim("80")).memory
    for n in range(4):
        cited = [EvidenceWish(ref=rich.ref)]
        stated(cast.owner, f"Gauge note number {n} is filed.", evidence=cited, parents=[rich.pk])
    maintainer.get(at(cast, bare))
    counts = [[statements(maintainer, at(cast, one, f"?tab={tab}")) for tab in Tab] for one in (bare, rich)]
    assert (counts[0] == counts[1], max(counts[1]) <= 12) == (True, True)


def changed_in_place(cast: Cast) -> tuple[Memory, Memory]:
    """A memory that is kept as one row, and the change that went into the row."""
    desk = Desk(cast.dev)
    kept = desk.learn("The staging host is called pelican.", write_mode=WriteMode.MERGE).memory
    change = desk.learn("The staging host is called heron.", action="UPDATE", target_id=kept.pk).memory
    return kept, change


def test_a_change_is_taken_back_from_the_versions(cast: Cast, maintainer: Client) -> None:
    kept, change = changed_in_place(cast)
    assert at(cast, change, "do/unmerge") in html_of(maintainer, at(cast, kept, "?tab=versions"))
    assert do(maintainer, cast, change, Way.UNMERGE).status_code == 303
    assert read(cast.dev, kept).content == "The staging host is called pelican."


def test_a_change_that_cannot_be_taken_back_says_why(cast: Cast, maintainer: Client) -> None:
    kept, change = changed_in_place(cast)
    Desk(cast.dev).learn("The staging host is called stork.", action="UPDATE", target_id=kept.pk)
    answer = do(maintainer, cast, change, Way.UNMERGE)
    assert (answer.status_code, "Take the later change back first" in answer.content.decode()) == (409, True)


def test_a_former_text_is_said_again_by_an_edit_that_begins_with_it(cast: Cast, maintainer: Client) -> None:
    kept, _ = changed_in_place(cast)
    path = at(cast, kept, "edit?version=1")
    assert path in html_of(maintainer, at(cast, kept, "?tab=versions"))
    assert "called pelican" in html_of(maintainer, path)
    assert "called heron" in html_of(maintainer, at(cast, kept, f"edit?version={'9' * 12}"))


def test_a_proposal_that_waits_is_checked_again(cast: Cast, maintainer: Client) -> None:
    memory = held(cast)
    answer = maintainer.post(at(cast, memory, "do/recheck"), seen(maintainer, at(cast, memory, "do/recheck")))
    assert (answer.status_code, read(cast.dev, memory).status in PENDING) == (303, True)


def kept_by_a_viewer(cast: Cast) -> tuple[Client, Memory]:
    """A viewer, who once was more, with a memory of their own."""
    account = join(make_account(), cast, MembershipLevel.MAINTAINER)
    with project_scope(cast.owner.acting):
        actor = Actor.objects.get(user=account)
    memory = stated(Member(actor, acting_as(actor)), "I read the gauge at six.", private=True).memory
    with project_scope(cast.owner.acting):
        Membership.objects.filter(actor=actor).update(level=MembershipLevel.VIEWER)
    return signed_in(account), memory


def test_a_viewer_says_otherwise_what_they_keep_for_themselves(cast: Cast) -> None:
    client, memory = kept_by_a_viewer(cast)
    assert at(cast, memory, "edit") in html_of(client, at(cast, memory))
    path = at(cast, memory, "edit")
    answer = client.post(path, seen(client, path, content="I read the gauge at seven.", reason="later now"))
    with project_scope(cast.owner.acting):
        actor = Actor.objects.get(pk=memory.proposed_by_id)
    with project_scope(acting_as(actor)):
        said = list(Memory.objects.filter(status="active").values_list("content", "audience"))
    assert (answer.status_code, said) == (303, [("I read the gauge at seven.", "private")])


def test_a_viewer_says_nothing_else_otherwise(cast: Cast, memory: Memory) -> None:
    client, _ = kept_by_a_viewer(cast)
    answers = [client.get(at(cast, memory, "edit")), client.post(at(cast, memory, "edit"), {"content": "no"})]
    assert [answer.status_code for answer in answers] == [403, 403]
