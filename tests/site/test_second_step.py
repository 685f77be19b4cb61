"""Signing in by two factors."""

import time

import pytest
from django.test import Client

from governance.errors import Clash
from governance.models import User
from governance.vocabulary import ProofKind
from greywind_site.identity.factors import add_app, factors_of
from tests.site.console_cast import CHINESE, ENGLISH, PASSWORD, make_account
from tests.site.identity_cast import code_of, first_step, is_in, session_of, with_app, with_codes

STEP = "/sign-in/second-step"
JUNK = ["", "x", "[]", "{}", "null", '{"id": 1}', '{"response": 5}', '{"response": {"userHandle": "AAAA"}}', "[" * 9000]
ANSWER = (
    '{"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {"clientDataJSON": "e30",'
    ' "authenticatorData": "AAAA", "signature": "AAAA", "userHandle": "%s"}}'
)
JUNK += [ANSWER % handle for handle in ("", "AAAA", "//", "MDFhMjJhNGI4Y2VmN2RkMw")]


@pytest.fixture
def account(transactional_db: None) -> User:
    return make_account()


def test_the_password_alone_signs_nobody_in_who_has_a_second_factor(account: User) -> None:
    with_app(account)
    client = first_step(account)
    assert (is_in(client), client.get(STEP).status_code) == (False, 200)


def test_the_password_leads_to_the_second_step(account: User, client: Client) -> None:
    with_app(account)
    answer = client.post("/sign-in", {"username": account.username, "password": PASSWORD})
    assert answer["Location"] == STEP


def test_the_code_opens_where_one_was_going(account: User) -> None:
    secret = with_app(account)
    client = first_step(account, to="/account")
    assert client.post(STEP, {"code": code_of(secret)})["Location"] == "/account"
    assert is_in(client)


def test_the_second_step_changes_the_session(account: User) -> None:
    secret = with_app(account)
    client = first_step(account)
    before = client.cookies["sessionid"].value
    client.post(STEP, {"code": code_of(secret)})
    assert client.cookies["sessionid"].value != before


def test_a_code_is_read_with_spaces_and_in_wide_digits(account: User) -> None:
    secret = with_app(account)
    client, code = first_step(account), code_of(secret)
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in code)
    client.post(STEP, {"code": f" {wide[:3]} {wide[3:]} "})
    assert is_in(client)


@pytest.mark.parametrize("code", ["", "000000", "12345", "abcdef", "12345678", "²²²²²²", "٣٣٣٣٣٣"])
def test_a_wrong_code_opens_nothing(account: User, code: str) -> None:
    with_app(account)
    client = first_step(account)
    answer = client.post(STEP, {"code": code})
    assert (answer.status_code, is_in(client)) == (422, False)
    assert "This code does not fit" in answer.content.decode()


def test_a_code_opens_once(account: User) -> None:
    secret = with_app(account)
    code = code_of(secret)
    first_step(account).post(STEP, {"code": code})
    again = first_step(account)
    assert (again.post(STEP, {"code": code}).status_code, is_in(again)) == (422, False)


def test_a_recovery_code_opens_once(account: User) -> None:
    code = with_codes(account)[0]
    client, again = first_step(account), first_step(account)
    client.post(STEP, {"code": f"{code[:4]} {code[4:]}"})
    assert (is_in(client), again.post(STEP, {"code": code}).status_code) == (True, 422)
    assert factors_of(account).codes_left == 9


def test_another_account_s_code_opens_nothing(account: User) -> None:
    with_app(account)
    foreign = with_app(make_account())
    assert first_step(account).post(STEP, {"code": code_of(foreign)}).status_code == 422


def test_five_wrong_codes_make_the_next_wait_from_any_address(account: User) -> None:
    secret = with_app(account)
    client = first_step(account)
    for _ in range(5):
        client.post(STEP, {"code": "000000"})
    answer = client.post(STEP, {"code": code_of(secret)}, REMOTE_ADDR="192.0.2.77")
    assert (answer.status_code, is_in(client)) == (429, False)
    assert int(answer["Retry-After"]) > 0


def test_a_right_password_of_one_s_own_hides_no_guesses_at_another(account: User) -> None:
    with_app(account)
    client, other = first_step(account), make_account()
    for _ in range(5):
        client.post("/sign-in", {"username": other.username, "password": "guess"})
    assert client.post("/sign-in", {"username": other.username, "password": PASSWORD}).status_code == 429


