"""Every route of the console at once: the token of a form, the viewer who writes nothing, the stranger who sees nil."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client
from django.urls import resolve

from governance.models import User
from governance.people import invite
from governance.projects import open_project
from governance.scope import project_scope
from governance.seats import acting_in, seats_of
from governance.vocabulary import MembershipLevel
from tests.browser.addresses import console_routes, crawl
from tests.cast import at
from tests.demos import owner_of, pages_of, stored_demo
from tests.site.console_cast import ENGLISH, make_account

# What an account does about itself, whatever its level in a project.
OF_ONES_OWN = {"second_step", "sign_in_by_passkey", "confirm", "new_app", "new_passkey", "remove_app", "remove_passkey"}
OF_ONES_OWN |= {"new_codes", "end_browsers", "link_provider", "unlink_provider", "passkey_request"}
OF_ONES_OWN |= {"sign_in", "sign_out", "set_language", "set_look", "account", "change_password", "new_project", "home"}
# It only reads: a compile that is tried out is stored nowhere, so whoever may read may try. What is typed is long.
READS_BY_POST = {"playground"}
BY_ONESELF = re.compile(r"/(sign-out|language|look|account.*|projects/new)$")


class Posts(HTMLParser):
    """Where the forms of a page post to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "form" and (named.get("method") or "").lower() == "post":
            self.targets.append(named.get("action") or "")


@pytest.fixture
def owner(transactional_db: None, tmp_path: Path) -> User:
    return owner_of(stored_demo(tmp_path))


def in_browser(account: User, *, checks: bool = False) -> Client:
    client = Client(headers=ENGLISH, enforce_csrf_checks=checks, raise_request_exception=False)
    client.force_login(account)
    return client


def join_demo(account: User, owner: User, level: MembershipLevel) -> User:
    [seat] = seats_of(owner)
    acting = acting_in(seat, trace_id="trc_test")
    with project_scope(acting):
        invite(acting, account.username, level, now=at(9))
    return account


def addresses(owner: User) -> dict[str, str]:
    """An address of every route, with ids that the owner's links lead to."""
    known: dict[str, str] = {"layer": "dialogue", "purpose": "sign-in", "passkey": "1", "offer_id": "ofr_" + "0" * 32}
    known["job_id"] = "job_" + "0" * 32  # none of the demo is in quarantine
    for paths in pages_of(owner).values():
        for path in paths:
            known |= {name: str(value) for name, value in resolve(path.partition("?")[0]).kwargs.items()}
    found = {}
    for name, pattern in console_routes().items():
        found[name] = "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part: known[part[1]], pattern)
    return found


def test_nothing_is_posted_without_the_token_of_a_form(owner: User) -> None:
    client = in_browser(owner, checks=True)
    taken = {path: client.post(path).status_code for path in addresses(owner).values()}
    assert {path: status for path, status in taken.items() if status != 403} == {}


def test_a_viewer_writes_nothing_anywhere(owner: User) -> None:
    viewer = in_browser(join_demo(make_account(), owner, MembershipLevel.VIEWER))
    excused = OF_ONES_OWN | READS_BY_POST
    taken = {name: viewer.post(path).status_code for name, path in addresses(owner).items() if name not in excused}
    assert {name: status for name, status in taken.items() if status not in (403, 404, 405)} == {}


def test_a_viewer_is_offered_nothing_that_would_be_refused(owner: User) -> None:
    viewer = in_browser(join_demo(make_account(), owner, MembershipLevel.VIEWER))
    offered = set()
    for path in [path for paths in crawl(viewer).values() for path in paths]:
        posts = Posts()
        posts.feed(viewer.get(path).content.decode())
        offered |= {target for target in posts.targets if not BY_ONESELF.search(target)}
    paths = {target.partition("#")[0] for target in offered}
    assert {path for path in paths if resolve(path).url_name not in READS_BY_POST} == set()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_finds_no_page_of_a_project(owner: User, method: str) -> None:
    account = make_account()
    open_project("Elsewhere", owner=account, now=at(9))
    stranger = in_browser(account)
    pages = [path for path in addresses(owner).values() if path.startswith("/p/")]
    answers = {path: getattr(stranger, method)(path) for path in pages}
    # 405 is said by the address alone, before anything is looked up.
    assert {answer.status_code for answer in answers.values()} <= {404, 405}
    assert len({answer.content for answer in answers.values() if answer.status_code == 404}) == 1
