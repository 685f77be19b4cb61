"""The pages of a session, of artifacts, and the way from a ref to them."""

from dataclasses import dataclass
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from governance.models import AuditEvent
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.cooling import cool
from sessions.lifecycle import OpenWish, ProviderWish, open_or_resume
from sessions.models import Session
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttestedBy, EventKind, EventRole, InterruptionKind
from sessions.windows import close, interrupt
from tests.cast import Cast, Member, make_cast
from tests.factories import LARGE
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements
from threads.lifecycle import ThreadWish, create_thread, move_thread
from threads.models import Thread
from threads.vocabulary import ThreadState


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.VIEWER))


@pytest.fixture
def maintainer(cast: Cast) -> Client:
    return signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))


@dataclass(frozen=True, slots=True)
class Place:
    """A session, and the address of its page."""

    session: Session
    path: str


def opened(cast: Cast, *, by: Member | None = None, private: bool = False) -> Place:
    """A session of the dev with a running attempt."""
    maker, now = by or cast.dev, timezone.now()
    with project_scope(maker.acting):
        thread = create_thread(maker.acting, ThreadWish(title="tide tables", private=private), now=now)
        wish = OpenWish(role="dev", provider=ProviderWish(harness="codex", external_id="px-1"))
        session = open_or_resume(maker.acting, thread, wish, now=now).session
    return Place(session, f"{page_of(cast)}sessions/{session.public_id}/")


def said(n: int, text: str = "", **more: object) -> NewEvent:
    fields = {"role": EventRole.USER, "attested_by": AttestedBy.HARNESS, **more}
    return NewEvent(client_id=f"c-{n}", kind=fields.pop("kind", EventKind.MESSAGE), text=text or f"words {n}", **fields)


def tell(cast: Cast, place: Place, *events: NewEvent, by: Member | None = None) -> None:
    maker = by or cast.dev
    with project_scope(maker.acting):
        append(maker.acting, place.session.pk, events, now=timezone.now())


