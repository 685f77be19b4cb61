"""An account's security: adding and taking away factors, recovery codes, and the browsers that are signed in."""

import re
from urllib.parse import unquote

import pytest
from django.test import Client

from governance.models import AuditEvent, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from greywind_site.identity.browsers import named
from greywind_site.identity.factors import factors_of, forget_factors
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, PASSWORD, join, make_account, proven, signed_in
from tests.site.identity_cast import code_of, first_step, is_in, with_app, with_codes

SECURITY = "/account/security"
SECRET = re.compile(r'<code id="secret">([A-Z2-7 ]+)</code>')
CODE = re.compile(r"<li><code>(\d{4} \d{4})</code>")
POSTS = ["app/remove", "passkeys/1/remove", "codes", "browsers/end", "provider", "provider/remove"]


@pytest.fixture
def account(transactional_db: None) -> User:
    return make_account()


def add_app_by_page(client: Client) -> tuple[str, str]:
    """Add an app as a person does; returns its secret and the page that follows."""
    found = SECRET.search(client.get(f"{SECURITY}/app").content.decode())
    assert found is not None
    return found[1], client.post(f"{SECURITY}/app", {"code": code_of(found[1])}).content.decode()


def verbs_of(cast: Cast) -> list[tuple[str, str]]:
    with project_scope(cast.owner.acting, read_only=True):
        return list(AuditEvent.objects.order_by("seq").values_list("verb", "detail"))


@pytest.mark.parametrize("path", ["", "/app", "/passkey", "?x"])
def test_a_stranger_is_asked_to_sign_in(db: None, client: Client, path: str) -> None:
    assert client.get(SECURITY + path)["Location"].startswith("/sign-in?next=")


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
@pytest.mark.parametrize("path", ["", "/app", "/passkey"])
def test_the_pages_speak_both_languages(account: User, language: dict[str, str], path: str) -> None:
    page = signed_in(account, language).get(SECURITY + path)
    assert page.status_code == 200
    assert ("安全" in page.content.decode()) == (language == CHINESE)


@pytest.mark.parametrize("path", ["/app", "/passkey"])
def test_a_page_that_adds_asks_for_a_fresh_proof_and_comes_back(account: User, path: str) -> None:
    client = proven(signed_in(account), minutes_ago=6)
    answer = client.get(SECURITY + path)
    assert (answer.status_code, unquote(answer["Location"])) == (303, f"/account/confirm?to={SECURITY}{path}")


@pytest.mark.parametrize("path", POSTS)
def test_a_button_asks_for_a_fresh_proof_and_comes_back_to_the_page(account: User, path: str) -> None:
    client = proven(signed_in(account), minutes_ago=6)
    answer = client.post(f"{SECURITY}/{path}")
    assert (answer.status_code, unquote(answer["Location"])) == (303, "/account/confirm?to=/account/security")


def test_an_app_is_added_with_its_recovery_codes_shown_once(account: User) -> None:
    client = signed_in(account)
    _, page = add_app_by_page(client)
    assert len(CODE.findall(page)) == 10
    assert CODE.findall(client.get(SECURITY).content.decode()) == []


def test_an_added_app_is_asked_for_at_the_next_sign_in(account: User) -> None:
    secret, _ = add_app_by_page(signed_in(account))
    client = first_step(account)
    before = is_in(client)
    client.post("/sign-in/second-step", {"code": code_of(secret, steps=1)})
    assert (before, is_in(client)) == (False, True)


def test_a_wrong_first_code_adds_nothing_and_keeps_the_secret(account: User) -> None:
    client = signed_in(account)
    first = SECRET.search(client.get(f"{SECURITY}/app").content.decode())
    page = client.post(f"{SECURITY}/app", {"code": "000000"})
    again = SECRET.search(page.content.decode())
    assert (page.status_code, factors_of(account).any) == (422, False)
    assert first is not None
    assert again is not None
    assert first[1] == again[1]


def test_the_picture_carries_the_secret_and_no_inline_style(account: User) -> None:
    page = signed_in(account).get(f"{SECURITY}/app").content.decode()
    assert re.search(r'<svg class="qr" viewBox="0 0 (\d+) \1"', page)
    assert 'href="otpauth://totp/' in page
    assert "issuer=GreyWind" in page


def test_the_first_factor_signs_other_browsers_out(account: User) -> None:
    other = Client(headers=ENGLISH)
    other.post("/sign-in", {"username": account.username, "password": PASSWORD})
    was_in = is_in(other)
    add_app_by_page(signed_in(account))
    assert (was_in, is_in(other)) == (True, False)


