"""The console's pages over HTTP."""

import os
import re
import subprocess
import uuid
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from governance.ids import public_id
from governance.models import AuditEvent, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.models import ContextPacket
from tests.api.test_statements import CONTROL
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, PASSWORD, join, make_account, page_of, signed_in
from threads.models import Thread


@pytest.fixture
def account(transactional_db: None) -> User:
    return make_account()


@pytest.fixture
def cast(account: User) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def viewer(account: User, cast: Cast) -> User:
    return join(account, cast, MembershipLevel.VIEWER)


def sign_in(client: Client, account: User, password: str = PASSWORD, **more: str):
    return client.post("/sign-in", {"username": account.username, "password": password, **more})


def worked(cast: Cast, text: str = "build the parser") -> None:
    """One request of an agent, which opens a thread and leaves a packet."""
    assert cast.dev.client().post("/context", {"user_input": {"raw_text": text}}).status_code == 200


def starved(cast: Cast) -> None:
    """One request whose required content does not fit."""
    body = {"user_input": {"raw_text": "do it " * 400}, "budget": {"max_input_tokens": 60}}
    assert cast.dev.client().post("/context", body).status_code == 422


@pytest.mark.parametrize("path", ["/", "/p/prj_00/"])
def test_a_stranger_is_asked_to_sign_in(db: None, client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, f"/sign-in?next={path}")


def test_the_right_password_opens_the_console(account: User, client: Client) -> None:
    assert sign_in(client, account)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_signing_in_changes_the_session(account: User, client: Client) -> None:
    client.cookies["sessionid"] = before = "x" * 32
    sign_in(client, account)
    assert client.cookies["sessionid"].value != before


def test_signing_out_closes_the_console(account: User) -> None:
    client = signed_in(account)
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert client.get("/").status_code == 302


def test_signing_out_is_not_a_link(account: User) -> None:
    assert signed_in(account).get("/sign-out").status_code == 405


def refusal_of(answer) -> str:
    found = re.search(r'role="alert"[^>]*>(.*?)</div>', answer.content.decode(), re.DOTALL)
    assert found is not None
    return found[1].strip()


@pytest.mark.parametrize("closed", [False, True])
def test_a_refusal_does_not_say_whether_there_is_such_an_account(account: User, closed: bool) -> None:
    User.objects.filter(pk=account.pk).update(is_active=not closed)
    client = Client(headers=ENGLISH)
    wrong = sign_in(client, account, PASSWORD if closed else "wrong")
    unknown = sign_in(client, User(username=f"nobody-{uuid.uuid4()}"))
    assert (wrong.status_code, refusal_of(wrong)) == (unknown.status_code, refusal_of(unknown))


def test_the_sixth_try_waits_even_with_the_right_password(account: User, client: Client) -> None:
    answers = [sign_in(client, account, "wrong").status_code for _ in range(5)]
    late = sign_in(client, account)
    assert (answers, late.status_code) == ([422] * 5, 429)
    assert 0 < int(late["Retry-After"]) <= 15


def test_a_wait_is_the_same_for_a_name_that_nobody_has(db: None) -> None:
    client, nobody = Client(headers=ENGLISH), User(username=f"nobody-{uuid.uuid4()}")
    assert [sign_in(client, nobody).status_code for _ in range(6)] == [422] * 5 + [429]


def test_other_names_do_not_wait(account: User, client: Client) -> None:
    for _ in range(6):
        sign_in(client, User(username=f"{account.username}-not"), "wrong")
    assert sign_in(client, account).status_code == 302


def test_nobody_signs_in_uncounted(account: User, client: Client, settings) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "unix:///nowhere/valkey.sock",
        }
    }
    answer = sign_in(client, account)
    assert (answer.status_code, "_auth_user_id" in client.session) == (503, False)


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_elsewhere(account: User, client: Client, target: str) -> None:
    assert sign_in(client, account, next=target)["Location"] == "/"


def test_signing_in_goes_on_to_where_one_wanted(viewer: User, cast: Cast, client: Client) -> None:
    assert sign_in(client, viewer, next=page_of(cast))["Location"] == page_of(cast)


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example"])
def test_a_choice_of_look_never_leads_elsewhere(db: None, client: Client, target: str) -> None:
    assert client.post("/look", {"look": "dark", "next": target})["Location"] == "/"