def result(n: int, text: str, *, failed: bool = False) -> NewEvent:
    return said(n, text, role=EventRole.TOOL, kind=EventKind.TOOL_RESULT, tool="bash", failed=failed)


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_three_ids_stand_apart(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    html = page(viewer, place.path)
    snippets = [html.split(f'id="{name}"')[1].split(">")[1].split("<")[0] for name in ("session-id", "provider-1")]
    assert snippets == [place.session.public_id, "px-1"]
    assert 'id="attempt-id">att_' in html


def test_an_attempt_says_which_contracts_it_keeps(cast: Cast, viewer: Client) -> None:
    html = page(viewer, opened(cast).path)
    assert ("dev r1</a>" in html, "default r1</a>" in html, "dev-alpha" in html) == (True, True, True)


def test_a_running_attempt_goes_on(cast: Cast, viewer: Client) -> None:
    assert "its next request goes on in it" in page(viewer, opened(cast).path)


def test_an_interrupted_session_can_be_resumed_in_its_harness(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    with project_scope(cast.dev.acting):
        session = Session.objects.get(pk=place.session.pk)
        interrupt(cast.dev.acting, session, kind=InterruptionKind.PROCESS_EXIT, reason="power", now=timezone.now())
    html = page(viewer, place.path)
    assert ("own session is alive and can be resumed" in html, "power" in html) == (True, True)


def test_a_resume_that_would_fail_says_what_is_missing(cast: Cast, viewer: Client) -> None:
    with project_scope(cast.dev.acting):
        thread = create_thread(cast.dev.acting, ThreadWish(title="t"), now=timezone.now())
        session = open_or_resume(cast.dev.acting, thread, OpenWish(role="dev"), now=timezone.now()).session
        interrupt(cast.dev.acting, session, kind=InterruptionKind.PROCESS_EXIT, reason="", now=timezone.now())
    html = page(viewer, f"{page_of(cast)}sessions/{session.public_id}/")
    alert = html.split('role="alert"')[1].split("</div>")[0]
    assert all(word in alert for word in ("A resume would fail", "a transcript", "a work summary", "a handoff"))


def test_a_closed_session_takes_no_more_words(cast: Cast, maintainer: Client) -> None:
    place = opened(cast)
    with project_scope(cast.dev.acting):
        session = Session.objects.get(pk=place.session.pk)
        close(cast.dev.acting, session, reason="done", now=timezone.now())
    html = page(maintainer, place.path)
    assert ("This session is over" in html, f"session={place.session.public_id}" in html) == (True, False)


def test_what_was_compressed_reads_as_before_and_is_counted(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "修好潮汐表"), said(2, "Never round.", kind=EventKind.CONSTRAINT), result(3, "x\n" * 30))
    with project_scope(cast.dev.acting):
        session = Session.objects.get(pk=place.session.pk)
        close(cast.dev.acting, session, reason="done", now=timezone.now())
    before = page(viewer, place.path)
    with project_scope(cast.dev.acting):
        cool(session, now=timezone.now())
    html = page(viewer, place.path)
    shown, shown_before = (told.split('id="transcript"')[1].split("</main>")[0] for told in (html, before))
    assert (shown, "修好潮汐表" in shown) == (shown_before, True)
    assert ("compressed: 2 entries" in html, "compressed" in before) == (True, False)


def test_the_latest_entries_come_first_and_stand_in_order(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, *[said(n) for n in range(1, 61)])
    html = page(viewer, place.path)
    assert ('id="e10"' in html, 'id="e11"' in html) == (False, True)
    assert html.index('id="e11"') < html.index('id="e60"')


def test_the_parts_of_a_transcript_add_up(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, *[said(n) for n in range(1, 131)])
    seen, path = [], place.path
    while path:
        answer = viewer.get(path)
        seen = [entry.seq for entry in answer.context["entries"].entries] + seen
        path = answer.context["pages"].get("earlier")
    assert seen == list(range(1, 131))


def test_going_forward_sees_every_entry_once(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, *[said(n) for n in range(1, 131)])
    seen, path = [], f"{place.path}?after=0"
    while path:
        answer = viewer.get(path)
        seen += [entry.seq for entry in answer.context["entries"].entries]
        path = answer.context["pages"].get("later")
    assert seen == list(range(1, 131))


def test_a_jump_leads_to_the_entry(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, *[said(n) for n in range(1, 61)])
    answer = viewer.get(f"{place.path}?jump=7&size=50")
    assert answer["Location"] == f"{place.path}?size=50&seq=7#e7"
    assert 'id="e7" aria-current="true"' in page(viewer, answer["Location"].split("#")[0])


def test_a_filter_keeps_one_kind(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1), result(2, "ok"), said(3, kind=EventKind.CONSTRAINT))
    found = viewer.get(f"{place.path}?kind=constraint").context["entries"].entries
    assert [entry.seq for entry in found] == [3]


def test_a_filter_that_matches_nothing_can_be_cleared(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1))
    assert "No entry here matches the filter" in page(viewer, f"{place.path}?kind=screen")


@pytest.mark.parametrize("query", ["seq=x", "before=-1", "size=201", "after=99999999999", "jump=%EF%BC%91"])
def test_an_address_that_nobody_was_given_is_not_there(cast: Cast, viewer: Client, query: str) -> None:
    assert viewer.get(f"{opened(cast).path}?{query}").status_code == 404


def test_a_fragment_is_the_transcript_alone(cast: Cast, viewer: Client) -> None:
    answer = viewer.get(opened(cast).path, headers={"HX-Request": "true"})
    assert (b"<html" in answer.content, b'id="transcript"' in answer.content) == (False, True)


def test_a_failed_result_and_its_artifact_are_marked(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, result(1, LARGE, failed=True))
    html = page(viewer, place.path)
    assert ("entry-failed" in html, "the whole is kept as an artifact" in html) == (True, True)


