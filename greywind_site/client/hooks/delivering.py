"""Out of the queue and to the server: in order, in batches, and past what the server will never take."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from greywind_site.client.hooks.events import Event
from greywind_site.client.hooks.opening import Turned, open_session
from greywind_site.client.hooks.taking_in import cost
from greywind_site.client.hooks.window import Notes, Waiting, Window
from greywind_site.client.places import private_folder, state_folder
from greywind_site.client.profile import Profile
from greywind_site.client.wire import Answer, NoAnswer, Wire

MOST_ENTRIES, MOST_BYTES = 100, 1_000_000  # of one request
NEVER = (400, 409, 413, 415, 422)  # statuses that say that this content is refused, now and later
GONE = ("session_closed", "not_found")
PAUSE_SECONDS = 60  # after an address that did not answer at all, so that not every step of a session waits for it
SLOW_SECONDS = 0.5
_ENTRY = re.compile(r"/events/(\d+)(/|$)")


@dataclass
class Outcome:
    """What became of a queue. `reason` says why something still waits; empty when nothing does."""

    delivered: int = 0
    aside: int = 0
    waiting: int = 0
    reason: str = ""
    answered: bool = True


def deliver(window: Window, profile: Profile, wire: Wire) -> Outcome:
    """Send what waits, until the queue is empty, the server refuses or the wire's time is over."""
    outcome = Outcome()
    with _watched(profile, outcome), window.turn():
        try:
            _Delivery(window, profile, wire, outcome).run()
        except (NoAnswer, Turned) as error:
            outcome.reason = str(error)
            outcome.answered = isinstance(error, Turned)
    with window.open() as notes:
        outcome.waiting = window.count(notes)
    return outcome


@contextmanager
def _watched(profile: Profile, outcome: Outcome) -> Iterator[None]:
    """Note an address that was silent for long, also when the time of the whole hook ends meanwhile."""
    began, ended = time.monotonic(), False
    try:
        yield
        ended = outcome.answered
    finally:
        if not ended and not outcome.delivered and time.monotonic() - began > SLOW_SECONDS:
            pause(profile)


def pause(profile: Profile) -> None:
    """Note that the address does not answer."""
    _pause_file(profile).touch(mode=0o600)


def is_paused(profile: Profile) -> bool:
    """True while an address that did not answer is left alone."""
    try:
        return time.time() - _pause_file(profile).stat().st_mtime < PAUSE_SECONDS
    except FileNotFoundError:
        return False


def resume(profile: Profile) -> None:
    """Forget that the address did not answer."""
    _pause_file(profile).unlink(missing_ok=True)


def _pause_file(profile: Profile) -> Path:
    return private_folder(state_folder()) / f"unanswered-{profile.target}"


class _Delivery:
    def __init__(self, window: Window, profile: Profile, wire: Wire, outcome: Outcome) -> None:
        self.window, self.profile, self.wire, self.outcome = window, profile, wire, outcome
        self.reopened = False

    def run(self) -> None:
        """Send batch by batch. Raises NoAnswer and Turned with the rest still in the queue."""
        while batch := self._batch():
            self._send_all(_once_each(batch))
            self._move_on(batch[-1].end)

    def _batch(self) -> list[Waiting]:
        with self.window.open() as notes:
            self.window.empty(notes)
            batch: list[Waiting] = []
            size = 0
            for waiting in self.window.waiting(notes):
                size += cost(waiting.event)
                if batch and (len(batch) == MOST_ENTRIES or size > MOST_BYTES):
                    break
                batch.append(waiting)
            return batch

    def _send_all(self, entries: list[Event]) -> None:
        while entries:
            answer = self._send(entries)
            if answer.ok:
                self.outcome.delivered += len(entries)
                return
            entries = self._without_refused(entries, answer)

    def _send(self, entries: Sequence[Event]) -> Answer:
        notes = self._notes()
        if not notes.session:
            notes = self._opened(notes)
        sent = [_without_attestation(event) if notes.unattested else event for event in entries]
        return self.wire.call("POST", f"/sessions/{notes.session}/events", {"events": sent})

    def _notes(self) -> Notes:
        with self.window.open() as notes:
            return notes

    def _opened(self, notes: Notes) -> Notes:
        open_session(self.wire, self.profile, notes)
        with self.window.open() as kept:
            kept.thread, kept.session = notes.thread, notes.session
            return kept

    def _without_refused(self, entries: list[Event], answer: Answer) -> list[Event]:
        """Return what of a refused batch is to be sent again; raises Turned when the refusal is not about it."""
        if answer.code in GONE and not self.reopened:
            self.reopened = True
            with self.window.open() as notes:
                notes.session = ""
            return entries
        if answer.code == "scope_missing" and not self._notes().unattested:
            with self.window.open() as notes:
                notes.unattested = True
            return entries
        if answer.status not in NEVER or answer.code in GONE:
            raise Turned(answer)
        return self._past_the_bad(entries, answer)

    def _past_the_bad(self, entries: list[Event], answer: Answer) -> list[Event]:
        bad = _named_entries(answer)
        if not bad and len(entries) > 1:
            # The refusal names none: they go one by one until it is found.
            for event in entries:
                self._send_all([event])
            return []
        for n in bad or {0}:
            if n < len(entries):
                self.window.set_aside(entries[n], answer.reason)
                self.outcome.aside += 1
        return [event for n, event in enumerate(entries) if n not in (bad or {0})]

    def _move_on(self, end: int) -> None:
        with self.window.open() as notes:
            notes.delivered = end
            self.window.empty(notes)


def _once_each(batch: Sequence[Waiting]) -> list[Event]:
    return list({waiting.event["client_id"]: waiting.event for waiting in batch}.values())


def _without_attestation(event: Event) -> Event:
    return {name: value for name, value in event.items() if name != "attested"}


def _named_entries(answer: Answer) -> set[int]:
    errors = answer.body.get("errors")
    pointers = [str(error.get("pointer")) for error in errors if isinstance(error, dict)] if errors else []
    return {int(found[1]) for pointer in pointers if (found := _ENTRY.match(pointer))}
