"""Pages about projects, agents, keys, members and the own account."""

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session as BrowserSession
from django.test import Client
from django.utils import timezone

from governance.agents import add_agent
from governance.ids import public_id
from governance.keys import find_key, mint
from governance.models import Actor, ApiKey, AuditEvent, Membership, Project, User
from governance.people import invite
from governance.scope import project_scope
from governance.vocabulary import KeyScope, MembershipLevel
from sessions.least_packet import least_tokens
from tests.cast import Api, Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, PASSWORD, join, make_account, page_of, signed_in, statements

SECRET = re.compile(r"gw_[a-z0-9]{8}_[A-Za-z0-9_-]{43}")
ONE_TIME = re.compile(r"[a-z2-9]{5}(?:-[a-z2-9]{5}){3}")
NEW_AGENT = {"name": "scribe", "first_role": "dev", "other_roles": ["tester"], "key": "harness"}
NEW_KEY = {"name": "laptop", "preset": "harness", "expires": "90"}
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def owner(cast: Cast) -> Client:
    return at_level(cast, MembershipLevel.OWNER)


def at_level(cast: Cast, level: MembershipLevel, language: dict[str, str] = ENGLISH) -> Client:
    """A browser in which a fresh member of this level is signed in."""
    return signed_in(join(make_account(), cast, level), language)


def seen(page: str) -> str:
    """The mark that the form of a page sends back."""
    found = re.search(r'name="seen" value="([0-9a-f]*)"', page)
    assert found is not None
    return found[1]


