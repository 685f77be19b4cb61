"""Requests to the console, made from its addresses."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from django.urls import URLPattern, URLResolver, get_resolver

from governance.ids import new_id, public_id
from greywind_site.hunting.leaks.aiming import Aim, How, Noun
from greywind_site.hunting.leaks.api_asks import noun_of
from greywind_site.hunting.leaks.asking import Ask
from greywind_site.hunting.leaks.form_asks import Form
from greywind_site.hunting.leaks.ground import PROJECTS
from sessions.context.vocabulary import Layer

# Not pages for people: the API is asked by its own description, and what else is there holds nothing of a project.
OUTSIDE = ("api/", "healthz", "readyz", "metrics", "mcp", "static/")
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# A failed sign-in counts against the whole hunt, and who has signed out sees nothing any more.
LEFT_ALONE = frozenset({"sign_in", "sign_out"})
PROJECT = Noun("prj", PROJECTS)
FILTERS: Mapping[str, tuple[str, ...]] = {
    "as": ("jsonl", "csv", "markdown", "text"),
    "tab": ("snoozed", "done", "mine", "open"),
    "kind": ("message", "constraint", "persona", "proposal"),
    "role": ("dev", "tester"),
    "unit": ("tokens", "lines"),
    "download": ("1",),
    "stand": ("waiting", "rejected", "all"),
    "state": ("open", "archived", "active"),
    "sort": ("title", "newest"),
    "v": ("1", "2"),
    "next": ("1",),
    "before": ("1", "9", "100000"),
    "after": ("1", "0"),
    "private": ("on",),
}


@dataclass(frozen=True, slots=True)
class Route:
    """A named address of the console; `pattern` holds its parameters in angles."""

    name: str
    pattern: str

    @property
    def parameters(self) -> list[str]:
        return PARAMETER.findall(self.pattern)


@cache
def routes() -> tuple[Route, ...]:
    """Return every address of the console."""
    return tuple(Route(str(one.name), text) for text, one in _walk(get_resolver(), "") if not text.startswith(OUTSIDE))


def _walk(resolver: URLResolver, before: str) -> Iterator[tuple[str, URLPattern]]:
    for one in resolver.url_patterns:
        text = before + re.sub(r"^\^", "", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from _walk(one, text)
        elif one.name:
            yield text, one


def page_ask(route: Route, aim: Aim, how: How) -> Ask:
    """Return a request for the page at a route."""
    path, aimed, project = _address(route, aim, how)
    query = _query(aim, how) if aim.dice.random() < 0.35 else ""
    headers = {"HX-Request": "true"} if aim.dice.random() < 0.15 else {}
    if aim.dice.random() < 0.5:
        headers["Accept-Language"] = aim.dice.choice(["en", "zh-hans"])
    return Ask(
        operation=f"page {route.name}",
        method="GET",
        path=path + query,
        headers=headers,
        project=project,
        aimed=aimed,
    )


def form_ask(route: Route, form: Form | None, aim: Aim, how: How) -> Ask:
    """Return a form that is posted to a route."""
    path, aimed, project = _address(route, aim, how)
    kept = form.fields if form is not None else {"text": "", "title": "", "reason": "", "name": ""}
    body = {name: _field(name, value, aim, how) for name, value in kept.items() if name != "csrfmiddlewaretoken"}
    return Ask(
        operation=f"form {route.name}",
        method="POST",
        path=path,
        body=body,
        form=True,
        project=project,
        aimed=aimed,
    )


def _field(name: str, value: str, aim: Aim, how: How) -> Any:
    if value and aim.dice.random() < 0.6:
        return value
    return aim.ref(how) if name == "ref" else f"harbour {aim.word(how)}"


def _address(route: Route, aim: Aim, how: How) -> tuple[str, tuple[str, ...], int | None]:
    """Fill the parameters in; when foreign things are aimed at, the project itself is foreign half of the time."""
    foreign_project = how is How.FOREIGN and (aim.dice.random() < 0.5 or route.parameters == ["project_id"])
    number = None if foreign_project or not aim.who.seats else aim.dice.choice(sorted(aim.who.seats))
    contract = _contract(aim, how, number)
    values, aimed = {}, []
    for name in route.parameters:
        values[name] = contract.get(name) or _value(name, aim, how, number=number)
        if how is How.FOREIGN and (name.endswith("_id") and (name != "project_id" or foreign_project)):
            aimed.append(values[name])
    path = PARAMETER.sub(lambda part: quote(values[part[1]], safe=""), route.pattern)
    inside = number if "project_id" in route.parameters else None
    return "/" + path, tuple(aimed), inside


def _value(name: str, aim: Aim, how: How, *, number: int | None) -> str:
    if name == "layer":
        return str(aim.dice.choice(list(Layer)))
    if name == "project_id":
        return _project(aim, how, number)
    if not name.endswith("_id"):
        return aim.word(how)
    rows = [pk for pk in aim.rows(noun_of(name).table, own=True) if aim.ground.ids[pk][1].project == number]
    if how is How.OWN and rows:
        return public_id(noun_of(name).prefix, aim.dice.choice(rows))
    return aim.id_of(noun_of(name), how)


def _project(aim: Aim, how: How, number: int | None) -> str:
    if number is None:
        return aim.id_of(PROJECT, how if how is not How.OWN else How.RANDOM)
    row = next(pk for pk, place in aim.ground.rows[PROJECTS] if place.project == number)
    return public_id("prj", row)


def _contract(aim: Aim, how: How, number: int | None) -> dict[str, str]:
    own = how is not How.FOREIGN
    fitting = [
        (kind, slug)
        for place, kind, slug in aim.ground.contracts
        if aim.who.may_read(place) == own and (not own or place.project == number)
    ]
    kind, slug = aim.dice.choice(fitting or [("role", "dev")])
    return {"kind": kind, "slug": slug, "number": aim.dice.choice(["1", "2", "9"])}


def _query(aim: Aim, how: How) -> str:
    chosen: dict[str, str] = {}
    for name in aim.dice.sample([*FILTERS, "q", "ref", "cursor", "a", "b", "from", "thread", "session", "with"], 3):
        chosen[name] = _filter(name, aim, how)
    return "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in chosen.items())


def _filter(name: str, aim: Aim, how: How) -> str:
    if name in FILTERS:
        return aim.dice.choice(FILTERS[name])
    if name == "q":
        return aim.word(how)
    if name == "ref":
        return aim.ref(how)
    if name == "cursor":
        return aim.cursor(how)
    if name == "with":
        return aim.dice.choice(["1", "2"])
    noun = {"a": "packet", "b": "packet", "from": "packet"}.get(name, name)
    return aim.id_of(noun_of(noun), how)


def random_ids(aimed: tuple[str, ...]) -> dict[str, str]:
    """Return for each id a random one of the same noun."""
    return {each: public_id(each.partition("_")[0], new_id()) for each in aimed}
