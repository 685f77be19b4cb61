"""Sign-in by an OpenID Connect provider, against a small one on this machine."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from pydantic import SecretStr

from governance.models import AuditEvent, User
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from greywind_site.identity.oidc_settings import OidcSettings, provider_apps
from tests.cast import make_cast
from tests.site.console_cast import CHINESE, ENGLISH, join, make_account, proven, signed_in
from tests.site.identity_cast import code_of, is_in, with_app
from tests.site.oidc_provider import ALL, CLIENT, SECRET, Provider, asked, come_back, fresh_key, running

START, SECURITY = "/sign-in/provider", "/account/security"


@pytest.fixture
def provider(settings, transactional_db: None) -> Iterator[Provider]:
    with running(Provider()) as provider:
        configure(settings, provider)
        yield provider


@pytest.fixture
def account(transactional_db: None) -> User:
    return make_account()


def configure(settings: Any, provider: Provider, **more: Any) -> None:
    oidc = OidcSettings(
        issuer=provider.issuer, client_id=CLIENT, client_secret=SecretStr(SECRET), name="Our House", scopes=ALL, **more
    )
    settings.GREYWIND = settings.GREYWIND.model_copy(update={"oidc": oidc})
    settings.SOCIALACCOUNT_PROVIDERS = provider_apps(oidc)


def link(provider: Provider, account: User, sub: str = "person-1") -> None:
    """Let the account's owner link the two."""
    provider.claims["sub"] = sub
    client = signed_in(account)
    come_back(provider, client, client.post(f"{SECURITY}/provider").content)


def arrive(provider: Provider, to: str = "/", **more: str) -> tuple[Client, Any]:
    """Sign in by the provider; returns the browser and the answer."""
    client = Client(headers=ENGLISH)
    return client, come_back(provider, client, client.post(START, {"next": to}).content, **more)


def told(client: Client) -> str:
    return client.get("/sign-in").content.decode()


def test_without_a_provider_there_is_no_way_to_one(db: None, client: Client) -> None:
    assert (client.post(START).status_code, client.get(f"{START}/callback").status_code) == (404, 404)
    assert START not in client.get("/sign-in").content.decode()


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "Sign in with Our House"), (CHINESE, "使用 Our House 登录")])
def test_the_sign_in_page_offers_the_provider(provider: Provider, language: dict[str, str], words: str) -> None:
    assert words in Client(headers=language).get("/sign-in").content.decode()


def test_the_way_there_asks_for_a_code_with_a_proof_of_who_asked(provider: Provider, client: Client) -> None:
    page = client.post(START)
    wanted = asked(page.content)
    assert (wanted["response_type"], wanted["code_challenge_method"]) == ("code", "S256")
    assert wanted["redirect_uri"] == "http://testserver/sign-in/provider/callback"
    assert page["Content-Security-Policy"]


def test_the_way_there_wants_the_token_of_its_form(provider: Provider) -> None:
    assert Client(enforce_csrf_checks=True).post(START).status_code == 403
    assert Client().get(START).status_code == 405


def test_a_linked_account_is_opened_where_one_was_going(provider: Provider, account: User) -> None:
    link(provider, account)
    client, answer = arrive(provider, to="/account")
    assert (answer["Location"], is_in(client)) == ("/account", True)


def test_linking_is_in_the_ledger_and_on_the_page(provider: Provider, account: User) -> None:
    cast = make_cast("alpha")
    link(provider, join(account, cast, MembershipLevel.VIEWER))
    with project_scope(cast.owner.acting, read_only=True):
        last = AuditEvent.objects.order_by("-seq").first()
    assert last is not None
    assert last.verb == "member.link_provider"
    assert "<bdi>somebody</bdi>" in signed_in(account).get(SECURITY).content.decode()


def test_of_what_the_provider_tells_only_a_name_is_kept(provider: Provider, account: User) -> None:
    provider.claims["email"] = "a@b.example"
    provider.told["birthdate"] = "2000-01-01"
    link(provider, account)
    assert SocialAccount.objects.get().extra_data == {"name": "somebody"}