def test_words_of_others_are_escaped_and_hide_nothing(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "<script>alert(1)</script>\u202egnp"), result(2, "</pre><img src=x onerror=alert(1)>"))
    html = page(viewer, place.path)
    assert ("<script>alert" in html, "<img" in html.split("</header>")[1], "⟦U+202E⟧gnp" in html) == (
        False,
        False,
        True,
    )


def test_a_very_long_entry_is_shown_in_part(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "长" * 300_000))
    html = page(viewer, place.path)
    assert (len(html) < 60_000, "more characters are not shown here" in html) == (True, True)


def test_a_standing_constraint_can_be_retired_by_those_who_may(cast: Cast, viewer: Client, maintainer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "never round", kind=EventKind.CONSTRAINT))
    shown = ["Retire this constraint" in page(client, place.path) for client in (viewer, maintainer)]
    assert shown == [False, True]


def test_nobody_is_offered_to_write_into_a_thread_that_is_not_open(cast: Cast, maintainer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "never round", kind=EventKind.CONSTRAINT))
    with project_scope(cast.dev.acting):
        move_thread(Thread.objects.get(), ThreadState.ARCHIVED, reason="over")
    html = page(maintainer, place.path)
    assert ("Write into this thread" in html, "Retire this constraint" in html) == (False, False)


def test_a_viewer_is_offered_no_deed(cast: Cast, viewer: Client) -> None:
    html = page(viewer, opened(cast).path)
    assert ("Write into this thread" in html, "Propose a memory" in html) == (False, False)


def test_the_statements_do_not_grow_with_the_entries(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    few = statements(viewer, place.path)
    tell(cast, place, *[said(n) for n in range(1, 101)], result(101, LARGE), said(102, kind=EventKind.CONSTRAINT))
    assert (statements(viewer, f"{place.path}?size=200"), few <= 13) == (few, True)


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_a_session_reads_in_both_languages(cast: Cast, language: dict[str, str]) -> None:
    place = opened(cast)
    tell(cast, place, said(1), result(2, LARGE, failed=True))
    client = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER), language)
    heading = {"zh-CN": "dev 的会话", "en": "Session of dev"}[language["Accept-Language"]]
    assert f"<h1>{heading}</h1>" in page(client, place.path)


def test_a_private_session_is_not_there_for_others(cast: Cast, viewer: Client) -> None:
    place = opened(cast, by=cast.personal, private=True)
    unknown = place.path.replace(place.session.public_id, "ses_" + "0" * 32)
    answers = [viewer.get(path) for path in (place.path, unknown, place.path.replace("ses_", "ses-"))]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert len({answer.content for answer in answers}) == 1


def test_a_session_of_another_project_is_not_there(cast: Cast, viewer: Client) -> None:
    beta = make_cast("beta")
    place = opened(beta)
    assert viewer.get(place.path).status_code == 404
    assert viewer.get(f"{page_of(cast)}sessions/{place.session.public_id}/").status_code == 404


def artifact_of(cast: Cast, place: Place, text: str = LARGE) -> str:
    """The address of the artifact behind a large tool result."""
    body = {"session_id": place.session.public_id, "content": text}
    stored = cast.dev.client().post("/artifacts", body).json()
    return f"{page_of(cast)}artifacts/{stored['id']}/"


def test_an_artifact_is_read_in_parts_of_lines(cast: Cast, viewer: Client) -> None:
    path = artifact_of(cast, opened(cast), "\n".join(f"line {n}" for n in range(1, 301)))
    first = viewer.get(path)
    second = viewer.get(first.context["next"])
    assert ('id="L200"' in first.content.decode(), 'id="L201"' in second.content.decode()) == (True, True)
    assert (second.context["next"], second.context["previous"]) == ("", f"{path}?unit=lines&offset=0")


def test_a_long_line_is_read_by_tokens(cast: Cast, viewer: Client) -> None:
    path = artifact_of(cast, opened(cast), "word " * 20_000)
    html = page(viewer, path)
    by_tokens = viewer.get(viewer.get(path).context["by_other_unit"])
    assert ("more characters" in html, by_tokens.context["next"] != "", len(html) < 30_000) == (True, True, True)