def test_a_form_without_its_token_is_refused_with_our_page(account: User) -> None:
    answer = Client(enforce_csrf_checks=True, headers=ENGLISH).post("/sign-in", {"username": account.username})
    assert answer.status_code == 403
    assert "The form is out of date" in answer.content.decode()


def test_home_lists_the_projects_with_the_level(viewer: User, cast: Cast) -> None:
    make_cast("beta")
    page = signed_in(viewer).get("/").content.decode()
    assert (page.count('class="row-link"'), "viewer" in page, f'href="{page_of(cast)}"' in page) == (1, True, True)


def test_home_without_a_project_says_what_to_do(account: User) -> None:
    page = signed_in(account).get("/").content.decode()
    assert "You are in no project yet" in page
    assert f"<strong>{account.username}</strong>" in page


@pytest.mark.parametrize("level", list(MembershipLevel))
def test_every_member_sees_threads_and_packets(account: User, cast: Cast, level: MembershipLevel) -> None:
    worked(cast)
    page = signed_in(join(account, cast, level)).get(page_of(cast)).content.decode()
    assert page.count("build the parser") == 2


def test_a_refused_packet_is_marked_and_says_what_did_not_fit(viewer: User, cast: Cast) -> None:
    starved(cast)
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    assert "badge-refused" in page
    assert re.search(r"needs [\d,]+, room for [\d,]+", page)


def test_the_bar_shows_what_the_figures_say(viewer: User, cast: Cast) -> None:
    worked(cast)
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    with project_scope(cast.owner.acting, read_only=True):
        packet = ContextPacket.objects.get()
    width = max(1, round(100 * packet.used / packet.input_cap))
    assert f"{packet.used:,} / {packet.input_cap:,}" in page
    assert f'class="gauge-used" x="0" y="0" width="{width}"' in page


def test_a_private_thread_of_another_is_not_there(viewer: User, cast: Cast) -> None:
    made = cast.personal.client().post("/threads", {"title": "diary of nobody else", "private": True})
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    assert (made.status_code, "diary" in page) == (201, False)


def test_a_thread_for_a_role_shows_to_those_who_hold_it(viewer: User, cast: Cast) -> None:
    with project_scope(cast.dev.acting):
        for role in ("dev", "tester"):
            Thread.objects.create(
                project=cast.project,
                title=f"for {role}",
                audience="role",
                audience_role=role,
                created_by=cast.dev.actor,
            )
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    assert ("for dev" in page, "for tester" in page) == (True, False)


def test_titles_are_escaped(viewer: User, cast: Cast) -> None:
    cast.dev.client().post("/threads", {"title": "<script>alert(1)</script>"})
    assert "<script>" not in signed_in(viewer).get(page_of(cast)).content.decode()


def test_an_empty_project_says_how_to_begin(viewer: User, cast: Cast) -> None:
    page = signed_in(viewer).get(page_of(cast)).content.decode()
    assert ("No open thread yet" in page, "No packet yet" in page, f'href="{page_of(cast)}start"' in page) == (
        True,
    ) * 3


FAKE_CURL = r"""curl() {
  printf '%s\0' "$@" "END" >>"$ASKED"
  printf '{"packet_id": "PKT", "session": {"id": "SES"}}'
}"""


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_the_commands_to_copy_are_valid_requests(
    viewer: User, cast: Cast, language: dict[str, str], tmp_path: Path
) -> None:
    shown = signed_in(viewer, language).get(f"{page_of(cast)}start").context["ways"][0].text
    asked = tmp_path / "asked"
    told = {**os.environ, "ASKED": str(asked), "GREYWIND_KEY": "gw_key"}
    subprocess.run(["sh", "-c", f"{FAKE_CURL}\n{shown}"], env=told, capture_output=True, check=True)
    calls = [call.split("\0")[:-1] for call in asked.read_text().split("END\0")[:-1]]
    assert all("Authorization: Bearer gw_key" in call for call in calls)
    paths, client = [call[call.index("-X") + 2] for call in calls], cast.dev.client()
    base = "http://testserver/api/v1"
    assert paths == [f"{base}/context", f"{base}/sessions/SES/events", f"{base}/context/PKT/outcome"]
    bodies = [call[call.index("-d") + 1] for call in calls]
    packet = client.post("/context", bodies[0]).json()
    assert client.post(f"/sessions/{packet['session']['id']}/events", bodies[1]).status_code == 201
    assert client.post(f"/context/{packet['packet_id']}/outcome", bodies[2]).status_code == 201


