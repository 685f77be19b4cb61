"""The forms by which a human speaks: into a thread, to take a constraint back, and to propose a memory."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from memories.models import Memory
from sessions.models import Event
from sessions.windows import close
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, join, make_account, page_of, signed_in, statements
from threads.lifecycle import ThreadWish, create_thread, move_thread
from threads.models import Thread
from threads.vocabulary import ThreadState


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


@pytest.fixture
def thread(cast: Cast) -> Thread:
    with project_scope(cast.dev.acting):
        return create_thread(cast.dev.acting, ThreadWish(title="tide tables"), now=timezone.now())


def say_at(cast: Cast, thread: Thread) -> str:
    return f"{page_of(cast)}threads/{thread.public_id}/say"


def retire_at(cast: Cast, thread: Thread, ref: str) -> str:
    return f"{page_of(cast)}threads/{thread.public_id}/retire?ref={quote(ref, safe='')}"


def hidden(client: Client, path: str, name: str) -> str:
    """The hidden value that a form shows."""
    found = re.search(rf'name="{name}" value="([^"]+)"', client.get(path).content.decode())
    assert found is not None
    return found[1]


def words(client: Client, path: str, **more: str) -> dict[str, str]:
    """What a person sends with the form for speaking."""
    shown = {"client_id": hidden(client, path, "client_id")}
    return {"kind": "message", "text": "use metres", "hearer": "role:dev", **shown, **more}


def event(cast: Cast, seq: int) -> Event:
    with project_scope(cast.owner.acting):
        return Event.objects.select_related("session").get(seq=seq)


def constrained(cast: Cast, client: Client, thread: Thread) -> str:
    """The ref of a constraint that a person has just stated."""
    path = say_at(cast, thread)
    client.post(path, words(client, path, kind="constraint", text="never round"))
    return f"event://{event(cast, 1).session.public_id}/1"


def test_words_are_stored_as_they_were_written(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = say_at(cast, thread)
    maintainer.post(path, words(maintainer, path, text="  line one\r\n\tline two <b>"))
    assert event(cast, 1).text == "  line one\n\tline two <b>"


def test_after_speaking_one_sees_the_words_and_what_happens_next(
    cast: Cast, maintainer: Client, thread: Thread
) -> None:
    path = say_at(cast, thread)
    answer = maintainer.post(path, words(maintainer, path), follow=True)
    html = answer.content.decode()
    assert (answer.redirect_chain[0][1], "The next context packet for the session of dev" in html) == (303, True)
    assert ('id="e1"' in html, "A session was opened for dev" in html) == (True, True)


def test_the_next_packet_carries_what_was_said(cast: Cast, maintainer: Client, thread: Thread) -> None:
    constrained(cast, maintainer, thread)
    body = {"thread_id": thread.public_id, "user_input": {"raw_text": "继续"}}
    packet = cast.dev.client().post("/context", body).json()["packet"]
    assert packet["thread"]["constraints"] == ["never round"]


def test_the_kind_in_the_address_is_chosen(cast: Cast, maintainer: Client, thread: Thread) -> None:
    html = maintainer.get(f"{say_at(cast, thread)}?kind=constraint").content.decode()
    assert re.search(r'value="constraint"[^>]*checked', html)


def test_a_form_that_is_sent_twice_stores_once(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = say_at(cast, thread)
    sent = words(maintainer, path)
    answers = [maintainer.post(path, sent) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0]["Location"] == answers[1]["Location"]


def test_going_back_and_sending_other_words_asks_once_more(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = say_at(cast, thread)
    sent = words(maintainer, path)
    maintainer.post(path, sent)
    refused = maintainer.post(path, {**sent, "text": "other words"})
    fresh = re.search(r'name="client_id" value="([^"]+)"', refused.content.decode())
    assert (refused.status_code, "other words" in refused.content.decode(), fresh is not None) == (409, True, True)
    assert maintainer.post(path, {**sent, "text": "other words", "client_id": fresh[1]}).status_code == 303


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"text": " \n "}, "spaces alone say nothing"),
        ({"text": "keep me", "hearer": "role:nobody"}, "no active contract of this role"),
        ({"text": "keep me", "hearer": "ses_" + "0" * 32}, "takes no more entries"),
        ({"text": "keep me", "kind": "tool_result"}, "tool_result"),
        ({"text": "keep me " * 600, "kind": "constraint"}, "too long for a constraint"),
        ({"text": "keep me", "retires": "event://ses_0/1"}, "Only a correction takes a constraint back"),
        ({"text": "keep me", "kind": "correction", "retires": "event://ses_0/1"}, "no standing constraint"),
    ],
)
def test_an_error_stands_at_its_field_and_the_text_is_kept(
    cast: Cast, maintainer: Client, thread: Thread, *, wrong: dict[str, str], said: str
) -> None:
    path = say_at(cast, thread)
    answer = maintainer.post(path, words(maintainer, path, **wrong))
    html = answer.content.decode()
    assert (answer.status_code, said in html) == (422, True)
    assert wrong["text"].strip() in html


def test_a_session_that_closed_meanwhile_keeps_the_text(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = say_at(cast, thread)
    maintainer.post(path, words(maintainer, path))
    session = event(cast, 1).session
    sent = words(maintainer, path, text="too late", hearer=session.public_id)
    with project_scope(cast.owner.acting):
        close(cast.owner.acting, session, reason="done", now=timezone.now())
    answer = maintainer.post(path, sent)
    assert (answer.status_code, "too late" in answer.content.decode()) == (422, True)


def test_a_thread_that_is_not_open_keeps_the_text(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = say_at(cast, thread)
    sent = words(maintainer, path, text="too late")
    with project_scope(cast.dev.acting):
        move_thread(thread, ThreadState.ARCHIVED, reason="over")
    html = (answer := maintainer.post(path, sent)).content.decode()
    assert (answer.status_code, "This thread is not open" in html, "too late" in html) == (409, True, True)


@pytest.mark.parametrize("page", ["say", "retire?ref=event://ses_0/1"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_viewer_may_not_speak(cast: Cast, thread: Thread, page: str, method: str) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert getattr(viewer, method)(f"{page_of(cast)}threads/{thread.public_id}/{page}").status_code == 403


def test_a_thread_of_another_project_is_not_there(cast: Cast, maintainer: Client) -> None:
    beta = make_cast("beta")
    with project_scope(beta.dev.acting):
        theirs = create_thread(beta.dev.acting, ThreadWish(title="theirs"), now=timezone.now())
    assert maintainer.get(say_at(cast, theirs)).status_code == 404
    assert maintainer.post(say_at(beta, theirs), {"text": "x"}).status_code == 404


def test_a_private_thread_of_another_is_not_there(cast: Cast, maintainer: Client) -> None:
    with project_scope(cast.personal.acting):
        wish = ThreadWish(title="diary", private=True)
        diary = create_thread(cast.personal.acting, wish, now=timezone.now())
    assert maintainer.post(say_at(cast, diary), {"text": "x"}).status_code == 404


def test_speaking_needs_the_form_s_token(cast: Cast, thread: Thread) -> None:
    account = join(make_account(), cast, MembershipLevel.MAINTAINER)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(account)
    assert strict.post(say_at(cast, thread), {"text": "x"}).status_code == 403


def test_a_hostile_title_is_escaped_in_the_form(cast: Cast, maintainer: Client) -> None:
    with project_scope(cast.dev.acting):
        bad = create_thread(cast.dev.acting, ThreadWish(title="<img src=x onerror=alert(1)>"), now=timezone.now())
    assert "<img src=x" not in maintainer.get(say_at(cast, bad)).content.decode()


def test_the_forms_read_in_chinese(cast: Cast, thread: Thread) -> None:
    client = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER), CHINESE)
    assert "<h1>写入线程</h1>" in client.get(say_at(cast, thread)).content.decode()


def test_a_constraint_is_retired_with_a_reason(cast: Cast, maintainer: Client, thread: Thread) -> None:
    ref = constrained(cast, maintainer, thread)
    path = retire_at(cast, thread, ref)
    sent = {"client_id": hidden(maintainer, path, "client_id"), "reason": "the chart needs it"}
    html = maintainer.post(path, sent, follow=True).content.decode()
    stored = event(cast, 2)
    assert (stored.kind, stored.attested_by, stored.meta) == ("correction", "console", {"retires": ref})
    assert ("no longer stands: the next context packet" in html, "It takes this constraint back" in html) == (
        True,
        True,
    )


def test_retiring_needs_a_reason(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = retire_at(cast, thread, constrained(cast, maintainer, thread))
    sent = {"client_id": hidden(maintainer, path, "client_id"), "reason": ""}
    assert maintainer.post(path, sent).status_code == 422


def test_what_was_retired_meanwhile_is_said(cast: Cast, maintainer: Client, thread: Thread) -> None:
    path = retire_at(cast, thread, constrained(cast, maintainer, thread))
    first, second = (hidden(maintainer, path, "client_id") for _ in range(2))
    maintainer.post(path, {"client_id": first, "reason": "a"})
    late = maintainer.post(path, {"client_id": second, "reason": "my reason"})
    assert (late.status_code, "my reason" in late.content.decode()) == (422, True)
    assert "This is no standing constraint" in maintainer.get(path).content.decode()


def test_a_correction_may_name_what_it_takes_back(cast: Cast, maintainer: Client, thread: Thread) -> None:
    ref = constrained(cast, maintainer, thread)
    path = f"{say_at(cast, thread)}?kind=correction&retires={quote(ref, safe='')}"
    sent = words(maintainer, path, kind="correction", retires=ref, hearer=ref.split("/")[2])
    html = maintainer.post(path, sent, follow=True).content.decode()
    assert ("carries the correction" in html, "no longer stands: the next" in html) == (True, True)


def propose_at(cast: Cast, more: str = "") -> str:
    return f"{page_of(cast)}memories/new{more}"


def proposal(client: Client, path: str, **more: str) -> dict[str, str]:
    """What a person sends with the form for a memory."""
    shown = {"key": hidden(client, path, "key"), "content": "The tide tables are in metres."}
    return {**shown, "type": "semantic", "kind": "fact", "sensitivity": "work", **more}


def memory(cast: Cast) -> Memory:
    with project_scope(cast.owner.acting):
        return Memory.objects.get()


def test_a_human_s_own_statement_is_used_and_says_so(cast: Cast, maintainer: Client) -> None:
    path = propose_at(cast)
    html = maintainer.post(path, proposal(maintainer, path), follow=True).content.decode()
    stored = memory(cast)
    assert (stored.status, stored.origin, stored.confidence) == ("active", "user_explicit", None)
    assert ("In use: the next search" in html, "The tide tables are in metres." in html) == (True, True)


def test_the_refs_in_the_address_are_filled_in_and_shown(cast: Cast, maintainer: Client, thread: Thread) -> None:
    ref = constrained(cast, maintainer, thread)
    html = maintainer.get(propose_at(cast, f"?thread={thread.public_id}&ref={quote(ref, safe='')}")).content.decode()
    assert (f'value="{ref}"' in html, "never round" in html, f'"{thread.public_id}" selected' in html) == (True,) * 3


def test_a_memory_s_page_says_which_evidence_opens(cast: Cast, maintainer: Client, thread: Thread) -> None:
    ref = constrained(cast, maintainer, thread)
    path = propose_at(cast)
    sent = proposal(maintainer, path, ref_0=ref, quote_0="never <i>round</i>", thread=thread.public_id)
    html = maintainer.post(path, sent, follow=True).content.decode()
    assert ("never &lt;i&gt;round" in html, "tide tables" in html, "opens nothing" in html) == (True, True, False)


def test_evidence_that_opens_nothing_is_an_error_at_its_field(cast: Cast, maintainer: Client) -> None:
    path = propose_at(cast)
    answer = maintainer.post(path, proposal(maintainer, path, ref_1="event://ses_0/1"))
    html = answer.content.decode()
    error = html.split('id="id_ref_1_error"')[1].split("</p>")[0]
    assert (answer.status_code, "opens nothing for you now" in error) == (422, True)
    assert "The tide tables are in metres." in html


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": "  "},
        {"type": "rumour"},
        {"confidence": "1.5"},
        {"confidence": "nan"},
        {"thread": "thr_" + "0" * 32},
        {"quote_0": "words of nowhere"},
        {"key": "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
    ],
)
def test_a_proposal_that_cannot_be_is_shown_again(cast: Cast, maintainer: Client, wrong: dict[str, str]) -> None:
    path = propose_at(cast)
    assert maintainer.post(path, proposal(maintainer, path, **wrong)).status_code == 422


def test_a_proposal_that_is_sent_twice_is_one(cast: Cast, maintainer: Client) -> None:
    path = propose_at(cast)
    sent = proposal(maintainer, path)
    answers = [maintainer.post(path, sent) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert memory(cast).version == 1


def test_a_private_memory_is_its_writer_s_alone(cast: Cast, maintainer: Client) -> None:
    path = propose_at(cast)
    address = maintainer.post(path, proposal(maintainer, path, private="on"))["Location"]
    other = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    assert (maintainer.get(address).status_code, other.get(address).status_code) == (200, 404)


def test_what_is_learnt_in_a_private_thread_stays_private(cast: Cast, maintainer: Client) -> None:
    mine = private_thread(cast, maintainer)
    path = propose_at(cast, f"?thread={mine.public_id}")
    refused = maintainer.post(path, proposal(maintainer, path, thread=mine.public_id))
    kept = maintainer.post(path, proposal(maintainer, path, thread=mine.public_id, private="on"))
    assert (refused.status_code, kept.status_code) == (422, 303)


def private_thread(cast: Cast, client: Client) -> Thread:
    """A thread that only the signed-in person sees."""
    account = client.session["_auth_user_id"]
    with project_scope(cast.owner.acting):
        actor = Actor.objects.get(user_id=account)
    acting = type(cast.owner.acting)(project_id=cast.project.pk, actor_id=actor.pk, kind=cast.owner.acting.kind)
    with project_scope(acting):
        return create_thread(acting, ThreadWish(title="mine", private=True), now=timezone.now())


def test_a_viewer_may_propose_nothing(cast: Cast) -> None:
    viewer = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    assert viewer.get(propose_at(cast)).status_code == 403


def test_words_behind_closed_evidence_stay_closed(cast: Cast, maintainer: Client) -> None:
    body: dict[str, Any] = {"content": "x", "type": "semantic", "private": False}
    with project_scope(cast.personal.acting):
        diary = create_thread(cast.personal.acting, ThreadWish(title="d", private=True), now=timezone.now())
    client = cast.personal.client()
    session = client.post("/sessions", {"thread_id": diary.public_id, "role": "dev"}).json()["id"]
    client.post(f"/sessions/{session}/events", {"events": [{"client_id": "1", "role": "user", "text": "secret"}]})
    body["evidence"] = [{"ref": f"event://{session}/1", "quote": "my secret words"}]
    made = client.post("/memories", body).json()["id"]
    html = maintainer.get(f"{page_of(cast)}memories/{made}/").content.decode()
    assert ("my secret words" in html, "but not read this source" in html) == (False, True)


def test_the_statements_do_not_grow_with_the_evidence(cast: Cast, maintainer: Client, thread: Thread) -> None:
    ref, path = constrained(cast, maintainer, thread), propose_at(cast)
    few = maintainer.post(path, proposal(maintainer, path, ref_0=ref))["Location"]
    refs = {f"ref_{n}": ref for n in range(20)}
    many = maintainer.post(path, proposal(maintainer, path, content="another", **refs))["Location"]
    counts = [statements(maintainer, address) for address in (few, few, many)][1:]
    assert (counts[0] == counts[1], counts[0] <= 12) == (True, True)
