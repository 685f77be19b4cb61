"""On which page of the console a thing is shown, told by its public id or by a ref to it alone.

Nothing is looked up: whether it is there, and for this reader, is the page's own matter, so an address tells nobody
what there is.
"""

import re
from collections.abc import Callable, Mapping

from django.urls import reverse

from governance.models import Actor
from governance.vocabulary import ActorKind

ID = r"[a-z]{3}_[0-9a-f]{32}"
BARE = re.compile(ID)
FORM = re.compile(rf"(?P<scheme>[a-z]+)://(?P<id>{ID})(?P<rest>.*)", re.DOTALL)
EVENT_PLACE = re.compile(r"/(\d{1,9})(?:-\d{1,9})?")
PART = re.compile(r"#([tl])=(\d{1,9}),(\d{1,9})")
# Which page shows what, by the prefix of its id; every address takes the project and the id. An actor's id does not
# say whether it is an agent, so `page_of_actor` takes the actor.
PAGES: Mapping[str, str] = {
    "art": "artifact",
    "cfl": "conflict",
    "hnd": "handoff",
    "inb": "inbox_item",
    "mem": "memory",
    "ofr": "answer_offer",
    "pkt": "context",
    "prp": "proposal",
    "ses": "session",
    "sum": "summary",
    "thr": "thread",
    "tsk": "task",
}
# Refs of these name what has a page as a whole, whichever version of it they name.
WHOLE = frozenset(
    (
        "conflict",
        "context",
        "handoff",
        "memory",
        "proposal",
        "session",
        "summary",
        "task",
        "thread",
        "vision",
    )
)

type Address = Callable[[str, str, str], str | None]


def page_of(project: str, named: str) -> str | None:
    """Return the address of the page that shows what a public id or a ref names, or None where it has none."""
    return page_of_id(project, named) or page_of_ref(project, named)


def page_of_id(project: str, named: str) -> str | None:
    """Return the address of the page that shows what a public id names, or None where it has no page of its own."""
    page = PAGES.get(named.partition("_")[0]) if BARE.fullmatch(named) else None
    return reverse(page, args=[project, named]) if page else None


def page_of_ref(project: str, ref: str) -> str | None:
    """Return the address of the page that shows what a ref names, or None where it has no page of its own."""
    form = FORM.fullmatch(ref)
    if form is None:
        return None
    scheme, named, rest = form.group("scheme", "id", "rest")
    find = SPECIAL.get(scheme)
    if find is not None:
        return find(project, named, rest)
    return page_of_id(project, named) if scheme in WHOLE else None


def page_of_actor(project: str, actor: Actor) -> str | None:
    """Return the address at which an actor is shown: an agent's page, or a person's line among the members."""
    match actor.kind:
        case ActorKind.AGENT:
            return reverse("agent", args=[project, actor.public_id])
        case ActorKind.HUMAN:
            return f"{reverse('members', args=[project])}#{actor.public_id}"
        case _:
            return None


def _event(project: str, session: str, rest: str) -> str | None:
    place, page = EVENT_PLACE.fullmatch(rest), page_of_id(project, session)
    return f"{page}?seq={int(place.group(1))}#e{int(place.group(1))}" if place and page else None


def _artifact(project: str, artifact: str, rest: str) -> str | None:
    page, part = page_of_id(project, artifact), PART.fullmatch(rest)
    if page is None or part is None:
        return page if rest == "" else None
    unit, offset, limit = part.groups()
    if unit == "t":
        return f"{page}?unit=tokens&offset={int(offset)}&limit={max(int(limit), 1)}"
    return f"{page}?offset={int(offset)}&limit={max(int(limit), 1)}#L{int(offset) + 1}"


SPECIAL: Mapping[str, Address] = {"event": _event, "artifact": _artifact}
