"""Playing a scene through the verbs, each line at its own moment before now and as whoever wrote it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

from governance.actors import Acting
from governance.scope import project_scope
from governance.vocabulary import ActorKind
from greywind_site.demo.casting import Cast
from greywind_site.demo.stories import Compile, Line, Scene, Who
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.lifecycle import OpenWish, advance_session, end_attempt, new_session, open_or_resume
from sessions.models import Artifact, Attempt, Session
from sessions.reading import constraints_of
from sessions.required import RequiredContentExceedsBudget
from sessions.runtime import prepare_context
from sessions.speaking import Speech, speak
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttemptState, AttestedBy, EventRole, SessionState
from threads.models import Thread

HUMANS = (Who.OWNER, Who.MAINTAINER)
ASKED_AFTER = timedelta(seconds=20)  # between a line and the request for context that it leads to


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Where a scene is played: an open session, how many events it had, and when it was opened."""

    cast: Cast
    scene: Scene
    session: Session
    attempt: Attempt | None
    began: datetime

    @property
    def before(self) -> int:
        return self.session.head_seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scene after it was played: its window, its last seq, when it ended, and the large results by their seq."""

    window: Window
    head_seq: int
    ended: datetime
    artifacts: Mapping[int, Artifact]

    @property
    def session(self) -> Session:
        return self.window.session


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A line of a scene, the seq that it gets and when it was written."""

    line: Line
    seq: int
    at: datetime

    @property
    def client_id(self) -> str:
        return f"demo-{self.seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request for context, the line before it where its words are meant, and when it came."""

    wish: Compile
    said: Spoken | None
    at: datetime


def open_window(cast: Cast, thread: Thread, scene: Scene, *, now: datetime) -> Window:
    """Open the session of a scene, or pick it up where it stopped. A human who writes alone starts no attempt."""
    acting, began = cast[scene.agent], now - scene.ago
    with project_scope(acting):
        if acting.kind is ActorKind.HUMAN:
            session = new_session(acting, thread, role=scene.role, now=began)
            return Window(cast=cast, scene=scene, session=session, attempt=None, began=began)
        opening = open_or_resume(acting, thread, OpenWish(role=scene.role, provider=scene.provider), now=began)
    return Window(cast=cast, scene=scene, session=opening.session, attempt=opening.attempt, began=began)


def play(window: Window) -> Played:
    """Append a scene's lines and compile its packets, in order."""
    artifacts: dict[int, Artifact] = {}
    moments = list(_moments(window))
    for writer, run in groupby(moments, key=partial(_writer, agent=window.scene.agent)):
        steps = list(run)
        for asked in (step for step in steps if isinstance(step, Asked)):
            _compile(window, asked)
        spoken = [step for step in steps if isinstance(step, Spoken)]
        if writer in HUMANS:
            _speak(window, window.cast[writer], spoken)
        elif spoken:
            artifacts |= _write(window, spoken)
    head = window.before + len(window.scene.lines)
    return Played(window=window, head_seq=head, ended=moments[-1].at + timedelta(minutes=1), artifacts=artifacts)


def pause(played: Played, *, reason: str, resume_point: str = "") -> None:
    """End the attempt and leave the session idle, with the place where the work stopped."""
    with project_scope(played.window.cast[played.window.scene.agent]):
        # Read again: its lease was renewed by every line since.
        running = Attempt.objects.get(session=played.session, state=AttemptState.RUNNING)
        end_attempt(running, now=played.ended, reason=reason)
        advance_session(played.session, SessionState.IDLE, reason=reason, resume_point=resume_point)


def _moments(window: Window) -> Iterator[Spoken | Asked]:
    last: Spoken | None = None
    for step in window.scene.steps:
        if isinstance(step, Line):
            seq, at = (last.seq + 1, last.at + window.scene.pace) if last else (window.before + 1, window.began)
            last = Spoken(line=step, seq=seq, at=at)
            yield last
        else:
            said = last if step.text is None else None
            yield Asked(wish=step, said=said, at=(last.at if last else window.began) + ASKED_AFTER)


def _writer(moment: Spoken | Asked, *, agent: Who) -> Who | None:
    """Return who wrote a line, None for a request for context: neighbouring lines of one writer are one append."""
    return (moment.line.by or agent) if isinstance(moment, Spoken) else None


def _speak(window: Window, human: Acting, spoken: Sequence[Spoken]) -> None:
    """Store what a human wrote in the console, one entry after the other, as they were sent."""
    with project_scope(human):
        for one in spoken:
            speech = Speech(
                kind=one.line.kind,
                text=one.line.text,
                client_id=one.client_id,
                session_id=window.session.pk,
                retires=_standing_ref(window, one.line.retires) if one.line.retires else None,
            )
            speak(human, window.session.thread, speech, now=one.at)


def _write(window: Window, spoken: Sequence[Spoken]) -> dict[int, Artifact]:
    acting = window.cast[window.scene.agent]
    with project_scope(acting):
        events = [_event(one) for one in spoken]
        done = append(acting, window.session.pk, events, now=spoken[-1].at)
    return {entry.event.seq: entry.event.artifact for entry in done.appended if entry.event.artifact}


def _event(spoken: Spoken) -> NewEvent:
    line = spoken.line
    return NewEvent(
        client_id=spoken.client_id,
        role=line.role,
        kind=line.kind,
        text=line.text,
        tool=line.tool,
        failed=line.failed,
        # Of its own words an agent is the only witness; what a tool gave back, its harness saw as well.
        attested_by=AttestedBy.HARNESS if line.role is EventRole.TOOL else AttestedBy.AGENT,
        occurred_at=spoken.at,
    )


def _standing_ref(window: Window, demand: str) -> str:
    return next(row.ref for row in constraints_of(window.session.thread) if row.text == demand)


def _compile(window: Window, asked: Asked) -> None:
    try:
        prepare_context(_ask(window, asked), acting=window.cast[window.scene.agent], now=asked.at)
    except RequiredContentExceedsBudget:
        if not asked.wish.refused:
            raise


def _ask(window: Window, asked: Asked) -> ContextAsk:
    wish, said = asked.wish, asked.said
    words = said.line.text if said else wish.text or ""
    return ContextAsk(
        user_input=InputFact(raw_text=words, input_type=wish.input_type, timestamp=asked.at.isoformat()),
        session_id=window.session.pk,
        # A request with the words of the last line names that line, so that it does not stand there twice.
        client_event_id=said.client_id if said else None,
        role=window.scene.role,
        phase=wish.phase,
        risk=wish.risk,
        profile=wish.profile,
        max_input_tokens=wish.max_input_tokens,
        dialect=wish.dialect,
    )
