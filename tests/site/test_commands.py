"""The operator's commands, called as a person calls them: one answer, one line of JSON, one sentence of refusal."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from governance.models import AuditEvent, User
from governance.projects import acting_for_owner
from governance.scope import project_scope
from greywind_site.operating.command import Refused
from tests.cast import Api
from tests.site.identity_cast import with_app

pytestmark = pytest.mark.django_db(transaction=True)
type Run = Callable[..., dict[str, Any]]


def said(*words: str) -> str:
    """What the command writes for a person."""
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def told(*words: str) -> dict[str, Any]:
    """What the command writes with --json: exactly one line."""
    (line,) = said(*words, "--json").splitlines()
    facts: dict[str, Any] = json.loads(line)
    return facts


def refusal(*words: str) -> Refused:
    """What the command refuses with."""
    with pytest.raises(Refused) as caught:
        call_command(*words, stdout=StringIO())
    return caught.value


@pytest.fixture
def mine() -> dict[str, Any]:
    """A project of one's own, made by the command."""
    return told("project", "create", "我的项目", "--owner", "ann")


@pytest.fixture
def worker(mine: dict[str, Any]) -> dict[str, Any]:
    """An agent in it, with a key."""
    return told("agent", "create", "worker", "--role", "dev", "--role", "tester", "--key")


def test_a_new_projects_owner_signs_in_with_what_was_printed(mine: dict[str, Any]) -> None:
    form = {"username": mine["owner"], "password": mine["password"]}
    assert Client().post(reverse("sign_in"), form).status_code == 302


def test_an_owner_who_is_there_gets_no_other_password(mine: dict[str, Any]) -> None:
    assert told("project", "create", "second", "--owner", "ann")["password"] is None


@pytest.mark.parametrize(("language", "name"), [("zh-hans", "灰风"), ("en", "GreyWind")])
def test_the_first_request_of_a_fresh_agent_is_answered(language: str, name: str) -> None:
    told("project", "create", "fresh", "--owner", "ann", "--language", language)
    key = told("agent", "create", "worker", "--role", "dev", "--key")["key"]
    answer = Api(key).post("/context", {"user_input": {"raw_text": "帮我理一理 the release plan"}})
    assert (answer.status_code, answer.json()["packet"]["persona"]["name"]) == (200, name)


def test_a_project_is_not_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal("project", "create", "bell\x07", "--owner", "ann")
    assert not User.objects.filter(username="ann").exists()


def test_a_project_list_shows_what_is_there(worker: dict[str, Any], mine: dict[str, Any]) -> None:
    shown = said("project", "list")
    assert all(text in shown for text in (mine["id"], "我的项目", "ann"))


def test_an_invited_member_is_listed(mine: dict[str, Any]) -> None:
    told("member", "invite", "bo", "--level", "viewer")
    assert [(row["user"], row["level"]) for row in told("member", "list")["members"]] == [
        ("ann", "owner"),
        ("bo", "viewer"),
    ]


def test_a_level_is_changed(mine: dict[str, Any]) -> None:
    told("member", "invite", "bo", "--level", "viewer")
    told("member", "set-level", "bo", "--level", "maintainer")
    assert told("member", "list")["members"][1]["level"] == "maintainer"


def test_a_removed_member_is_not_listed(mine: dict[str, Any]) -> None:
    told("member", "invite", "bo", "--level", "viewer")
    told("member", "remove", "bo")
    assert [row["user"] for row in told("member", "list")["members"]] == ["ann"]


def test_a_renewed_password_signs_in(mine: dict[str, Any]) -> None:
    form = {"username": "ann", "password": told("member", "reset-password", "ann")["password"]}
    assert Client().post(reverse("sign_in"), form).status_code == 302


def test_the_operator_takes_away_the_second_factors_of_whoever_lost_them(mine: dict[str, Any]) -> None:
    with_app(User.objects.get(username="ann"))
    assert [told("member", "forget-factors", "ann")["forgotten"] for _ in range(2)] == [2, 0]


def test_an_agents_list_tells_when_it_was_last_seen(worker: dict[str, Any]) -> None:
    Api(worker["key"]).post("/context", {"user_input": {"raw_text": "plan the harbour wall repairs"}})
    assert told("agent", "list")["agents"][0]["last_seen"] is not None


def test_a_deactivated_agents_key_is_answered_401_until_it_is_reactivated(worker: dict[str, Any]) -> None:
    statuses = []
    for act in ("deactivate", "reactivate"):
        told("agent", act, "worker")
        statuses.append(Api(worker["key"]).get("/threads").status_code)
    assert statuses == [401, 200]


def test_a_renamed_agent_is_found_by_its_new_name(worker: dict[str, Any]) -> None:
    told("agent", "rename", "worker", "builder")
    assert told("key", "list", "--agent", "builder")["keys"][0]["agent"] == "builder"


def test_a_revoked_key_is_answered_401(worker: dict[str, Any]) -> None:
    told("key", "revoke", worker["key_id"], "--reason", "lost")
    assert Api(worker["key"]).get("/threads").status_code == 401