def test_a_foreign_project_reads_like_none(viewer: User, cast: Cast) -> None:
    beta, client = make_cast("beta"), signed_in(viewer)
    unknown = f"/p/{public_id('prj', uuid.uuid4())}/"
    answers = [client.get(path) for path in (page_of(beta), unknown, "/p/prj_x/", "/nowhere")]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert len({answer.content for answer in answers}) == 1


def test_a_foreign_project_costs_what_none_costs(viewer: User, cast: Cast) -> None:
    beta, client = make_cast("beta"), signed_in(viewer)
    assert queries(client, page_of(beta)) == queries(client, f"/p/{public_id('prj', uuid.uuid4())}/")


def test_a_member_who_was_switched_off_is_an_outsider(viewer: User, cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        viewer.actors.update(active=False)
    assert signed_in(viewer).get(page_of(cast)).status_code == 404


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get(path)
    return len([query for query in captured if not CONTROL.match(query["sql"])])


def test_the_number_of_queries_does_not_grow_with_the_rows(viewer: User, cast: Cast) -> None:
    client = signed_in(viewer)
    empty = queries(client, page_of(cast))
    for matter in ("build the parser", "你好，谈谈发布说明", "paint the fence green"):
        worked(cast, matter)
    assert (queries(client, page_of(cast)), empty <= 12) == (empty, True)


def test_looking_writes_no_ledger_entry(viewer: User, cast: Cast) -> None:
    worked(cast)
    before = ledger(cast)
    client = signed_in(viewer)
    assert {client.get(path).status_code for path in ("/", page_of(cast))} == {200}
    assert ledger(cast) == before


def ledger(cast: Cast) -> int:
    with project_scope(cast.owner.acting, read_only=True):
        return AuditEvent.objects.count()


@pytest.mark.parametrize("path", ["/", "page"])
def test_private_pages_are_kept_by_no_cache(viewer: User, cast: Cast, path: str) -> None:
    answer = signed_in(viewer).get(page_of(cast) if path == "page" else path)
    assert "no-store" in answer["Cache-Control"]
    assert {"Cookie", "Accept-Language"} <= set(answer["Vary"].split(", "))


@pytest.mark.parametrize(("language", "tag"), [(CHINESE, "zh-hans"), (ENGLISH, "en")])
def test_a_page_says_its_language(db: None, language: dict[str, str], tag: str) -> None:
    assert f'<html lang="{tag}"' in Client(headers=language).get("/sign-in").content.decode()


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_chosen_look_stays(db: None, client: Client, look: str) -> None:
    client.post("/look", {"look": look, "next": "/sign-in"})
    assert f'data-look="{look}"' in client.get("/sign-in").content.decode()


def test_an_invented_look_is_ignored(db: None, client: Client) -> None:
    client.post("/look", {"look": '"><script>', "next": "/sign-in"})
    assert 'data-look="auto"' in client.get("/sign-in").content.decode()


@pytest.mark.parametrize("path", ["/sign-in", "/nowhere", "/api/v1/docs"])
def test_the_policy_allows_nothing_inline(db: None, client: Client, path: str) -> None:
    policy = client.get(path)["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_times_are_shown_in_the_account_s_zone(viewer: User, cast: Cast) -> None:
    worked(cast)
    User.objects.filter(pk=viewer.pk).update(time_zone="Asia/Tokyo")
    assert "Last activity (Asia/Tokyo)" in signed_in(viewer).get(page_of(cast)).content.decode()


def test_an_unknown_zone_is_utc(viewer: User, cast: Cast) -> None:
    worked(cast)
    User.objects.filter(pk=viewer.pk).update(time_zone="../etc/passwd")
    assert "Last activity (UTC)" in signed_in(viewer).get(page_of(cast)).content.decode()


def test_a_failure_shows_a_page_in_both_languages(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greywind_site.console.account_views.SignIn.get_context_data", lambda _self: 1 / 0)
    answer = Client(raise_request_exception=False).get("/sign-in")
    page = answer.content.decode()
    assert (answer.status_code, "Something failed" in page, "服务器出错了" in page) == (500, True, True)
