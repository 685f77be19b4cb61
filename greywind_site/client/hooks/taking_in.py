"""From what the harness says, and from its transcript, into the queue: in order, and each entry once."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from greywind_site.client.hooks.events import Event, compact, digest
from greywind_site.client.hooks.transcript import is_at_end, lines, size_of
from greywind_site.client.hooks.window import Notes, Window


class Full(Exception):
    """So much waits for the server that no more is kept; the harness's transcript still has it."""


@dataclass(frozen=True)
class Taken:
    """How far a reading went: to the end, and whether the prompt being submitted was what stood there."""

    caught_up: bool = True
    submitted: bool = False


def take_in(window: Window, notes: Notes, transcript: str, *, submitted: str = "") -> Taken:
    """Queue what the transcript says beyond the last reading.

    `submitted` is the prompt that is being submitted now: where the transcript ends with it, the caller tells it.
    Raises Full.
    """
    _turn_to(notes, transcript)
    if not size_of(transcript):
        return Taken()
    path, fresh, room = Path(transcript), _Fresh(notes, submitted), window.room()
    for line in lines(path, notes.offset):
        room -= sum(map(cost, line.events))
        if room < 0:
            break
        fresh.keep(line.events, line.end)
    if fresh.kept:
        window.add(fresh.kept)
        notes.seen += [event["client_id"] for event in fresh.kept]
    notes.offset = fresh.offset
    if room < 0:
        raise Full
    return Taken(is_at_end(path, notes.offset), bool(fresh.held))


def prompt_id(notes: Notes, hashed: str, nth: int) -> str:
    """Return the id of the nth prompt with these words, whether the harness or its transcript tells of it."""
    return f"{notes.harness_session[:80]}:prompt:{hashed}:{nth}"


def put(window: Window, notes: Notes, events: Iterable[Event]) -> None:
    """Queue entries that the harness told by itself, unless they are there. Raises Full."""
    fresh = [event for event in events if event["client_id"] not in notes.seen]
    if sum(map(cost, fresh)) > window.room():
        raise Full
    if fresh:
        window.add(fresh)
        notes.seen += [event["client_id"] for event in fresh]


def cost(event: Event) -> int:
    """Bytes that an entry takes in the queue."""
    return len(compact(event).encode("utf-8", "replace")) + 1


def _turn_to(notes: Notes, transcript: str) -> None:
    if not transcript:
        return
    if (notes.transcript and transcript != notes.transcript) or size_of(transcript) < notes.offset:
        notes.offset = 0  # another file, or one written anew: what is known of it is recognised by its ids
    notes.transcript = transcript


class _Fresh:
    """The entries of one reading that are not known yet."""

    def __init__(self, notes: Notes, submitted: str) -> None:
        self.notes, self.kept, self.held, self.offset = notes, list[Event](), list[Event](), notes.offset
        self._known, self._submitted = set(notes.seen), digest(submitted) if submitted else ""

    def keep(self, events: Iterable[Event], end: int) -> None:
        """Take what is new among the entries of a line, which ends there."""
        for event in events:
            hashed = digest(event["text"]) if event["role"] == "user" and "kind" not in event else ""
            if hashed:
                self._count(event, hashed)
            if event["client_id"] not in self._known:
                self._release()
                self._take(event, held=bool(hashed) and hashed == self._submitted)
        self.offset = end

    def _count(self, event: Event, hashed: str) -> None:
        nth = self.notes.shown[hashed] = self.notes.shown.get(hashed, 0) + 1
        event["client_id"] = prompt_id(self.notes, hashed, nth)
        if hashed in self.notes.vouched:
            self.notes.vouched.remove(hashed)
            event["attested"] = True

    def _take(self, event: Event, *, held: bool) -> None:
        if held:
            self.held = [event]
            return
        self._note(event)
        self.kept.append(event)
        self._known.add(event["client_id"])

    def _release(self) -> None:
        # Something stands behind it: it was not the prompt that is being submitted.
        for event in self.held:
            self._take(event, held=False)
        self.held = []

    def _note(self, event: Event) -> None:
        use, kind = event["client_id"].partition(":")[0], event.get("kind")
        if kind == "tool_call":
            self.notes.open_calls[use] = event["tool"]
        elif kind == "tool_result":
            event["tool"] = self.notes.open_calls.pop(use, "") or event["tool"]
        elif event["role"] == "assistant":
            self.notes.said = digest(event["text"])
