"""The forms that pages show, and how a reader fills them in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

from django.urls import Resolver404, resolve

from greywind_site.hunting.leaks.aiming import Aim, How
from greywind_site.hunting.leaks.asking import Ask

# What is typed into fields that take no free text, by their type or their name.
KEPT = 0.7  # how often a field that holds something keeps it
TYPED: Mapping[str, str] = {
    "date": "2027-01-05",
    "number": "3",
    "email": "guest@harbour.example",
    "username": "hunter-guest",
}


@dataclass(slots=True)
class Form:
    """What a form of a page would send, and where to. `choices` are the values that a field offers, '' among them."""

    action: str
    method: str = "post"
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """The forms of a page, and where its links lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.links: list[str] = []
        self.inside = False
        self.open = ""  # the name of the select or textarea that is being read
        self.writing = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        name = named.get("name", "")
        if tag == "a" and named.get("href", "").startswith(("/", "?")):
            self.links.append(named["href"])
        elif tag == "form":
            self.inside = True
            self.found.append(Form(named.get("action", ""), named.get("method", "get").lower()))
        elif self.inside and tag == "option" and self.open:
            self.found[-1].choices[self.open].append(named.get("value", ""))
        elif self.inside and name and tag in ("input", "textarea", "select", "button"):
            self._field(tag, name, named)

    def _field(self, tag: str, name: str, named: Mapping[str, str]) -> None:
        form, kind = self.found[-1], named.get("type", tag)
        form.fields.setdefault(name, named.get("value", ""))
        form.kinds.setdefault(name, kind)
        if kind in ("radio", "checkbox", "submit", "button"):
            form.choices.setdefault(name, []).append(named.get("value", "on"))
        if tag == "select":
            form.choices.setdefault(name, [])
        if tag in ("select", "textarea"):
            self.open, self.writing = name, tag == "textarea"

    def handle_data(self, data: str) -> None:
        if self.inside and self.writing:
            self.found[-1].fields[self.open] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        elif tag in ("select", "textarea"):
            self.open, self.writing = "", False


def shown_on(page: str) -> Forms:
    """Return the forms and links of a page."""
    parser = Forms()
    parser.feed(page)
    return parser


def forms_of(page: str, *, at: str) -> dict[str, Form]:
    """Return the posting forms of a page by the name of the route that they post to."""
    found = {}
    for form in shown_on(page).found:
        if form.method != "post":
            continue
        try:
            found[str(resolve(urlsplit(form.action or at).path).url_name)] = form
        except Resolver404:
            continue
    return found


def filled_ask(route: str, form: Form, aim: Aim, *, at: Ask) -> Ask:
    """Return a form as a reader of the page `at` fills it in: what is asked for is there, what is offered is chosen."""
    body = {name: _sensible(name, form, aim) for name in form.fields if name != "csrfmiddlewaretoken"}
    path = urlsplit(form.action or at.path).path
    project = project_at(path, at)
    if form.method == "get":
        return Ask(operation=f"page {route}", method="GET", path=f"{path}?{urlencode(body)}", project=project)
    return Ask(operation=f"form {route}", method="POST", path=path, body=body, form=True, project=project)


def project_at(path: str, at: Ask) -> int | None:
    """Return the one project that an address on the page `at` is about; None for one that is above projects."""
    return at.project if path.startswith("/p/") else None


def _sensible(name: str, form: Form, aim: Aim) -> str:
    value, kind = form.fields[name], form.kinds[name]
    offered = [choice for choice in form.choices.get(name, ()) if choice]
    if offered:
        return aim.dice.choice(offered)
    if kind == "hidden" or (value and aim.dice.random() < KEPT):
        return value
    return TYPED.get(kind) or TYPED.get(name) or f"harbour {aim.word(How.OWN)}"
