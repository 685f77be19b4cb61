"""Every page of the console: which routes there are, and where links lead."""

from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

from greywind_site.hunting.leaks.page_asks import OUTSIDE, routes

MOST_OF_A_KIND = 2  # addresses of one route that are visited: more of the same show nothing new
MOST_OF_A_PAGE = 2  # filters and parts of one page
MOST_SESSIONS = 12  # only some sessions hold what others lack: an oversized result, an interruption, a summary


class Links(HTMLParser):
    """The addresses that a page leads to by links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href")
        if tag == "a" and target and not target.startswith("#"):
            self.found.append(target)


def console_routes() -> dict[str, str]:
    """Name and pattern of every route of the console."""
    return {route.name: route.pattern for route in routes()}


def links_of(page: str, at: str) -> list[str]:
    """Paths of this site that the page leads to, without fragments."""
    links = Links()
    links.feed(page)
    whole = [urlsplit(urljoin(f"http://here{at}", link)) for link in links.found]
    return [f"{one.path}?{one.query}" if one.query else one.path for one in whole if one.netloc == "here"]


def crawl(client: Client, *, start: str = "/", most: int = MOST_OF_A_KIND) -> dict[str, list[str]]:
    """Follow links from `start`; returns addresses by the name of their route, `most` of each. Fails on a dead link."""
    waiting, seen, found = [start], {start}, Counter[str]()
    pages: dict[str, list[str]] = {}
    while waiting:
        path = waiting.pop(0)
        name = _name_of(path)
        allowed = MOST_SESSIONS if name == "session" else most
        bare = path.partition("?")[0]
        if name is None or found[name] >= allowed or found[bare] >= MOST_OF_A_PAGE:
            continue
        found[bare] += 1
        answer = client.get(path)
        if answer.status_code in (302, 303):
            waiting.append(answer["Location"].partition("#")[0])
            continue
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        if not answer["Content-Type"].startswith("text/html"):
            continue
        found[name] += 1
        pages.setdefault(name, []).append(path)
        fresh = [link for link in links_of(answer.content.decode(), path) if link not in seen]
        seen.update(fresh)
        waiting += fresh
    return pages


def _name_of(path: str) -> str | None:
    """The route's name, or None for what is no page of the console."""
    try:
        match = resolve(urlsplit(path).path)
    except Resolver404:
        raise AssertionError(f"a link leads nowhere: {path}") from None
    return None if match.route.startswith(OUTSIDE) else match.url_name