def test_taking_the_last_factor_away_voids_the_codes(account: User) -> None:
    with_app(account)
    page = signed_in(account).post(f"{SECURITY}/app/remove", follow=True).content.decode()
    assert "the recovery codes are void" in page
    assert (factors_of(account).any, factors_of(account).codes_left) == (False, None)


def test_a_factor_that_is_gone_is_said_to_be(account: User) -> None:
    page = signed_in(account).post(f"{SECURITY}/passkeys/12345/remove", follow=True).content.decode()
    assert "It was gone already." in page


def test_nobody_removes_another_s_factor(account: User) -> None:
    other = make_account()
    with_app(other)
    for row in other.authenticator_set.all():
        signed_in(account).post(f"{SECURITY}/passkeys/{row.pk}/remove")
    assert factors_of(other).any


def test_new_codes_void_the_old(account: User) -> None:
    old = with_codes(account)
    new = CODE.findall(signed_in(account).post(f"{SECURITY}/codes").content.decode())
    answers = [
        first_step(account).post("/sign-in/second-step", {"code": code}).status_code for code in (old[0], new[0])
    ]
    assert (len(new), answers) == (10, [422, 302])


def test_codes_without_a_factor_are_refused(account: User) -> None:
    page = signed_in(account).post(f"{SECURITY}/codes", follow=True).content.decode()
    assert "Add one first." in page


def test_the_browsers_are_listed_and_the_others_signed_out(account: User) -> None:
    agents = ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0", "curl/8")
    here, there = (Client(headers=ENGLISH | {"User-Agent": agent}) for agent in agents)
    for client in (here, there):
        client.post("/sign-in", {"username": account.username, "password": PASSWORD})
    page = here.get(SECURITY).content.decode()
    told = here.post(f"{SECURITY}/browsers/end", follow=True).content.decode()
    assert ("Firefox 140, Linux" in page, "curl/8" in page, "1 other browser is signed out." in told) == (True,) * 3
    assert (is_in(here), is_in(there), "curl/8" in told) == (True, False, False)


def test_another_password_ends_other_browsers_and_keeps_this_one(account: User) -> None:
    here, there = Client(headers=ENGLISH), Client(headers=ENGLISH)
    for client in (here, there):
        client.post("/sign-in", {"username": account.username, "password": PASSWORD})
    new = "violet tractor 41 hums"
    here.post("/account/password", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert (is_in(here), is_in(there)) == (True, False)
    assert here.get(SECURITY).content.decode().count('data-label="Browser"') == 1


def test_another_password_needs_a_fresh_proof_where_there_is_a_second_factor(account: User) -> None:
    client = proven(signed_in(account), minutes_ago=6)
    before = client.get("/account/password").status_code
    with_app(account)
    assert (before, client.get("/account/password").status_code) == (200, 303)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\u202eevil"])
def test_what_a_browser_says_of_itself_is_only_text(account: User, hostile: str) -> None:
    client = Client(headers=ENGLISH | {"User-Agent": hostile})
    client.post("/sign-in", {"username": account.username, "password": PASSWORD})
    assert "<script>alert(1)" not in client.get(SECURITY).content.decode()


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge 140, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile/15E148 Safari/604.1", "Safari 18, iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/139.0 Mobile Safari/537.36", "Chrome 139, Android"),
        ("curl/8", "curl/8"),
        ("", ""),
    ],
)
def test_a_browser_is_called_as_people_know_it(agent: str, name: str) -> None:
    assert named(agent) == name


def test_every_change_is_in_the_ledger_of_the_account_s_projects(account: User) -> None:
    cast = make_cast("alpha")
    client = signed_in(join(account, cast, MembershipLevel.VIEWER))
    add_app_by_page(client)
    client.post(f"{SECURITY}/codes")
    client.post(f"{SECURITY}/app/remove")
    assert verbs_of(cast)[-3:] == [
        ("member.add_second_factor", '{"kind":"totp"}'),
        ("member.renew_recovery_codes", "{}"),
        ("member.remove_second_factor", '{"kind":"totp"}'),
    ]


def test_the_operator_takes_all_factors_away(account: User) -> None:
    cast = make_cast("alpha")
    with_app(join(account, cast, MembershipLevel.VIEWER))
    assert (forget_factors(account), forget_factors(account)) == (2, 0)
    assert verbs_of(cast)[-1] == ("member.forget_second_factors", '{"by":"operator"}')
    assert is_in(first_step(account))
