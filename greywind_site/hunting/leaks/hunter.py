"""The hunt itself: requests of everybody for everything, and what was heard that was not for them."""

import random
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

from governance.ids import new_id, public_id
from greywind_site.hunting.leaks.aiming import REFS, Aim, How, nouns
from greywind_site.hunting.leaks.api_asks import Operation, ask_of, noun_of, operations
from greywind_site.hunting.leaks.asking import Answer, Ask, send
from greywind_site.hunting.leaks.form_asks import Form, forms_of
from greywind_site.hunting.leaks.ground import PROJECTS
from greywind_site.hunting.leaks.marks import CURSOR, PRIVATE, Place, ids_in, marks_in, place_of, sent_in
from greywind_site.hunting.leaks.meeting import Met
from greywind_site.hunting.leaks.page_asks import (
    LEFT_ALONE,
    Route,
    form_ask,
    page_ask,
    random_ids,
    routes,
)
from greywind_site.hunting.leaks.people import Principal
from greywind_site.hunting.leaks.report import Leak, Report
from greywind_site.hunting.leaks.storing import stored_since
from greywind_site.hunting.leaks.world import World
from greywind_site.hunting.telling import Tell

# Of each answer differs by itself: the ids of the request, its date, and what a browser session is given.
PASSING = re.compile(r"(?:trc|rid)_[0-9a-f]{32}|csrftoken=\w+|expires=[^;]+|name=\"csrfmiddlewaretoken\" value=\"\w+\"")
MOST_CURSORS = 400
MOST_TOLD = 50