def test_a_rotated_key_and_its_successor_both_work_for_a_while(worker: dict[str, Any]) -> None:
    fresh = told("key", "rotate", worker["key"])["key"]
    assert [Api(key).get("/threads").status_code for key in (worker["key"], fresh)] == [200, 200]


def test_a_key_rotated_without_overlap_ends_at_once(worker: dict[str, Any]) -> None:
    told("key", "rotate", worker["key_id"], "--overlap", "0")
    assert Api(worker["key"]).get("/threads").status_code == 401


def test_a_harness_key_attests(worker: dict[str, Any]) -> None:
    assert "event:attest" in told("key", "mint", "--agent", "worker", "--preset", "harness")["scopes"]


def test_named_scopes_are_the_only_ones(worker: dict[str, Any]) -> None:
    minted = told("key", "mint", "--agent", "worker", "--scope", "memory:read", "--scope", "evidence:read")
    assert minted["scopes"] == ["evidence:read", "memory:read"]


def test_a_key_may_be_made_without_an_end(worker: dict[str, Any]) -> None:
    assert told("key", "mint", "--agent", "worker", "--expires", "never")["expires"] is None


def test_no_list_shows_a_secret(worker: dict[str, Any]) -> None:
    shown = said("key", "list") + said("key", "list", "--json") + said("agent", "list")
    assert worker["key"].split("_")[2] not in shown


def test_the_ledger_holds_no_secret(worker: dict[str, Any], mine: dict[str, Any]) -> None:
    with project_scope(acting_for_owner(None), read_only=True):
        written = " ".join(map(str, AuditEvent.objects.values_list("reason", "before", "after", "detail", "target")))
    assert not [secret for secret in (worker["key"][12:], mine["password"]) if secret in written]


def test_what_people_named_is_never_markup(worker: dict[str, Any]) -> None:
    told("key", "mint", "--agent", "worker", "--name", "[bold red]ci[/]")
    assert "[bold red]ci[/]" in said("key", "list")


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (("member", "invite", "b o", "--level", "viewer"), "USER: an account's name has 1 to 150 letters", 2),
        (("member", "invite", "ann", "--level", "viewer"), "USER: already a member, as owner", 1),
        (("member", "set-level", "ann", "--level", "viewer"), "USER: this is the project's last owner", 1),
        (("member", "remove", "ann"), "USER: this is the project's last owner", 1),
        (("member", "remove", "nobody"), "USER: there is no such thing in this project", 2),
        (("member", "reset-password", "nobody"), "USER: there is no account of this name", 2),
        (("member", "forget-factors", "nobody"), "USER: there is no account of this name", 2),
        (
            ("agent", "create", "x", "--role", "pilot"),
            "--role: no role contract pilot in this project; there are ch",
            2,
        ),
        (("agent", "create", " ", "--role", "dev"), "NAME: a name has 1 to 200 characters", 2),
        (("agent", "deactivate", "nobody"), "AGENT: there is no such thing in this project", 2),
        (("key", "mint", "--agent", "nobody"), "--agent: there is no such thing in this project", 2),
        (("key", "revoke", "gw_00000000", "--reason", "x"), "KEY: there is no such thing in this project", 2),
        (("key", "list", "--project", "elsewhere"), "--project: no such project: prj_", 2),
    ],
)
def test_a_refusal_is_one_line_that_names_the_argument(
    mine: dict[str, Any], words: tuple[str, ...], sentence: str, code: int
) -> None:
    refused = refusal(*words)
    assert (str(refused).startswith(sentence), "\n" in str(refused), refused.returncode) == (True, False, code)


@pytest.mark.parametrize(
    "words",
    [
        ("key", "mint", "--agent", "worker", "--scope", "decide"),
        ("key", "revoke", "gw_00000000", "--reason", " "),
        ("key", "rotate", "gw_00000000", "--overlap", "31d"),
    ],
)
def test_what_is_out_of_bounds_is_a_usage_fault(worker: dict[str, Any], words: tuple[str, ...]) -> None:
    known = worker["key"].split("_")[1]
    assert refusal(*(word.replace("00000000", known) for word in words)).returncode == 2


@pytest.mark.parametrize("span", ["soon", "-1d", "90", "1y", "9999999d"])
def test_a_length_of_time_that_is_none_is_explained(worker: dict[str, Any], span: str) -> None:
    with pytest.raises(CommandError, match="such as 90d, 12h or 30m"):
        call_command("key", "mint", "--agent", "worker", f"--expires={span}")


def test_among_two_projects_one_is_named_by_its_name_too(mine: dict[str, Any]) -> None:
    told("project", "create", "second", "--owner", "ann")
    assert "several projects are here" in str(refusal("member", "list"))
    assert told("member", "invite", "bo", "--level", "viewer", "--project", "second")["project"] == "second"


def test_without_a_project_the_refusal_says_how_to_make_one() -> None:
    assert "manage.py project create" in str(refusal("member", "list"))
