"""On which page of the console what a ref names is shown."""

import re
from collections.abc import Callable, Mapping

from django.urls import NoReverseMatch, reverse

ID = r"[a-z]{3}_[0-9a-f]{32}"
FORM = re.compile(rf"(?P<scheme>[a-z]+)://(?P<id>{ID})(?P<rest>.*)", re.DOTALL)
EVENT_PLACE = re.compile(r"/(\d{1,9})(?:-\d{1,9})?")
PART = re.compile(r"#([tl])=(\d{1,9}),(\d{1,9})")
# Which page shows what, by scheme; every address takes the project and the id.
PAGES: Mapping[str, str] = {
    "memory": "memory",
    "summary": "summary",
    "thread": "thread",
    "vision": "thread",
    "session": "session",
    "task": "task",
    "context": "context",
    "proposal": "proposal",
}

type Address = Callable[[str, str, str], str | None]


def page_of_ref(project: str, ref: str) -> str | None:
    """Return the address of the page that shows what the ref names, or None where it has no page of its own.

    Whether it is there, and for this reader, is the page's own matter.
    """
    form = FORM.fullmatch(ref)
    if form is None:
        return None
    scheme, named, rest = form.group("scheme", "id", "rest")
    find = SPECIAL.get(scheme)
    if find is not None:
        return find(project, named, rest)
    return _page(PAGES[scheme], project, named) if scheme in PAGES else None


def _event(project: str, session: str, rest: str) -> str | None:
    place, page = EVENT_PLACE.fullmatch(rest), _page("session", project, session)
    return f"{page}?seq={int(place.group(1))}#e{int(place.group(1))}" if place and page else None


def _artifact(project: str, artifact: str, rest: str) -> str | None:
    page, part = _page("artifact", project, artifact), PART.fullmatch(rest)
    if page is None or part is None:
        return page if rest == "" else None
    unit, offset, limit = part.groups()
    if unit == "t":
        return f"{page}?unit=tokens&offset={int(offset)}&limit={max(int(limit), 1)}"
    return f"{page}?offset={int(offset)}&limit={max(int(limit), 1)}#L{int(offset) + 1}"


SPECIAL: Mapping[str, Address] = {"event": _event, "artifact": _artifact}


def _page(name: str, project: str, named: str) -> str | None:
    try:
        return reverse(name, args=[project, named])
    except NoReverseMatch:
        return None