def test_who_did_not_begin_is_sent_to_the_beginning(account: User, client: Client) -> None:
    assert client.get(STEP)["Location"] == client.post(STEP, {"code": "1"})["Location"] == "/sign-in"


def test_the_first_step_does_not_hold_for_ever(account: User) -> None:
    with_app(account)
    client = first_step(account)
    session_of(client, lambda kept: kept["entering"].update(at=time.time() - 601))
    assert client.get(STEP)["Location"] == "/sign-in"


def test_a_new_password_ends_the_first_step(account: User) -> None:
    secret = with_app(account)
    client = first_step(account)
    account.set_password("another horse battery staple")
    account.save()
    assert client.post(STEP, {"code": code_of(secret)})["Location"] == "/sign-in"


def test_a_closed_account_gets_no_further(account: User) -> None:
    secret = with_app(account)
    client = first_step(account)
    User.objects.filter(pk=account.pk).update(is_active=False)
    assert client.post(STEP, {"code": code_of(secret)})["Location"] == "/sign-in"


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_the_way_leads_nowhere_else(account: User, to: str) -> None:
    secret = with_app(account)
    client = first_step(account, to=to)
    assert client.post(STEP, {"code": code_of(secret)})["Location"] == "/"


@pytest.mark.parametrize(("language", "words"), [(CHINESE, "第二步验证"), (ENGLISH, "Second step")])
def test_the_step_speaks_both_languages(account: User, language: dict[str, str], words: str) -> None:
    with_app(account)
    assert f"<h1>{words}</h1>" in first_step(account, headers=language).get(STEP).content.decode()


def test_the_step_wants_the_token_of_its_form(account: User) -> None:
    with_app(account)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = first_step(account).cookies
    taken = [strict.post(path, {}).status_code for path in (STEP, "/sign-in/passkey", "/passkeys/sign-in/request")]
    assert taken == [403, 403, 403]


@pytest.mark.parametrize("answer", JUNK)
def test_what_is_no_passkey_opens_nothing(account: User, answer: str) -> None:
    client = Client(headers=ENGLISH)
    client.post("/passkeys/sign-in/request")
    page = client.post("/sign-in/passkey", {"credential": answer}, follow=True)
    assert page.redirect_chain[0][0] == "/sign-in"
    assert "This passkey did not open the account." in page.content.decode()


@pytest.mark.parametrize("answer", JUNK)
def test_what_is_no_passkey_is_no_second_step(account: User, answer: str) -> None:
    with_app(account)
    client = first_step(account)
    client.post("/passkeys/second-step/request")
    assert client.post(STEP, {"credential": answer}).status_code == 422


def test_a_known_handle_and_an_unknown_one_read_the_same(account: User) -> None:
    pages = set()
    for handle in (account.pk.hex, make_account().pk.hex[::-1], "zz"):
        client = Client(headers=ENGLISH)
        client.post("/passkeys/sign-in/request")
        page = client.post("/sign-in/passkey", {"credential": ANSWER % handle}, follow=True).content
        pages.add(page.split(b"csrfmiddlewaretoken")[0])
    assert len(pages) == 1


@pytest.mark.parametrize("purpose", ["second-step", "confirm", "add", "nothing"])
def test_a_stranger_is_asked_for_no_passkey_but_to_sign_in(db: None, client: Client, purpose: str) -> None:
    assert client.post(f"/passkeys/{purpose}/request").status_code == 404
    assert client.post("/passkeys/sign-in/request").json()["publicKey"]["userVerification"] == "required"


def test_the_secret_does_not_lie_open_in_the_database(account: User) -> None:
    secret = with_app(account)
    [kept] = account.authenticator_set.filter(type="totp").values_list("data", flat=True)
    assert secret not in str(kept)


def test_a_secret_under_another_site_key_fits_no_code(account: User, settings) -> None:
    secret = with_app(account)
    settings.SECRET_KEY = "another" * 8
    client = first_step(account)
    assert client.post(STEP, {"code": code_of(secret)}).status_code == 422


def test_a_second_app_is_refused(account: User) -> None:
    with_app(account)
    with pytest.raises(Clash):
        add_app(account, "JBSWY3DPEHPK3PXP", trace_id="trc_test")


def test_signing_in_by_code_counts_as_a_fresh_proof(account: User) -> None:
    secret = with_app(account)
    client = first_step(account)
    client.post(STEP, {"code": code_of(secret)})
    assert client.session["proof"]["how"] == ProofKind.TOTP
