"""The hook command: what a harness waits for. It ends in time, with exit code 0, whatever happens."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType

from greywind_site.client.hooks.given import Given, Moment, Unreadable, read_given
from greywind_site.client.hooks.steps import Reply, Step
from greywind_site.client.profile import NoProfile, load

# Seconds that the harness waits at most. The end of a session has 1.5 of its own in Claude Code.
LIMITS = {Moment.SESSION_START: 5.0, Moment.SESSION_END: 1.2}
LIMIT = 2.0
LIMIT_VARIABLES = ("GREYWIND_HOOK_START_LIMIT", "GREYWIND_HOOK_LIMIT")
SPARE = 0.25  # of the limit, kept for putting notes away after the last call


class TooLate(BaseException):
    """The time is over. Not an Exception: nothing on the way may take it for one of its own."""


def run(words: list[str]) -> int:
    """Answer one call of the harness, and always return 0."""
    moment = words[0] if words else ""
    try:
        known = Moment(moment)
    except ValueError:
        _say(f"there is no hook {moment!r}; known are: {', '.join(Moment)}")
        return 0
    try:
        reply = _in_time(known)
    except TooLate:
        reply = Reply(note="this took too long and was left; what is on disk goes out later")
    except (NoProfile, Unreadable) as error:
        reply = Reply(note=str(error))
    except Exception as error:  # noqa: BLE001 - a harness must not stumble over us: one line, and it goes on
        reply = Reply(note=f"the hook failed ({type(error).__name__}: {error})")
    with suppress(BrokenPipeError):
        _answer(known, reply)
    return 0


def _in_time(moment: Moment) -> Reply:
    limit = limit_of(moment, os.environ)
    with _alarm(limit):
        deadline = time.monotonic() + limit * (1 - SPARE)
        given = read_given(sys.stdin.buffer.read())
        return _step(given, deadline=deadline).run(moment)


def _step(given: Given, *, deadline: float) -> Step:
    return Step(given, load(), deadline=deadline)


def limit_of(moment: Moment, environ: Mapping[str, str]) -> float:
    """Return the seconds that this hook may take: a setting of the environment, or what the moment allows."""
    told = environ.get(LIMIT_VARIABLES[moment is not Moment.SESSION_START], "")
    try:
        seconds = float(told)
    except ValueError:
        seconds = 0.0
    return seconds if 0 < seconds < 600 else LIMITS.get(moment, LIMIT)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise TooLate inside the block when the time is over, wherever it waits."""
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _late(_number: int, _frame: FrameType | None) -> None:
    raise TooLate


def _answer(moment: Moment, reply: Reply) -> None:
    shown: dict[str, object] = {}
    if reply.context:
        shown["hookSpecificOutput"] = {"hookEventName": moment.harness_name, "additionalContext": reply.context}
    if reply.note:
        _say(reply.note)
        if moment is Moment.SESSION_START or reply.grave:
            # Standard error of a hook that went well is not shown; this the person should know.
            shown["systemMessage"] = f"GreyWind: {reply.note}"
    if shown:
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def _say(line: str) -> None:
    sys.stderr.write(f"GreyWind: {' '.join(line.split())}\n")