def test_linking_asks_for_a_fresh_proof(provider: Provider, account: User) -> None:
    client = proven(signed_in(account), minutes_ago=6)
    assert client.post(f"{SECURITY}/provider")["Location"].startswith("/account/confirm")


def test_somebody_unknown_gets_no_account(provider: Provider, account: User) -> None:
    provider.claims["preferred_username"] = account.username
    client, answer = arrive(provider)
    assert (answer["Location"], is_in(client), User.objects.count()) == ("/sign-in", False, 1)
    assert "opens no account here" in told(client)


def test_a_claim_opens_the_account_of_its_name(provider: Provider, account: User, settings) -> None:
    configure(settings, provider, link_claim="preferred_username")
    provider.claims["preferred_username"] = account.username
    client, _ = arrive(provider)
    assert (is_in(client), SocialAccount.objects.get().user_id) == (True, account.pk)


@pytest.mark.parametrize(("verified", "opens"), [(True, True), (False, False), ("true", False), (None, False)])
def test_an_address_counts_only_when_it_is_verified(provider: Provider, settings, verified: Any, opens: bool) -> None:
    configure(settings, provider, link_claim="email")
    User.objects.create_user(username="bo@house.example", password="x")
    provider.claims |= {"email": "bo@house.example", "email_verified": verified}
    assert is_in(arrive(provider)[0]) == opens


def test_a_claim_opens_no_account_that_is_another_person_s(provider: Provider, account: User, settings) -> None:
    configure(settings, provider, link_claim="preferred_username")
    link(provider, account, sub="person-1")
    provider.claims |= {"sub": "person-2", "preferred_username": account.username}
    assert not is_in(arrive(provider)[0])


@pytest.mark.parametrize("name", ["owner-alpha", "nobody-there", "", None, 5, "x" * 400])
def test_whom_nobody_knows_hears_the_same_whatever_their_name(provider: Provider, name: Any) -> None:
    make_cast("alpha")
    provider.claims["preferred_username"] = name
    assert "opens no account here" in told(arrive(provider)[0])


def test_signing_up_makes_an_account_without_a_password_when_it_is_allowed(provider: Provider, settings) -> None:
    configure(settings, provider, sign_up=True)
    client, _ = arrive(provider)
    made = User.objects.get(username="somebody")
    assert (is_in(client), made.has_usable_password(), made.is_staff) == (True, False, False)


def test_signing_up_takes_no_name_that_is_taken(provider: Provider, account: User, settings) -> None:
    configure(settings, provider, sign_up=True)
    provider.claims["preferred_username"] = account.username
    assert (is_in(arrive(provider)[0]), SocialAccount.objects.exists()) == (False, False)


def test_signing_up_takes_no_name_that_none_may_have(provider: Provider, settings) -> None:
    configure(settings, provider, sign_up=True)
    provider.claims["preferred_username"] = "two words\u202e"
    assert (is_in(arrive(provider)[0]), User.objects.exists()) == (False, False)


def test_a_second_factor_is_asked_for_all_the_same(provider: Provider, account: User) -> None:
    link(provider, account)
    secret = with_app(account)
    client, answer = arrive(provider)
    before = is_in(client)
    client.post("/sign-in/second-step", {"code": code_of(secret)})
    assert (answer["Location"], before, is_in(client)) == ("/sign-in/second-step", False, True)


def test_a_closed_account_stays_closed(provider: Provider, account: User) -> None:
    link(provider, account)
    User.objects.update(is_active=False)
    assert not is_in(arrive(provider)[0])


def test_a_provider_s_word_is_no_fresh_proof_for_who_has_a_password(provider: Provider, account: User) -> None:
    link(provider, account)
    client, _ = arrive(provider)
    assert client.get(f"{SECURITY}/app")["Location"].startswith("/account/confirm")


def test_a_provider_s_word_is_a_fresh_proof_for_who_has_nothing_else(provider: Provider, settings) -> None:
    configure(settings, provider, sign_up=True)
    client, _ = arrive(provider)
    assert client.get(f"{SECURITY}/app").status_code == 200