def text_of(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def dev_page(cast: Cast) -> str:
    return f"{page_of(cast)}agents/{cast.dev.actor.public_id}/"


def key_of(cast: Cast) -> ApiKey:
    with project_scope(cast.owner.acting, read_only=True):
        return ApiKey.objects.get(actor=cast.dev.actor)


def key_page(cast: Cast, what: str) -> str:
    return f"{page_of(cast)}keys/{key_of(cast).public_id}/{what}"


def member_page(cast: Cast, account: User) -> str:
    with project_scope(cast.owner.acting, read_only=True):
        actor = Actor.objects.get(user=account)
    return f"{page_of(cast)}members/{actor.public_id}/"


def ledger_of(cast: Cast) -> list[AuditEvent]:
    with project_scope(cast.owner.acting, read_only=True):
        return list(AuditEvent.objects.order_by("seq"))


def pages_of(cast: Cast) -> dict[str, MembershipLevel]:
    """Every page of this module below a project, with the level that opens it."""
    base, viewer, owner = page_of(cast), MembershipLevel.VIEWER, MembershipLevel.OWNER
    return {
        f"{base}agents/": viewer,
        dev_page(cast): viewer,
        f"{base}members/": viewer,
        f"{base}settings": owner,
        f"{base}agents/new": owner,
        f"{dev_page(cast)}keys/new": owner,
        key_page(cast, "rotate"): owner,
        key_page(cast, "revoke"): owner,
        f"{base}members/invite": owner,
        f"{base}members/{cast.owner.actor.public_id}/": owner,
    }


@pytest.mark.parametrize("level", list(MembershipLevel))
def test_a_page_opens_from_its_level_on(cast: Cast, level: MembershipLevel) -> None:
    client, pages = at_level(cast, level), pages_of(cast)
    found = {path: client.get(path).status_code for path in pages}
    order = list(MembershipLevel)
    assert found == {path: 200 if order.index(level) >= order.index(needed) else 403 for path, needed in pages.items()}


def test_a_stranger_is_asked_to_sign_in_on_every_page(cast: Cast, client: Client) -> None:
    paths = [*pages_of(cast), "/projects/new", "/account", "/account/password"]
    assert {client.get(path)["Location"] for path in paths} == {f"/sign-in?next={path}" for path in paths}


def test_another_project_s_owner_finds_nothing_on_any_page(cast: Cast) -> None:
    stranger = at_level(make_cast("beta"), MembershipLevel.OWNER)
    answers = [stranger.get(path) for path in pages_of(cast)]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1


def test_another_project_s_agent_reads_like_none(cast: Cast, owner: Client) -> None:
    beta = make_cast("beta")
    paths = [
        f"{page_of(cast)}agents/{name}/" for name in (beta.dev.actor.public_id, public_id("act", uuid.uuid4()), "x")
    ]
    answers = [owner.get(path) for path in paths]
    assert [answer.status_code for answer in answers] == [404] * 3
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_every_page_renders_in_both_languages(cast: Cast, language: dict[str, str]) -> None:
    client = at_level(cast, MembershipLevel.OWNER, language)
    paths = [*pages_of(cast), "/projects/new", "/account", "/account/password"]
    assert {client.get(path).status_code for path in paths} == {200}


@pytest.mark.parametrize("level", [MembershipLevel.VIEWER, MembershipLevel.MAINTAINER])
@pytest.mark.parametrize("part", ["agents/", "members/", "dev"])
def test_only_those_who_act_hear_why_a_button_is_refused(cast: Cast, level: MembershipLevel, part: str) -> None:
    page = text_of(at_level(cast, level), dev_page(cast) if part == "dev" else page_of(cast) + part)
    assert "/new" not in page
    assert ("Needs the level owner." in page) == (level == MembershipLevel.MAINTAINER)


@pytest.mark.parametrize("part", ["agents/", "members/"])
def test_the_number_of_queries_does_not_grow_with_the_rows(cast: Cast, owner: Client, part: str) -> None:
    few = statements(owner, page_of(cast) + part)
    crowd(cast)
    assert (statements(owner, page_of(cast) + part), few <= 12) == (few, True)


def test_members_and_agents_are_taken_out_without_a_secret(cast: Cast) -> None:
    viewer = at_level(cast, MembershipLevel.VIEWER)
    files = {part: viewer.get(f"{page_of(cast)}{part}/?as=jsonl").getvalue() for part in ("members", "agents")}
    members, keys = ([json.loads(line) for line in text.splitlines()] for text in files.values())
    assert {row["level"] for row in members} == {"owner", "viewer"}
    assert {(row["name"], row["state"]) for row in keys} >= {(cast.dev.actor.name, "live")}
    assert not SECRET.search(str(files))


def test_an_agent_s_page_asks_a_fixed_number_of_times(cast: Cast, owner: Client) -> None:
    few = statements(owner, dev_page(cast))
    for matter in ("build the parser", "你好，谈谈发布说明"):
        assert cast.dev.client().post("/context", {"user_input": {"raw_text": matter}}).status_code == 200
    assert (statements(owner, dev_page(cast)), few <= 12) == (few, True)


def crowd(cast: Cast) -> None:
    """More agents, keys and members."""
    with project_scope(cast.owner.acting):
        for number in range(5):
            agent = add_agent(cast.owner.acting, f"agent {number}", roles=("dev",), now=timezone.now())
            mint(agent, scopes=list(KeyScope))
    for _ in range(5):
        join(make_account(), cast, MembershipLevel.VIEWER)


# Projects


def test_anyone_signed_in_may_make_a_project_and_owns_it(transactional_db: None) -> None:
    account = make_account()
    answer = signed_in(account).post("/projects/new", {"name": "灰风 notes", "language": "en"})
    assert (answer.status_code, answer["Location"].endswith("/start")) == (303, True)
    assert "灰风 notes" in text_of(signed_in(account), "/")


def test_a_name_that_cannot_be_is_kept_beside_its_reason(transactional_db: None) -> None:
    answer = signed_in(make_account()).post("/projects/new", {"name": "turn\u202eed", "language": "en"})
    page = answer.content.decode()
    assert (answer.status_code, "turn\u202eed" in page, 'id="id_name_error"' in page) == (422, True, True)


def test_settings_are_stored_and_leave_an_entry(cast: Cast, owner: Client) -> None:
    path = f"{page_of(cast)}settings"
    form = {"name": "renamed", "max_input_tokens": "900", "seen": seen(text_of(owner, path))}
    assert owner.post(path, form).status_code == 303
    with project_scope(cast.owner.acting, read_only=True):
        project = Project.objects.get()
    assert (project.name, project.max_input_tokens) == ("renamed", 900)
    assert [entry.verb for entry in ledger_of(cast)][-2:] == ["project.rename", "project.limit"]


def test_settings_that_moved_are_not_overwritten(cast: Cast, owner: Client) -> None:
    path = f"{page_of(cast)}settings"
    old = seen(text_of(owner, path))
    owner.post(path, {"name": "first", "max_input_tokens": "", "seen": old})
    answer = owner.post(path, {"name": "second", "max_input_tokens": "", "seen": old})
    page = answer.content.decode()
    assert (answer.status_code, 'value="second"' in page, "<bdi>first</bdi>" in page) == (409, True, True)


def test_a_limit_below_what_every_packet_holds_is_refused_with_the_figure(cast: Cast, owner: Client) -> None:
    path = f"{page_of(cast)}settings"
    with project_scope(cast.owner.acting, read_only=True):
        least = least_tokens()
    assert least is not None
    form = {"name": "alpha", "seen": seen(text_of(owner, path))}
    answer = owner.post(path, form | {"max_input_tokens": str(least.tokens - 1)})
    page = answer.content.decode()
    assert (answer.status_code, f"{least.tokens} tokens" in page, f"“{least.role}”" in page) == (422, True, True)
    assert f'value="{least.tokens - 1}"' in page
    assert owner.post(path, form | {"max_input_tokens": str(least.tokens)}).status_code == 303


@pytest.mark.parametrize("limit", ["0", "-1", "many", "99999999999999999999"])
def test_a_limit_that_cannot_be_is_refused_beside_its_field(cast: Cast, owner: Client, limit: str) -> None:
    path = f"{page_of(cast)}settings"
    answer = owner.post(path, {"name": "x", "max_input_tokens": limit, "seen": seen(text_of(owner, path))})
    assert (answer.status_code, 'id="id_max_input_tokens_error"' in answer.content.decode()) == (422, True)


# Agents


def test_a_new_agent_s_key_opens_the_api(cast: Cast, owner: Client) -> None:
    page = owner.post(f"{page_of(cast)}agents/new", NEW_AGENT).content.decode()
    secret = SECRET.search(page)
    assert secret is not None
    assert Api(secret[0]).post("/context", {"user_input": {"raw_text": "begin"}}).status_code == 200


def test_an_agent_may_be_made_without_a_key(cast: Cast, owner: Client) -> None:
    answer = owner.post(f"{page_of(cast)}agents/new", NEW_AGENT | {"key": ""})
    page = text_of(owner, answer["Location"])
    assert (answer.status_code, "It has no key" in page) == (303, True)


def test_sending_a_new_agent_twice_makes_one(cast: Cast, owner: Client) -> None:
    path = f"{page_of(cast)}agents/new"
    owner.post(path, NEW_AGENT)
    answer = owner.post(path, NEW_AGENT)
    page = answer.content.decode()
    assert (answer.status_code, SECRET.search(page), 'value="scribe"' in page) == (422, None, True)
    assert "Another agent of this project has this name" in page


@pytest.mark.parametrize("wrong", [{"name": ""}, {"first_role": "king"}, {"other_roles": ["king"]}, {"key": "all"}])
def test_a_wrong_field_keeps_the_rest(cast: Cast, owner: Client, wrong: dict[str, object]) -> None:
    answer = owner.post(f"{page_of(cast)}agents/new", NEW_AGENT | wrong)
    page = answer.content.decode()
    assert (answer.status_code, "field-wrong" in page, SECRET.search(page)) == (422, True, None)


def test_an_agent_gets_another_name_and_other_roles(cast: Cast, owner: Client) -> None:
    form = {
        "name": "maker",
        "first_role": "tester",
        "other_roles": ["dev"],
        "seen": seen(text_of(owner, dev_page(cast))),
    }
    assert owner.post(dev_page(cast), form).status_code == 303
    with project_scope(cast.owner.acting, read_only=True):
        agent = Actor.objects.get(pk=cast.dev.actor.pk)
    assert (agent.name, agent.roles) == ("maker", ["tester", "dev"])


def test_an_agent_that_moved_is_not_overwritten(cast: Cast, owner: Client) -> None:
    old = seen(text_of(owner, dev_page(cast)))
    form = {"first_role": "dev", "other_roles": [], "seen": old}
    owner.post(dev_page(cast), form | {"name": "first"})
    answer = owner.post(dev_page(cast), form | {"name": "second"})
    page = answer.content.decode()
    assert (answer.status_code, 'value="second"' in page, "<bdi>first</bdi>" in page) == (409, True, True)


def test_an_agent_that_is_off_opens_nothing_until_it_is_on(cast: Cast, owner: Client) -> None:
    answers = []
    for active in ("no", "yes"):
        owner.post(f"{dev_page(cast)}switch", {"active": active})
        answers.append(cast.dev.client().get("/threads").status_code)
    assert answers == [401, 200]


@pytest.mark.parametrize("part", ["switch", ""])
def test_a_maintainer_changes_no_agent(cast: Cast, part: str) -> None:
    client = at_level(cast, MembershipLevel.MAINTAINER)
    assert client.post(dev_page(cast) + part, {"active": "no", "name": "x"}).status_code == 403


def test_an_agent_s_page_shows_its_last_work(cast: Cast, owner: Client) -> None:
    cast.dev.client().post("/context", {"user_input": {"raw_text": "build the parser"}})
    page = text_of(owner, dev_page(cast))
    assert (page.count("build the parser"), "never seen" in page) == (2, False)


def test_private_work_shows_to_its_owner_alone(cast: Cast, owner: Client) -> None:
    thread = cast.personal.client().post("/threads", {"title": "a diary", "private": True}).json()
    body = {"thread_id": thread["id"], "user_input": {"raw_text": "dear diary"}}
    assert cast.personal.client().post("/context", body).status_code == 200
    page = text_of(owner, f"{page_of(cast)}agents/{cast.personal.actor.public_id}/")
    assert ("diary" in page, "never seen" in page) == (False, True)


# Keys


def test_a_new_key_is_shown_once(cast: Cast, owner: Client) -> None:
    path = f"{dev_page(cast)}keys/new"
    answer = owner.post(path, NEW_KEY | {"seen": seen(text_of(owner, path))})
    found = SECRET.search(answer.content.decode())
    assert found is not None
    later = [text_of(owner, page) for page in (dev_page(cast), f"{page_of(cast)}agents/", path, page_of(cast))]
    assert ("no-store" in answer["Cache-Control"], any(found[0] in page for page in later)) == (True, False)


def test_a_secret_is_in_no_ledger_and_no_browser_session(cast: Cast, owner: Client, caplog) -> None:
    with caplog.at_level("DEBUG"):
        found = SECRET.search(owner.post(f"{page_of(cast)}agents/new", NEW_AGENT).content.decode())
    assert found is not None
    kept = [f"{entry.target} {entry.reason} {entry.detail}" for entry in ledger_of(cast)]
    kept += [str(row.get_decoded()) for row in BrowserSession.objects.all()]
    assert found[0][12:] not in "".join([*kept, caplog.text])


def test_reloading_the_answer_makes_no_second_key(cast: Cast, owner: Client) -> None:
    path = f"{dev_page(cast)}keys/new"
    form = NEW_KEY | {"seen": seen(text_of(owner, path))}
    owner.post(path, form)
    answer = owner.post(path, form)
    page = answer.content.decode()
    assert (answer.status_code, SECRET.search(page), "Nothing was made just now" in page) == (409, None, True)
    assert 'value="laptop"' in page


def test_a_chosen_set_of_scopes_is_all_that_a_key_has(cast: Cast, owner: Client) -> None:
    path = f"{dev_page(cast)}keys/new"
    chosen = {"preset": "chosen", "scopes": ["memory:read"], "expires": "30", "seen": seen(text_of(owner, path))}
    found = SECRET.search(owner.post(path, chosen).content.decode())
    assert found is not None
    assert Api(found[0]).post("/context", {"user_input": {"raw_text": "begin"}}).status_code == 403


@pytest.mark.parametrize(("expires", "days"), [("30", 30), ("365", 365), ("never", None)])
def test_a_key_ends_when_it_was_asked_to(cast: Cast, owner: Client, expires: str, days: int | None) -> None:
    path = f"{dev_page(cast)}keys/new"
    found = SECRET.search(
        owner.post(path, NEW_KEY | {"expires": expires, "seen": seen(text_of(owner, path))}).content.decode()
    )
    assert found is not None
    with project_scope(cast.owner.acting, read_only=True):
        key = find_key(found[0], pointer="/key")
    assert (key.expires_at and round((key.expires_at - key.created_at) / timedelta(days=1))) == days


@pytest.mark.parametrize(
    "wrong",
    [{"preset": "chosen"}, {"preset": "root"}, {"expires": "1000"}, {"scopes": ["x"]}, {"scopes": ["memory:read"]}],
)
def test_a_key_that_cannot_be_is_refused(cast: Cast, owner: Client, wrong: dict[str, object]) -> None:
    path = f"{dev_page(cast)}keys/new"
    answer = owner.post(path, NEW_KEY | {"seen": seen(text_of(owner, path))} | wrong)
    assert (answer.status_code, "field-wrong" in answer.content.decode()) == (422, True)


def test_a_rotated_key_goes_on_beside_the_new_one(cast: Cast, owner: Client) -> None:
    path = key_page(cast, "rotate")
    page = owner.post(path, {"overlap": "24", "seen": seen(text_of(owner, path))}).content.decode()
    fresh = SECRET.search(page)
    assert fresh is not None
    assert [Api(secret).get("/threads").status_code for secret in (fresh[0], cast.dev.secret)] == [200, 200]


def test_a_key_rotated_without_overlap_ends_at_once(cast: Cast, owner: Client) -> None:
    path = key_page(cast, "rotate")
    owner.post(path, {"overlap": "0", "seen": seen(text_of(owner, path))})
    assert cast.dev.client().get("/threads").status_code == 401


def test_a_revoked_key_opens_nothing_and_says_why_in_the_ledger(cast: Cast, owner: Client) -> None:
    owner.post(key_page(cast, "revoke"), {"reason": "laptop lost"})
    entry = ledger_of(cast)[-1]
    assert (cast.dev.client().get("/threads").status_code, entry.verb, entry.reason) == (
        401,
        "key.revoke",
        "laptop lost",
    )


def test_a_key_is_not_revoked_without_a_reason(cast: Cast, owner: Client) -> None:
    assert owner.post(key_page(cast, "revoke"), {"reason": "  "}).status_code == 422
    assert cast.dev.client().get("/threads").status_code == 200


@pytest.mark.parametrize("what", ["rotate", "revoke"])
def test_a_key_that_has_ended_says_so(cast: Cast, owner: Client, what: str) -> None:
    path = key_page(cast, what)
    form = {"reason": "again", "overlap": "1", "seen": seen(text_of(owner, key_page(cast, "rotate")))}
    owner.post(key_page(cast, "revoke"), {"reason": "lost"})
    answer = owner.post(path, form)
    assert (answer.status_code, "This key has ended already" in answer.content.decode()) == (409, True)


# Members


def test_an_invitation_shows_a_password_for_one_use(cast: Cast, owner: Client) -> None:
    name = f"new-{uuid.uuid4().hex[:8]}"
    page = owner.post(f"{page_of(cast)}members/invite", {"username": name, "level": "viewer"}).content.decode()
    password = ONE_TIME.search(page)
    assert password is not None
    assert User.objects.get(username=name).check_password(password[0])
    assert password[0] not in text_of(owner, f"{page_of(cast)}members/")


def test_an_account_that_is_there_is_let_in_without_a_password(cast: Cast, owner: Client) -> None:
    account = make_account()
    answer = owner.post(f"{page_of(cast)}members/invite", {"username": account.username, "level": "maintainer"})
    assert answer.status_code == 303
    assert account.username in text_of(owner, answer["Location"])
    assert account.check_password(PASSWORD)


@pytest.mark.parametrize(("name", "status"), [("no spaces allowed", 422), ("", 422), (EVIL, 422)])
def test_a_name_that_no_account_can_have_is_kept(cast: Cast, owner: Client, name: str, status: int) -> None:
    answer = owner.post(f"{page_of(cast)}members/invite", {"username": name, "level": "viewer"})
    page = answer.content.decode()
    assert (answer.status_code, 'id="id_username_error"' in page, EVIL in page) == (status, True, False)


def test_nobody_is_let_in_twice(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    answer = owner.post(f"{page_of(cast)}members/invite", {"username": account.username, "level": "owner"})
    assert (answer.status_code, "already in the project" in answer.content.decode()) == (409, True)


def test_a_level_is_changed(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    path = member_page(cast, account)
    owner.post(path, {"level": "maintainer", "seen": seen(text_of(owner, path))})
    assert level_of(cast, account) == "maintainer"


def test_a_level_that_moved_is_not_overwritten(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    path = member_page(cast, account)
    old = seen(text_of(owner, path))
    owner.post(path, {"level": "maintainer", "seen": old})
    assert owner.post(path, {"level": "owner", "seen": old}).status_code == 409
    assert level_of(cast, account) == "maintainer"


def level_of(cast: Cast, account: User) -> str:
    with project_scope(cast.owner.acting, read_only=True):
        return Membership.objects.get(actor__user=account).level


def only_owner(transactional: None = None) -> tuple[Client, str]:
    """A browser of a project's only owner, and the address of their own member page."""
    account = make_account()
    client = signed_in(account)
    base = client.post("/projects/new", {"name": "mine", "language": "en"})["Location"].removesuffix("start")
    found = re.search(r"members/act_[0-9a-f]{32}/", text_of(client, f"{base}members/"))
    assert found is not None
    return client, base + found[0]


def test_the_last_owner_s_level_stays_and_the_page_says_why(transactional_db: None) -> None:
    client, path = only_owner()
    answer = client.post(path, {"level": "viewer", "seen": seen(text_of(client, path))})
    assert (answer.status_code, "the last owner" in answer.content.decode()) == (409, True)


def test_the_last_owner_cannot_leave_and_the_page_says_why(transactional_db: None) -> None:
    client, path = only_owner()
    answer = client.post(f"{path}remove")
    assert (answer["Location"], "the last owner" in text_of(client, path)) == (path, True)


def test_whoever_was_taken_out_finds_nothing(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.MAINTAINER)
    owner.post(f"{member_page(cast, account)}remove")
    assert signed_in(account).get(page_of(cast)).status_code == 404


def test_a_new_password_is_shown_once_and_ends_the_old_one(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    page = owner.post(f"{member_page(cast, account)}reset-password").content.decode()
    password = ONE_TIME.search(page)
    account.refresh_from_db()
    assert password is not None
    assert (account.check_password(password[0]), account.must_change_password) == (True, True)


def test_another_owner_s_password_is_not_an_owner_s_to_reset(cast: Cast, owner: Client) -> None:
    account = join(make_account(), cast, MembershipLevel.OWNER)
    path = member_page(cast, account)
    owner.post(f"{path}reset-password")
    account.refresh_from_db()
    assert (account.check_password(PASSWORD), "whoever runs this server" in text_of(owner, path)) == (True, True)


@pytest.mark.parametrize("part", ["", "remove", "reset-password"])
def test_a_maintainer_changes_no_member(cast: Cast, part: str) -> None:
    account = join(make_account(), cast, MembershipLevel.VIEWER)
    client = at_level(cast, MembershipLevel.MAINTAINER)
    assert client.post(member_page(cast, account) + part, {"level": "owner"}).status_code == 403


# The own account


@pytest.fixture
def newcomer(cast: Cast) -> tuple[Client, str]:
    """Somebody who signed in with a password for one use, and that password."""
    with project_scope(cast.owner.acting):
        name = f"new-{uuid.uuid4().hex[:8]}"
        invited = invite(cast.owner.acting, name, MembershipLevel.VIEWER, now=timezone.now())
    client = Client(headers=ENGLISH)
    client.post("/sign-in", {"username": name, "password": invited.password})
    return client, str(invited.password)


def test_a_password_for_one_use_opens_one_page(cast: Cast, newcomer: tuple[Client, str]) -> None:
    client, _ = newcomer
    answers = [client.get(path) for path in ("/", page_of(cast), "/account", f"{page_of(cast)}members/")]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(303, "/account/password")}


def test_an_own_password_opens_the_projects(cast: Cast, newcomer: tuple[Client, str]) -> None:
    client, old = newcomer
    chosen = {"old_password": old, "new_password1": "violet tractor 41 hums", "new_password2": "violet tractor 41 hums"}
    assert client.post("/account/password", chosen)["Location"] == "/"
    assert client.get(page_of(cast)).status_code == 200
    assert ledger_of(cast)[-1].verb == "member.choose_password"


@pytest.mark.parametrize("password", ["xq7!vlw", "password1234"])
def test_a_weak_password_is_refused(newcomer: tuple[Client, str], password: str) -> None:
    client, old = newcomer
    form = {"old_password": old, "new_password1": password, "new_password2": password}
    answer = client.post("/account/password", form)
    assert (answer.status_code, password in answer.content.decode()) == (422, False)


def test_the_old_password_is_asked_for(cast: Cast) -> None:
    chosen = {
        "old_password": "wrong",
        "new_password1": "violet tractor 41 hums",
        "new_password2": "violet tractor 41 hums",
    }
    assert at_level(cast, MembershipLevel.VIEWER).post("/account/password", chosen).status_code == 422


def test_the_own_time_zone_language_and_look_are_kept(transactional_db: None) -> None:
    account = make_account()
    client = signed_in(account)
    client.post("/account", {"time_zone": "Asia/Shanghai", "language": "zh-hans", "look": "dark"})
    account.refresh_from_db()
    page = text_of(client, "/account")
    assert (account.time_zone, account.language) == ("Asia/Shanghai", "zh-hans")
    assert ('data-look="dark"' in page, '<html lang="zh-hans"' in page) == (True, True)


def test_a_zone_that_there_is_not_is_refused(transactional_db: None) -> None:
    form = {"time_zone": "../etc/passwd", "language": "en", "look": "auto"}
    answer = signed_in(make_account()).post("/account", form)
    assert (answer.status_code, 'id="id_time_zone_error"' in answer.content.decode()) == (422, True)


def test_signing_in_brings_the_own_language_along(transactional_db: None) -> None:
    account = make_account()
    User.objects.filter(pk=account.pk).update(language="zh-hans")
    client = Client(headers=ENGLISH)
    client.post("/sign-in", {"username": account.username, "password": PASSWORD})
    assert '<html lang="zh-hans"' in text_of(client, "/")


# Words of others


@pytest.fixture
def hostile(cast: Cast) -> Callable[[], None]:
    def write() -> None:
        with project_scope(cast.owner.acting):
            Actor.objects.filter(pk=cast.dev.actor.pk).update(name=EVIL)
            Project.objects.update(name=EVIL)
            ApiKey.objects.update(name=EVIL)

    return write


def test_no_name_acts_on_any_page(cast: Cast, owner: Client, hostile: Callable[[], None]) -> None:
    hostile()
    pages = [text_of(owner, path) for path in [*pages_of(cast), "/", page_of(cast), f"{page_of(cast)}start"]]
    assert (any(EVIL in page for page in pages), any("&lt;script&gt;" in page for page in pages)) == (False, True)


@pytest.mark.parametrize("path", ["/projects/new", "/account", "/account/password", "agents/new", "members/invite"])
def test_a_form_without_its_token_is_refused(cast: Cast, path: str) -> None:
    client = Client(enforce_csrf_checks=True, headers=ENGLISH)
    client.force_login(join(make_account(), cast, MembershipLevel.OWNER))
    assert client.post(path if path.startswith("/") else page_of(cast) + path, NEW_AGENT).status_code == 403