def test_words_are_found_in_an_artifact_and_lead_to_their_lines(cast: Cast, viewer: Client) -> None:
    path = artifact_of(cast, opened(cast), "\n".join(f"潮位 line {n}" for n in range(1, 301)))
    first = viewer.get(path, {"q": "LINE  2"})
    second = viewer.get(f"{path}{first.context['finds'].next}").context["finds"]
    found = first.context["finds"]
    assert (found.total, found.first, found.last, second.first) == (111, 1, 20, 21)
    assert "<mark>line 2</mark>" in first.content.decode()
    assert 'id="L20"' in page(viewer, f"{path}{found.lines[1].address}")


@pytest.mark.parametrize("q", ["x" * 201, "nowhere"])
def test_a_search_that_finds_nothing_says_so(cast: Cast, viewer: Client, q: str) -> None:
    html = page(viewer, f"{artifact_of(cast, opened(cast))}?q={q}")
    assert ("No line holds these words" in html, "at most 200 characters" in html) == (len(q) < 201, len(q) > 200)


def test_an_artifact_says_where_it_came_from(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1), result(2, LARGE))
    artifact = viewer.get(place.path).context["entries"].entries[1].artifact_id
    assert f'href="{place.path}?seq=2#e2"' in page(viewer, f"{page_of(cast)}artifacts/{artifact}/")


def test_reading_an_artifact_is_in_the_ledger_and_a_page_is_not(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    path = artifact_of(cast, place)
    before = ledger(cast)
    page(viewer, place.path)
    page(viewer, path)
    assert ledger(cast) - before == 1


def ledger(cast: Cast) -> int:
    with project_scope(cast.owner.acting, read_only=True):
        return AuditEvent.objects.count()


def evidence(cast: Cast, ref: str, more: str = "") -> str:
    return f"{page_of(cast)}evidence/?ref={quote(ref, safe='')}{more}"


def test_the_ref_of_an_event_leads_to_its_place(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    answer = viewer.get(evidence(cast, f"event://{place.session.public_id}/4-9"))
    assert answer["Location"] == f"{place.path}?seq=4#e4"


def test_the_ref_of_lines_leads_to_the_first_of_them(cast: Cast, viewer: Client) -> None:
    path = artifact_of(cast, opened(cast))
    artifact = path.split("/")[-2]
    answer = viewer.get(evidence(cast, f"artifact://{artifact}#l=40,20"))
    assert answer["Location"] == f"{path}?offset=40&limit=20#L41"


def test_what_has_no_page_of_its_own_is_shown_as_text(cast: Cast, viewer: Client) -> None:
    ref = viewer.get(opened(cast).path).context["card"].attempts[0].pinned[0].ref
    assert "calm and exact" in page(viewer, evidence(cast, ref))


def test_an_entry_is_read_whole_in_parts(cast: Cast, viewer: Client) -> None:
    place = opened(cast)
    tell(cast, place, said(1, "\n".join(f"row {n}" for n in range(4_000))))
    html = page(viewer, evidence(cast, f"event://{place.session.public_id}/1", "&as=text&offset=3990"))
    assert ("row 3995" in html, "See it in its place" in html) == (True, True)


@pytest.mark.parametrize("ref", ["", "nonsense", "https://example.com/x", "event://ses_00/1", "javascript:alert(1)"])
def test_a_ref_that_opens_nothing_is_not_there(cast: Cast, viewer: Client, ref: str) -> None:
    assert viewer.get(evidence(cast, ref)).status_code == 404


def test_the_text_of_a_private_entry_is_not_there_for_others(cast: Cast, viewer: Client) -> None:
    place = opened(cast, by=cast.personal, private=True)
    tell(cast, place, said(1), by=cast.personal)
    assert viewer.get(evidence(cast, f"event://{place.session.public_id}/1", "&as=text")).status_code == 404
