"""What pages showed somebody, links and forms: a few of each kind, to be followed and filled in by whoever saw them."""

from collections import Counter
from collections.abc import Iterator, Set
from urllib.parse import urlsplit

from django.urls import Resolver404, ResolverMatch, resolve

from greywind_site.hunting.leaks.aiming import Aim
from greywind_site.hunting.leaks.asking import Ask
from greywind_site.hunting.leaks.form_asks import Form, filled_ask, project_at, shown_on
from greywind_site.hunting.leaks.people import Principal

EACH_LINK, EACH_FORM, TIMES_FILLED = 3, 4, 2


class Met:
    """Links and forms that were met and not yet tried; `alone` are the routes that are left alone."""

    def __init__(self, *, alone: Set[str]) -> None:
        self.alone = alone
        self.links: list[tuple[Ask, Principal]] = []
        self.forms: list[tuple[str, Form, Ask, Principal]] = []
        self.known: Counter[tuple[str, ...]] = Counter()
        self.paths: set[tuple[str, str]] = set()

    def learn(self, page: str, *, at: Ask, by: Principal, owns: bool) -> None:
        """Keep what a page shows, some for owners and some for everybody else: they are not shown the same."""
        shown = shown_on(page)
        for path in shown.links:
            self._link(path if path.startswith("/") else urlsplit(at.path).path + path, at=at, by=by, owns=owns)
        for form in shown.found:
            match = _match(form.action or at.path)
            if match is not None and self._wanted(match, f"{form.method} of {owns}", EACH_FORM):
                self.forms.append((str(match.url_name), form, at, by))

    def tries(self, aims: dict[str, Aim]) -> Iterator[tuple[Ask, Principal]]:
        """Yield each link, and each form filled in, until nothing new is met on the way."""
        while self.links or self.forms:
            while self.links:
                yield self.links.pop()
            while self.forms:
                name, form, at, by = self.forms.pop()
                for _ in range(TIMES_FILLED):
                    yield filled_ask(name, form, aims[by.name], at=at), by

    def _link(self, path: str, *, at: Ask, by: Principal, owns: bool) -> None:
        match = _match(path)
        if match is None or (by.name, path) in self.paths or not self._wanted(match, f"link of {owns}", EACH_LINK):
            return
        self.paths.add((by.name, path))
        self.links.append(
            (Ask(operation=f"page {match.url_name}", method="GET", path=path, project=project_at(path, at)), by)
        )

    def _wanted(self, match: ResolverMatch, how: str, most: int) -> bool:
        if match.url_name is None or match.url_name in self.alone:
            return False
        # What is no id in an address is a kind of its own: each way, each kind of contract.
        words = [str(value) for name, value in sorted(match.kwargs.items()) if not name.endswith("_id")]
        key = (match.url_name, how, *words)
        self.known[key] += 1
        return self.known[key] <= most


def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(urlsplit(path).path)
    except Resolver404:
        return None