SPOILT = {
    "signed by another": {"key": fresh_key()},
    "not signed": {"key": None, "algorithm": "none"},
    "signed by what both know": {"key": SECRET * 2, "algorithm": "HS256"},
    "for another": {"spoilt": {"aud": "another"}},
    "of another": {"spoilt": {"iss": "https://another.example"}},
    "over": {"spoilt": {"exp": 1000}},
    "not begun": {"spoilt": {"iat": 99999999999}},
    "of nobody": {"spoilt": {"sub": ""}},
    "of two": {"told": {"sub": "person-2"}},
    "another issuer's discovery": {"discovery": {"issuer": "https://another.example"}},
    "no keys": {"discovery": {"jwks_uri": "http://127.0.0.1:1/keys"}},
    "no token": {"discovery": {"token_endpoint": "http://127.0.0.1:1/token"}},
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_word_opens_nothing(provider: Provider, account: User, how: str) -> None:
    link(provider, account)
    client = Client(headers=ENGLISH)
    page = client.post(START, {"next": "/"})
    for name, value in SPOILT[how].items():
        setattr(provider, name, value)
    answer = come_back(provider, client, page.content)
    assert (answer["Location"], is_in(client)) == ("/sign-in", False)
    assert "could not say who you are" in told(client)


@pytest.mark.parametrize(
    "more", [{"state": "forged"}, {"state": ""}, {"code": ""}, {"error": "access_denied"}, {"code": "x"}]
)
def test_a_forged_way_back_opens_nothing(provider: Provider, account: User, more: dict[str, str]) -> None:
    link(provider, account)
    client, answer = arrive(provider, **more)
    assert (answer.status_code, answer["Location"], is_in(client)) == (302, "/sign-in", False)


def test_a_way_back_is_good_once(provider: Provider, account: User) -> None:
    link(provider, account)
    client = Client(headers=ENGLISH)
    page = client.post(START).content
    come_back(provider, client, page)
    client.post("/sign-out")
    come_back(provider, client, page)
    assert not is_in(client)


def test_another_browser_s_way_back_opens_nothing(provider: Provider, account: User) -> None:
    link(provider, account)
    page = Client().post(START).content
    other = Client(headers=ENGLISH)
    come_back(provider, other, page)
    assert not is_in(other)


def test_a_provider_that_is_away_is_said_to_be(provider: Provider, settings) -> None:
    provider.issuer = "http://127.0.0.1:1"
    configure(settings, provider)
    client = Client(headers=ENGLISH)
    assert client.post(START)["Location"] == "/sign-in"
    assert "could not say who you are" in told(client)


def test_another_issuer_s_people_are_not_these(provider: Provider, account: User, settings) -> None:
    link(provider, account)
    with running(Provider()) as other:
        configure(settings, other)
        assert not is_in(arrive(other)[0])


def test_one_person_of_the_provider_opens_one_account(provider: Provider, account: User) -> None:
    link(provider, account)
    link(provider, make_account())
    assert SocialAccount.objects.get().user_id == account.pk


def test_one_account_is_opened_by_one_person_of_the_provider(provider: Provider, account: User) -> None:
    link(provider, account, sub="person-1")
    link(provider, account, sub="person-2")
    assert SocialAccount.objects.get().uid == "person-1"


def test_unlinking_closes_the_way(provider: Provider, account: User) -> None:
    link(provider, account)
    signed_in(account).post(f"{SECURITY}/provider/remove")
    assert not is_in(arrive(provider)[0])


def test_the_only_way_in_is_not_taken_away(provider: Provider, settings) -> None:
    configure(settings, provider, sign_up=True)
    client, _ = arrive(provider)
    page = client.post(f"{SECURITY}/provider/remove", follow=True).content.decode()
    assert ("Nothing else opens this account." in page, SocialAccount.objects.count()) == (True, 1)


@pytest.mark.parametrize(
    "faulty",
    [
        {"issuer": "http://house.example", "client_id": "x", "client_secret": "y"},
        {"issuer": "https://house.example", "client_id": "x"},
        {"issuer": "https://house.example", "client_secret": "y"},
        {"issuer": "https://house.example", "client_id": "x", "client_secret": "y", "scopes": "email"},
        {"link_clam": "email"},
    ],
)
def test_half_a_provider_is_a_fault(faulty: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"https|CLIENT_ID|openid|link_clam"):
        OidcSettings(**faulty)