class Hunter:
    """Sends requests as everybody, with seeded dice, and judges each answer."""

    def __init__(self, world: World, *, seed: int) -> None:
        self.world, self.ground = world, world.ground
        self.dice = random.Random(seed)  # noqa: S311 - to be the same again, not to be secret
        self.report = Report()
        self.forms: dict[str, Form] = {}
        self.met, self.learning = Met(alone=LEFT_ALONE), True
        self.owners = {crew.number: crew.owner.acting.actor_id for crew in world.crews}
        self.cursors: list[str] = []
        self.taken: dict[str, set[Any]] = defaultdict(set)
        self.aims = {each.name: Aim(each, self.ground, self.dice, cursors=self.cursors) for each in world.principals}
        self.calls: Sequence[Operation] = operations()
        self.pages: Sequence[Route] = [route for route in routes() if route.name not in LEFT_ALONE]

    def run(self, requests: int, *, tell: Tell = lambda _text: None) -> Report:
        """Walk over everything that somebody may read, then ask for what they may not, `requests` requests in all."""
        started = time.perf_counter()
        walk = [] if self.report.walked else self._walk()
        for ask, by in walk:
            if self.report.requests >= requests:
                break
            self.ask(ask, by)
        else:
            self.report.walked = True
        tell(f"walked over what everybody may read: {self.report.requests} requests, {len(self.report.leaks)} leaks")
        self._follow(most=(requests - self.report.requests) // 3)
        tell(f"tried what the pages show: {self.report.requests} requests, {len(self.report.leaks)} leaks")
        self._knock(until=self.report.requests + (requests - self.report.requests) // 3)
        tell(f"knocked at others' doors: {self.report.requests} requests, {len(self.report.oracles)} tell them apart")
        while self.report.requests < requests:
            self.ask_at_random()
            if self.report.requests % 5_000 == 0:
                tell(f"{self.report.requests} requests, {len(self.report.leaks)} leaks")
        self.report.seconds += time.perf_counter() - started
        return self.report

    def _follow(self, *, most: int) -> None:
        """Follow links and fill in forms that were shown, each as whoever saw it, at most so many."""
        for ask, by in islice(self.met.tries(self.aims), max(0, most)):
            self.ask(ask, by)
        self.learning = False

    def _knock(self, *, until: int) -> None:
        """Read what is not theirs as somebody, and its twin, once at each address that names something, until there
        were so many requests.
        """
        agents = [each for each in self.world.principals if each.is_agent]
        humans = [each for each in self.world.principals if each.cookie]
        calls = [one for one in self.calls if one.method == "GET" and one.named]
        pages = [one for one in self.pages if any(name.endswith("_id") for name in one.parameters)]
        doors: list[Operation | Route] = [*calls, *pages]
        for door in self.dice.sample(doors, len(doors)):
            if self.report.requests >= until:
                return
            by = self.dice.choice(agents if isinstance(door, Operation) else humans)
            aim = self.aims[by.name]
            ask = ask_of(door, aim, How.FOREIGN) if isinstance(door, Operation) else page_ask(door, aim, How.FOREIGN)
            self._ask_twice(ask, by)

    def ask_at_random(self) -> None:
        """Send one request of a random kind as somebody, and its twin where ids of others were put in."""
        by = self.dice.choice(self.world.principals)
        how = self.dice.choices(list(How), weights=[4, 5, 1, 1])[0]
        self._ask_twice(self.random_ask(by, how), by)

    def _ask_twice(self, ask: Ask, by: Principal) -> None:
        answer = self.ask(ask, by)
        if ask.aimed and ask.method == "GET":
            self.compare(ask, answer, by)

    def random_ask(self, by: Principal, how: How) -> Ask:
        """Return a request as this principal would send it: agents call the API, humans open pages, nobody both."""
        aim = self.aims[by.name]
        if by.is_agent or (not by.cookie and self.dice.random() < 0.5):
            return ask_of(self.dice.choice(self.calls), aim, how)
        route = self.dice.choice(self.pages)
        if self.dice.random() < 0.2:
            return form_ask(route, self.forms.get(route.name), aim, how)
        return page_ask(route, aim, how)

    def ask(self, ask: Ask, by: Principal) -> Answer:
        """Send a request and judge its answer."""
        since = new_id()
        answer = send(ask, by, look=lambda answer: self._look_at_rest(ask, answer, by, since))
        report = self.report
        report.requests += 1
        report.operations[ask.operation] += 1
        report.statuses[f"{answer.code // 100}xx"] += 1
        if answer.code >= 500 and len(report.failures) < MOST_TOLD:
            report.failures.append(f"{answer.status} to {by.name} from {ask.operation} ({ask.path})")
        self._judge(ask, answer, by)
        self._learn(ask, answer, by)
        return answer

    def compare(self, ask: Ask, answer: Answer, by: Principal) -> None:
        """Ask the same with random ids: what is heard must be the same, byte for byte."""
        ids = random_ids(ask.aimed)
        twin = ask.replaced(ids)
        other = self.ask(twin, by)
        self.report.pairs += 1
        if masked(answer, ask.aimed) != masked(other, tuple(ids.values())) and len(self.report.oracles) < MOST_TOLD:
            self.report.oracles.append(f"{by.name} can tell a foreign id from a random one: {ask.operation} {ask.path}")

    def _judge(self, ask: Ask, answer: Answer, by: Principal) -> None:
        whole = answer.whole
        sent_marks, sent_ids = sent_in(ask.texts)
        for mark in marks_in(whole):
            if self._is_for(by, ask, mark):
                self.report.heard[mark].add(by.name)
                self.report.showing[ask.operation].update(table for table, _ in self.ground.marks.get(mark, ()))
            elif mark not in sent_marks:
                self._leaked(ask, by, mark, self.ground.marks.get(mark, {("?", "?")}))
        for pk in ids_in(whole) - sent_ids:
            known = self.ground.ids.get(pk)
            if known is not None and known[1].project not in by.seats:
                self._leaked(ask, by, str(pk), {(known[0], "id")})

    def _look_at_rest(self, ask: Ask, answer: Answer, by: Principal, since: uuid.UUID) -> None:
        """Look at what a request stored: nothing in it may be for fewer than those who may read the row."""
        if answer.code >= 300 or len(by.seats) != 1:
            return
        sent, _ = sent_in(ask.texts)
        [(number, member)] = by.seats.items()
        for table, place, text in stored_since(since, member, number):
            alone = place.audience == PRIVATE and place.who == member.number
            for mark in marks_in(text) - sent:
                if not (by.may_read(place_of(mark)) if alone else place_of(mark) in (place, Place(number))):
                    self.report.leaks.append(
                        Leak(by.name, ask.operation, ask.path, f"{mark} stored for others", table, ask.shown)
                    )

    def _is_for(self, by: Principal, ask: Ask, mark: str) -> bool:
        place = place_of(mark)
        here = ask.project is None or place.project == ask.project
        # The switcher of projects, on every page, names all of one's own.
        return by.may_read(place) and (here or PROJECTS in {table for table, _ in self.ground.marks.get(mark, ())})

    def _leaked(self, ask: Ask, by: Principal, what: str, where: Any) -> None:
        for table in sorted({table for table, _ in where}):
            self.report.leaks.append(Leak(by.name, ask.operation, ask.path, what, table, ask.shown))

    def _learn(self, ask: Ask, answer: Answer, by: Principal) -> None:
        """Keep cursors and forms, for others to send, and a few of each form for whoever it was shown to."""
        self.cursors.extend(CURSOR.findall(answer.body))
        del self.cursors[:-MOST_CURSORS]
        if ask.operation.startswith("page") and "<form" in answer.body:
            for name, form in forms_of(answer.body, at=ask.path).items():
                self.forms.setdefault(name, form)
        if self.learning and ask.operation.startswith("page") and answer.code == 200:
            owns = any(
                self.owners[number] == seat.acting.actor_id
                for number, seat in by.seats.items()
                if number == ask.project
            )
            self.met.learn(answer.body, at=ask, by=by, owns=owns)

    def _walk(self) -> Iterator[tuple[Ask, Principal]]:
        """Yield reads of every row by somebody who may: each row once by the API and once in the console."""
        yield from self._lists()
        for by in self.world.principals:
            for operation in (one for one in self.calls if one.method == "GET" and by.is_agent):
                yield from self._calls_of(operation, by)
            yield from self._pages_of(by)
        yield from self._refs()

    def _lists(self) -> Iterator[tuple[Ask, Principal]]:
        for by in self.world.principals:
            aim = self.aims[by.name]
            if by.is_agent:
                plain = [one for one in self.calls if one.method == "GET" and not one.named]
                yield from ((Ask(operation=one.name, method="GET", path=f"{one.path}?limit=200"), by) for one in plain)
                yield _search(aim), by
            elif by.cookie:
                yield from ((Ask(operation=f"page {name}", method="GET", path=path), by) for name, path in HOME.items())

    def _calls_of(self, operation: Operation, by: Principal) -> Iterator[tuple[Ask, Principal]]:
        if len(operation.named) != 1:
            return
        noun = noun_of(operation.named[0])
        for pk in self._first_for(by, noun.table, f"{operation.name}"):
            path = operation.path.replace(f"{{{operation.named[0]}}}", public_id(noun.prefix, pk))
            query = "?ref=x" if any(each["name"] == "ref" for each in operation.parameters) else ""
            yield Ask(operation=operation.name, method="GET", path=path + query), by

    def _pages_of(self, by: Principal) -> Iterator[tuple[Ask, Principal]]:
        for number in by.seats if by.cookie else ():
            project = public_id("prj", next(pk for pk, place in self.ground.rows[PROJECTS] if place.project == number))
            for route in self.pages:
                names = [name for name in route.parameters if name != "project_id"]
                if "project_id" not in route.parameters or len(names) > 1 or (names and not names[0].endswith("_id")):
                    continue
                base = "/" + route.pattern.replace("<str:project_id>", project)
                if not names:
                    for query in ("", *self._exports(route.name, number)):
                        yield Ask(operation=f"page {route.name}", method="GET", path=base + query, project=number), by
                    continue
                noun = noun_of(names[0])
                for pk in self._first_for(by, noun.table, route.name, project=number):
                    path = base.replace(f"<str:{names[0]}>", public_id(noun.prefix, pk))
                    yield Ask(operation=f"page {route.name}", method="GET", path=path, project=number), by
            yield from self._contracts_of(by, number, project)

    def _exports(self, name: str, number: int) -> Sequence[str]:
        """Return the exports of a page, to the first who opens it in a project."""
        taken = self.taken[f"export {name}"]
        first = number not in taken
        taken.add(number)
        return EXPORTS.get(name, ()) if first else ()

    def _contracts_of(self, by: Principal, number: int, project: str) -> Iterator[tuple[Ask, Principal]]:
        for place, kind, slug in self.ground.contracts:
            if place.project == number and by.may_read(place):
                path = f"/p/{project}/roles/{kind}/{slug}/1"
                for query in ("", *EXPORTS["revision"]):
                    yield Ask(operation="page revision", method="GET", path=path + query, project=number), by

    def _refs(self) -> Iterator[tuple[Ask, Principal]]:
        agents = [each for each in self.world.principals if each.is_agent]
        for scheme, (model, tails) in REFS.items():
            noun = nouns()[model]
            for by in agents:
                for pk in self._first_for(by, noun.table, f"ref {scheme}"):
                    ref = f"{scheme}://{public_id(noun.prefix, pk)}{tails[-1]}"
                    yield Ask(operation="GET /api/v1/evidence", method="GET", path=f"/api/v1/evidence?ref={ref}"), by

    def _first_for(self, by: Principal, table: str, key: str, *, project: int | None = None) -> list[Any]:
        """Return the rows of a table that this principal may read, each to whoever comes first."""
        taken = self.taken[key]
        rows = [
            pk
            for pk in self.aims[by.name].rows(table, own=True)
            if pk not in taken and (project is None or self.ground.ids[pk][1].project == project)
        ]
        taken.update(rows)
        return rows


EXPORTS: Mapping[str, Sequence[str]] = {
    "audit": ("?as=jsonl", "?as=csv"),
    "project_inbox": ("?tab=open&as=jsonl", "?tab=mine&as=csv"),
    "revision": ("?as=markdown",),
}
HOME: Mapping[str, str] = {"home": "/", "inbox": "/inbox", "account": "/account"}


def _search(aim: Aim) -> Ask:
    word = quote(aim.word(How.OWN))
    return Ask(operation="GET /api/v1/memories/search", method="GET", path=f"/api/v1/memories/search?q={word}")


def masked(answer: Answer, ids: Sequence[str]) -> str:
    """Return an answer with everything masked that differs from request to request, and the ids that were sent."""
    whole = PASSING.sub("PASSING", answer.whole)
    for each in ids:
        whole = whole.replace(each, "ID")
    return whole
