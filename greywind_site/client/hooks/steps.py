"""What happens at each step of a session: take in, keep on disk, deliver, and at its start ask for the context."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greywind_site.client.folder import root_of
from greywind_site.client.hooks import events
from greywind_site.client.hooks.context import Occasion, context_text
from greywind_site.client.hooks.delivering import SLOW_SECONDS, deliver, is_paused, pause, resume
from greywind_site.client.hooks.given import Given, Moment
from greywind_site.client.hooks.opening import Turned, open_session, resume_session
from greywind_site.client.hooks.taking_in import Full, Taken, prompt_id, put, take_in
from greywind_site.client.hooks.transcript import holds, size_of
from greywind_site.client.hooks.window import LARGEST_QUEUE, Notes, Window, forget_old, window_of
from greywind_site.client.profile import Profile
from greywind_site.client.wire import NoAnswer, Wire

LOOK_AGAIN_SECONDS, LOOK_UNTIL_SECONDS = 0.05, 0.2  # the harness writes its transcript a moment after it calls


@dataclass
class Reply:
    """What the harness gets: context for the model where there is some, and one line for the person."""

    context: str = ""
    note: str = ""
    grave: bool = False


class Step:
    """One call of the harness."""

    def __init__(self, given: Given, profile: Profile, *, deadline: float) -> None:
        self.given, self.profile = given, profile
        self.window: Window = window_of(profile, given.session_id)
        self.wire = Wire(profile, deadline=deadline)
        self.reply = Reply()

    def run(self, moment: Moment) -> Reply:
        """Do what this moment asks for; what cannot be delivered now stays on the disk, and the note says so."""
        try:
            _AT[moment](self)
        except Full:
            kept = f"{LARGEST_QUEUE // 1_000_000} MB wait for {self.profile.url}"
            self.reply.note = f"the queue is full, {kept}: what follows stays in the harness's transcript until then"
            self.reply.grave = True
        starts = moment is Moment.SESSION_START
        if self.deliver(even_if_paused=starts) and starts:
            self.begin()
        if starts:
            forget_old(now=time.time())
        return self.reply

    def deliver(self, *, even_if_paused: bool) -> bool:
        """Send what waits, unless the address was silent a moment ago; True when the server answered to everything."""
        if is_paused(self.profile) and not even_if_paused:
            return False
        resume(self.profile)
        outcome = deliver(self.window, self.profile, self.wire)
        if outcome.reason:
            self.reply.note = self.reply.note or f"{outcome.reason}; {outcome.waiting} entries wait on disk"
        elif outcome.aside:
            self.reply.note = f"{outcome.aside} entries were refused and set aside: see greywind queue"
        return not outcome.reason

    def begin(self) -> None:
        """A session begins, goes on, or comes out of a compaction: say where it stands."""
        began = time.monotonic()
        try:
            self.reply.context = self._context()
        except (NoAnswer, Turned) as error:
            self.reply.note = f"no context this time: {error}"
            if isinstance(error, NoAnswer) and time.monotonic() - began > SLOW_SECONDS:
                pause(self.profile)

    def _context(self) -> str:
        source = self.given.text("source") or "startup"
        with self.window.open() as notes:
            pass
        opened = open_session(self.wire, self.profile, notes)
        if source == "resume" and opened["recovery"] == "continued":
            # A process of its own took it up: the server only saw that the old one was never ended.
            opened = resume_session(self.wire, notes)
        text = context_text(self.wire, notes, Occasion(source, self.given.text("model"), self._shows(notes, source)))
        with self.window.open() as kept:
            kept.thread, kept.session, kept.context_tokens = notes.thread, notes.session, notes.context_tokens
            kept.packet = notes.packet
        missing = f"; not brought back: {', '.join(opened['missing'])}" if opened.get("missing") else ""
        where = f"GreyWind session {notes.session} of thread {notes.thread}, packet {notes.packet}"
        return f"{where}, {opened['recovery']}{missing}.\n\n{text}"

    def _shows(self, notes: Notes, source: str) -> str:
        """Return the packet that the window still shows: a resumed one does, as far as its transcript holds it."""
        return notes.packet if source == "resume" and holds(self.given.transcript_path, notes.packet) else ""

    def submitted(self) -> None:
        """The user typed something: it counts as theirs, since the harness says so."""
        text = self.given.text("prompt")
        with self.window.open() as notes:
            self._place(notes)
            taken = take_in(self.window, notes, self.given.transcript_path, submitted=text)
            if text.strip():
                self._tell(notes, text, taken)

    def _tell(self, notes: Notes, text: str, taken: Taken) -> None:
        hashed = events.digest(text)
        if not taken.caught_up:
            notes.vouched.append(hashed)  # it comes in its place, once what stands before it was taken in
            return
        shown, told = notes.shown.get(hashed, 0), notes.told.get(hashed, 0)
        nth = notes.told[hashed] = shown if taken.submitted else max(shown, told) + 1
        client_id = prompt_id(notes, hashed, nth)
        put(self.window, notes, [events.prompt(client_id, text, attested=True, meta=self._meta)])

    def tool_used(self) -> None:
        """A tool has answered. A helper's tools are its own affair: its report comes as a result of the agent's."""
        use, name = self.given.text("tool_use_id"), self.given.text("tool_name")
        if self.given.of_subagent:
            return
        self.taken_in(until=lambda notes: f"{use}:call" in notes.seen)
        with self.window.open() as notes:
            taken = take_in(self.window, notes, self.given.transcript_path)
            if not taken.caught_up or (not use and notes.transcript):
                return  # the transcript brings it
            use = use or f"{self.given.short_id}-{notes.count('tool')}"
            fields = self.given.fields
            call = events.tool_call(use, name, fields.get("tool_input"), meta=self._meta)
            answer = events.tool_result(use, name, fields.get("tool_response"), failed=False, meta=self._meta)
            put(self.window, notes, [call, answer])

    def compacts(self) -> None:
        """The harness is about to compact: everything before it is safe first, and the place is marked."""
        with self.window.open() as notes:
            self._place(notes)
            take_in(self.window, notes, self.given.transcript_path)
            place = f"{size_of(self.given.transcript_path) or notes.count('compact')}"
            trigger = self.given.text("trigger") or "unknown"
            meta = self._meta | {"trigger": trigger, "instructions": self.given.text("custom_instructions")}
            text = f"The harness compacts its window ({trigger})."
            mark = events.compaction(f"{self.given.short_id}:compact:{place}", "system", text, meta)
            put(self.window, notes, [mark])
            notes.packet = ""  # what it held of a context is about to go

    def stopped(self) -> None:
        """The agent has answered: what it said stands in the transcript."""
        said = self.given.text("last_assistant_message")
        hashed = events.digest(said) if said else ""
        self.taken_in(until=lambda notes: notes.said == hashed)
        if not said or size_of(self.given.transcript_path):
            return
        with self.window.open() as notes:
            client_id = f"{self.given.short_id}:said:{notes.count('said')}"
            put(self.window, notes, [events.message(client_id, "assistant", said, meta=self._meta)])

    def taken_in(self, *, until: Callable[[Notes], bool] = lambda _: True) -> None:
        """Take the transcript in, looking again for a moment until what must be there is there."""
        give_up = time.monotonic() + LOOK_UNTIL_SECONDS
        while True:
            with self.window.open() as notes:
                self._place(notes)
                take_in(self.window, notes, self.given.transcript_path)
                there = until(notes) or not size_of(self.given.transcript_path)
            if there or time.monotonic() > give_up:
                return
            time.sleep(LOOK_AGAIN_SECONDS)

    @property
    def _meta(self) -> dict[str, Any]:
        return {"harness": "claude-code", "harness_session": self.given.session_id[:200]}

    def _place(self, notes: Notes) -> None:
        notes.root = notes.root or root_of(self.given.cwd)
        notes.harness_session = self.given.session_id
        notes.url, notes.key_shown = self.profile.url, self.profile.key_shown


_AT: dict[Moment, Callable[[Step], None]] = {
    Moment.SESSION_START: Step.taken_in,
    Moment.USER_PROMPT_SUBMIT: Step.submitted,
    Moment.POST_TOOL_USE: Step.tool_used,
    Moment.PRE_COMPACT: Step.compacts,
    Moment.STOP: Step.stopped,
    Moment.SESSION_END: Step.taken_in,
}
