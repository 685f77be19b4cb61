"""The door of /mcp on the site's own address: who comes in, and what everybody else hears."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.conf import settings
from django.test import Client

from greywind_site.mcp import forwarding
from greywind_site.mcp.address import McpAddress, read_address
from tests.mcp.carriers import Site, site
from tests.stage import stage

__all__ = ["site", "stage"]  # the fixtures of this module
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SPOKEN = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def link(site: Site) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site.url, headers=SPOKEN, trust_env=False, timeout=30) as client:
        yield client


@pytest.fixture(scope="module")
def direct(site: Site) -> Iterator[httpx2.Client]:
    """A connection to the MCP process itself, past the web process."""
    transport = httpx2.HTTPTransport(uds=settings.GREYWIND.mcp_url.removeprefix("unix://"))
    with httpx2.Client(base_url="http://localhost", headers=SPOKEN, transport=transport, timeout=30) as client:
        yield client


def bearer(site: Site) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.stage.alpha.dev.secret}"}


def test_a_key_opens_it_with_one_plain_answer(site: Site, link: httpx2.Client) -> None:
    answer = link.post("/mcp", json=LIST, headers=bearer(site))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert len(answer.json()["result"]["tools"]) == 7


BAD = {
    "none": None,
    "empty": "",
    "another scheme": "Basic Z3c6eA==",
    "no key": "Bearer",
    "another's key": "Bearer sk-" + "a" * 48,
    "unknown": "Bearer gw_zzzzzzzz_" + "a" * 43,
    "two words": "Bearer gw_a b",
}


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize("kind", BAD)
def test_without_a_key_that_is_good_it_stays_shut(link: httpx2.Client, kind: str, method: str) -> None:
    header = BAD[kind]
    answer = link.request(method, "/mcp", content=b"{nope", headers={} if header is None else {"Authorization": header})
    if method == "POST" or not (header or "").startswith("Bearer gw_z"):
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.json()["code"] == "unauthenticated"
    else:
        assert answer.status_code == 405


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_answered(site: Site, link: httpx2.Client, method: str) -> None:
    answer = link.request(method, "/mcp", headers=bearer(site))
    assert (answer.status_code, answer.headers["allow"], answer.json()["code"]) == (405, "POST", "method_not_allowed")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "evil"])
def test_a_page_of_another_origin_is_turned_away(site: Site, link: httpx2.Client, origin: str) -> None:
    answer = link.post("/mcp", json=LIST, headers=bearer(site) | {"Origin": origin})
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")


def test_a_page_of_this_machine_is_let_in(site: Site, link: httpx2.Client) -> None:
    answer = link.post("/mcp", json=LIST, headers=bearer(site) | {"Origin": "http://localhost:6274"})
    assert answer.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", ""])
def test_a_name_that_is_not_ours_is_turned_away_by_the_process_too(
    site: Site, direct: httpx2.Client, host: str
) -> None:
    answer = direct.post("/mcp", json=LIST, headers=bearer(site) | {"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (400, "host_not_allowed")


def test_a_body_that_is_too_large_is_refused(site: Site, link: httpx2.Client) -> None:
    answer = link.post("/mcp", content=b"x" * (settings.GREYWIND.max_body_bytes + 1), headers=bearer(site))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_a_body_of_unsaid_length_is_bounded_as_well(site: Site, direct: httpx2.Client) -> None:
    pieces = (b"x" * 1_000_000 for _ in range(settings.GREYWIND.max_body_bytes // 1_000_000 + 1))
    assert direct.post("/mcp", content=pieces, headers=bearer(site)).status_code == 413


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"{nope", -32700), (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', -32601)],
)
def test_what_is_not_the_protocol_is_answered_in_its_words(
    site: Site, link: httpx2.Client, body: bytes, code: int
) -> None:
    assert link.post("/mcp", content=body, headers=bearer(site)).json()["error"]["code"] == code


def test_cookies_and_foreign_headers_stay_outside(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[httpx2.Request] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json={}, headers={"Set-Cookie": "a=b"})

    monkeypatch.setattr(
        forwarding, "link", lambda: httpx2.Client(base_url="http://mcp", transport=httpx2.MockTransport(note))
    )
    sent = {"Cookie": "sessionid=1", "X-Forwarded-Proto": "https", "Mcp-Method": "tools/list"}
    answer = Client().post("/mcp", LIST, content_type="application/json", headers=sent)
    assert "set-cookie" not in answer.headers
    assert (seen[0].headers.get("cookie"), seen[0].headers["x-forwarded-proto"], seen[0].headers["mcp-method"]) == (
        None,
        "http",
        "tools/list",
    )


def test_a_process_that_is_away_is_said_to_be_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.GREYWIND, "mcp_url", "http://127.0.0.1:9")  # the port of "discard"; nobody listens
    with forwarding.link.__wrapped__() as fresh:
        monkeypatch.setattr(forwarding, "link", lambda: fresh)
        answer = Client().post("/mcp", json.dumps(LIST), content_type="application/json")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "mcp_unavailable", "2")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("unix:///run/mcp.sock", McpAddress(socket=Path("/run/mcp.sock"))),
        ("http://127.0.0.1:8101", McpAddress(host="127.0.0.1", port=8101)),
        ("http://[::1]:8101/", McpAddress(host="::1", port=8101)),
    ],
)
def test_an_address_is_read(url: str, address: McpAddress) -> None:
    assert read_address(url) == address


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8101", "https://h:1", "http://h", "http://h:1/x", "unix://run/x", "unix:x", "http://h:99999"]
)
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"unix:|[Pp]ort"):
        read_address(url)


def test_headers_that_the_door_reads_once_are_the_ones_the_tools_use(site: Site, link: httpx2.Client) -> None:
    ask: dict[str, Any] = LIST | {"method": "tools/call", "params": {"name": "review_status", "arguments": {"x": 1}}}
    told = link.post("/mcp", json=ask, headers=bearer(site)).json()["result"]["structuredContent"]["error"]
    assert told["human"]["where"] == site.console


def test_what_is_looked_for_stands_in_no_log(site: Site, link: httpx2.Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    params = {"name": "memory_search", "arguments": {"query": "xqlookedforx 秘密"}}
    answer = link.post("/mcp", json=LIST | {"method": "tools/call", "params": params}, headers=bearer(site))
    assert answer.json()["result"]["structuredContent"]["abstained"]
    assert "xqlookedforx" not in caplog.text
