"""The first-run page, and the texts to copy that it shows."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override
from pytest_django.live_server_helper import LiveServer

from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from greywind_site.console.connecting import Server, Way, ways
from sessions.models import ContextPacket, Event
from tests.cast import Api, Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, page_of, signed_in, statements
from threads.models import Vision

SECRET = re.compile(r"gw_[a-z0-9]{8}_[A-Za-z0-9_-]{43}")
NEW_AGENT = {"name": "scribe", "first_role": "dev", "key": "harness"}


@pytest.fixture
def owner(transactional_db: None) -> Client:
    return signed_in(make_account())


@pytest.fixture
def start(owner: Client) -> str:
    """Address of the first-run page of a new project."""
    return owner.post("/projects/new", {"name": "mine", "language": "en"})["Location"]


def text_of(client: Client, path: str, **headers: str) -> str:
    return client.get(path, headers=headers).content.decode()


def minted(client: Client, start: str) -> str:
    """The key that the first step shows."""
    found = SECRET.search(client.post(start, NEW_AGENT).content.decode())
    assert found is not None
    return found[0]


def asked(secret: str, text: str = "write the release notes") -> None:
    assert Api(secret).post("/context", {"user_input": {"raw_text": text}}).status_code == 200


def corrected(client: Client, start: str) -> None:
    """Say one correction into the thread of the first packet, as the page offers it."""
    found = re.search(r'href="([^"]*/say)\?kind=correction"', text_of(client, start))
    assert found is not None
    form = client.get(found[1]).context["form"]
    hearer = re.search(r'<option value="(ses_[0-9a-f]{32})"', text_of(client, found[1]))
    assert hearer is not None
    sent = {name: form[name].value() or "" for name in form.fields}
    sent |= {"kind": "correction", "text": "Write in Chinese.", "hearer": hearer[1]}
    assert client.post(found[1], sent).status_code == 303


def states(page: str) -> list[str]:
    """What the five steps say of themselves, in order."""
    return re.findall(r'<span class="badge">(done|now|later)</span>', page)


def test_a_new_project_begins_with_the_first_step(owner: Client, start: str) -> None:
    assert states(text_of(owner, start)) == ["now", "later", "later", "later", "later"]


def test_the_key_just_made_stands_in_every_text_to_copy(owner: Client, start: str) -> None:
    answer = owner.post(start, NEW_AGENT)
    found = SECRET.search(answer.content.decode())
    assert found is not None
    assert [found[0] in way.text for way in answer.context["ways"]] == [True] * 5
    assert "no-store" in answer["Cache-Control"]


def test_afterwards_the_texts_take_the_key_from_the_environment(owner: Client, start: str) -> None:
    secret = minted(owner, start)
    page = text_of(owner, start)
    assert (secret in page, page.count("GREYWIND_KEY") >= 5) == (False, True)
    assert states(page) == ["done", "now", "now", "later", "later"]


def test_sending_the_first_step_twice_makes_one_agent(owner: Client, start: str) -> None:
    minted(owner, start)
    answer = owner.post(start, NEW_AGENT)
    assert (answer.status_code, SECRET.search(answer.content.decode())) == (422, None)


def test_an_agent_without_a_key_leaves_the_first_step_open(owner: Client, start: str) -> None:
    assert owner.post(start, NEW_AGENT | {"key": ""}).status_code == 303
    assert states(text_of(owner, start))[0] == "now"


def test_the_first_packet_is_noticed(owner: Client, start: str) -> None:
    asked(minted(owner, start))
    page = text_of(owner, start)
    assert states(page) == ["done", "done", "done", "now", "later"]
    assert "write the release notes" in page


def test_a_correction_and_the_packet_that_carries_it_end_the_path(owner: Client, start: str) -> None:
    secret = minted(owner, start)
    asked(secret)
    corrected(owner, start)
    waiting = text_of(owner, start)
    asked(secret, "go on with the release notes")
    page = text_of(owner, start)
    assert states(waiting) == ["done", "done", "done", "done", "now"]
    assert (states(page), "your correction is in it" in page) == (["done"] * 5, True)


def test_the_page_looks_by_itself_only_while_it_waits(owner: Client, start: str) -> None:
    before = text_of(owner, start)
    secret = minted(owner, start)
    waiting = text_of(owner, start)
    asked(secret)
    assert ["load delay" in page for page in (before, waiting, text_of(owner, start))] == [False, True, False]


@pytest.mark.parametrize(("look", "goes_on"), [("1", True), ("149", True), ("150", False), ("0", False), ("x", False)])
def test_looking_ends_when_told_and_after_a_while(owner: Client, start: str, look: str, goes_on: bool) -> None:
    minted(owner, start)
    part = text_of(owner, f"{start}?look={look}", **{"HX-Request": "true"})
    assert ("load delay" in part, "<h1" in part) == (goes_on, False)


@pytest.mark.parametrize("level", [MembershipLevel.VIEWER, MembershipLevel.MAINTAINER])
def test_only_owners_make_the_agent(transactional_db: None, level: MembershipLevel) -> None:
    cast = make_cast("alpha")
    client, path = signed_in(join(make_account(), cast, level)), f"{page_of(cast)}start"
    page = text_of(client, path)
    assert (client.post(path, NEW_AGENT).status_code, 'name="first_role"' in page) == (403, False)
    assert ("Needs the level owner." in page) == (level == MembershipLevel.MAINTAINER)


def test_another_project_s_first_run_is_not_there(owner: Client) -> None:
    assert owner.get(f"{page_of(make_cast('beta'))}start").status_code == 404


def test_an_empty_project_leads_to_the_first_run(owner: Client, start: str) -> None:
    assert text_of(owner, start.removesuffix("start")).count(f'href="{start}"') >= 3


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_the_page_renders_in_both_languages(transactional_db: None, language: dict[str, str]) -> None:
    client = signed_in(make_account(), language)
    to = client.post("/projects/new", {"name": "我的", "language": "zh-hans"})["Location"]
    assert client.post(to, NEW_AGENT).status_code == 200


@pytest.mark.parametrize("page", ["start", "overview", "/"])
def test_the_number_of_queries_is_small_and_does_not_grow(owner: Client, start: str, page: str) -> None:
    path = {"start": start, "overview": start.removesuffix("start"), "/": "/"}[page]
    secret = minted(owner, start)
    asked(secret)
    corrected(owner, start)
    asked(secret)
    few = statements(owner, path)
    for matter in ("paint the fence green", "你好，谈谈预算", "book a train to Kyoto"):
        asked(secret, matter)
    assert (statements(owner, path), few <= 12) == (few, True)


# What waits on the overview


def test_the_overview_counts_what_needs_a_look(owner: Client, start: str) -> None:
    secret = minted(owner, start)
    calm = text_of(owner, start.removesuffix("start"))
    starved = {"user_input": {"raw_text": "do it " * 400}, "budget": {"max_input_tokens": 60}}
    assert Api(secret).post("/context", starved).status_code == 422
    page = text_of(owner, start.removesuffix("start"))
    counted = 'Packets refused in seven days, because required content did not fit: <strong class="figures">1</strong>'
    assert ("Needs a look" in calm, counted in page) == (False, True)


def test_the_overview_tells_who_was_seen_last(owner: Client, start: str) -> None:
    asked(minted(owner, start))
    page = text_of(owner, start.removesuffix("start"))
    assert re.search(r"<bdi>scribe</bdi></a> <time", re.sub(r"\s+", " ", page))


def test_home_shows_open_threads_at_a_glance(owner: Client, start: str) -> None:
    secret = minted(owner, start)
    asked(secret)
    assert owner.get("/").context["glances"][0].open_threads == 1


# The texts to copy


@pytest.fixture
def served(transactional_db: None, live_server: LiveServer) -> tuple[Cast, dict[str, Way]]:
    """A project and the texts that connect its agent to a server that runs."""
    cast = make_cast("alpha")
    server = Server(live_server.url, f"{live_server.url}/api/v1", cast.dev.secret)
    with override("en"):
        return cast, {way.slug: way for way in ways(server)}


def packets(cast: Cast) -> int:
    with project_scope(cast.owner.acting, read_only=True):
        return ContextPacket.objects.count()


def said(cast: Cast) -> list[tuple[str, str]]:
    """Whose words were kept, and who vouches for them."""
    with project_scope(cast.dev.acting, read_only=True):
        return list(Event.objects.order_by("seq").values_list("role", "attested_by"))


def wanted(cast: Cast) -> list[str]:
    with project_scope(cast.dev.acting, read_only=True):
        return list(Vision.objects.values_list("origin_goal", flat=True))


WHOLE_TURN = ([("user", "harness"), ("assistant", "agent")], ["Carry on with the release notes"])


def test_the_shell_commands_take_a_whole_turn_through(served: tuple[Cast, dict[str, Way]]) -> None:
    cast, texts = served
    ran = subprocess.run(["sh", "-c", texts["curl"].text], capture_output=True, text=True, check=True, timeout=60)
    packet, kept, outcome = answers_in(ran.stdout)
    assert (len(kept["results"]), packets(cast)) == (2, 1)
    assert (outcome["packet_id"], said(cast), wanted(cast)) == (packet["packet_id"], *WHOLE_TURN)


def answers_in(text: str) -> list[dict[str, Any]]:
    """Return the JSON answers that stand in a text one after the other."""
    found, rest = [], text.strip()
    while rest:
        answer, end = json.JSONDecoder().raw_decode(rest)
        found.append(answer)
        rest = rest[end:].lstrip()
    return found


def test_the_program_takes_a_whole_turn_through(served: tuple[Cast, dict[str, Way]], tmp_path: Path) -> None:
    cast, texts = served
    program = tmp_path / "first.py"
    program.write_text(texts["python"].text, "utf-8")
    ran = subprocess.run(["python3", str(program)], capture_output=True, text=True, check=True, timeout=60)
    assert ("messages" in json.loads(ran.stdout), packets(cast)) == (True, 1)
    assert (said(cast), wanted(cast)) == WHOLE_TURN


def test_the_shell_commands_take_the_key_from_the_environment() -> None:
    text = {way.slug: way for way in ways(Server("http://here", "http://here/api/v1"))}["curl"].text
    script = 'curl() { printf \'%s\\0\' "$@" >&2; printf \'{"packet_id": 1, "session": {"id": 2}}\'; }; '
    ran = subprocess.run(
        ["sh", "-c", f"{script}GREYWIND_KEY=gw_key; {text}"], capture_output=True, text=True, check=True
    )
    words = ran.stderr.split("\0")
    paths = [f"http://here/api/v1/{path}" for path in ("context", "sessions/2/events", "context/1/outcome")]
    assert [word for word in words if word.startswith("http")] == paths
    assert words.count("Authorization: Bearer gw_key") == len(paths)


def test_the_command_s_login_takes_no_key_as_an_argument() -> None:
    text = {way.slug: way for way in ways(Server("http://here", "http://here/api/v1", "gw_x"))}["claude-code"].text
    lines = ["export GREYWIND_KEY=gw_x", "greywind login --url http://here", "greywind init claude-code"]
    assert text.splitlines() == lines


@pytest.mark.parametrize(("secret", "key"), [("gw_x", "gw_x"), (None, "${GREYWIND_KEY}")])
def test_the_mcp_configurations_can_be_read(secret: str | None, key: str) -> None:
    texts = {way.slug: way for way in ways(Server("http://here", "http://here/api/v1", secret))}
    http, stdio = (json.loads(texts[slug].text)["mcpServers"]["greywind"] for slug in ("mcp-http", "mcp-stdio"))
    assert http == {"type": "http", "url": "http://here/mcp", "headers": {"Authorization": f"Bearer {key}"}}
    assert stdio == {
        "command": "greywind",
        "args": ["mcp"],
        "env": {"GREYWIND_URL": "http://here", "GREYWIND_KEY": key},
    }
