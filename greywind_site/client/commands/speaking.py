"""How the command speaks: results on standard output, prose on standard error, and what an exit code means."""

import json
import os
import sys
from enum import IntEnum
from typing import Any, NoReturn

from greywind_site.client.http import GreyWind, Refused, Unreachable
from greywind_site.client.profile import Profile, load

CONFLICTS = (409, 412, 428)
FOR_A_HUMAN = (401, 403)


class Exit(IntEnum):
    """What the exit code says."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NEEDS_HUMAN = 3
    CONFLICT = 4


class Stopped(Exception):
    """The command ends here, with one line for the person."""

    def __init__(self, line: str, code: Exit = Exit.FAILED) -> None:
        super().__init__(line)
        self.code = code


def say(line: str) -> None:
    """Write one line of prose."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def show(text: str) -> None:
    """Write a result."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def show_json(value: Any) -> None:
    """Write a result for a program."""
    show(json.dumps(value, ensure_ascii=False, indent=2))


def coloured(text: str) -> bool:
    """True where colour is welcome."""
    return bool(text) and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def stop(line: str, code: Exit = Exit.FAILED) -> NoReturn:
    """End the command."""
    raise Stopped(line, code)


def client_of(profile: Profile | None = None) -> GreyWind:
    """Return a client for the profile in force; raises NoProfile and Stopped."""
    profile = profile or load()
    try:
        return GreyWind(profile.url, profile.key)
    except ValueError as error:
        raise Stopped(str(error), Exit.USAGE) from error


def code_of(error: Refused | Unreachable) -> Exit:
    """Return the exit code of a call that did not succeed."""
    if isinstance(error, Unreachable):
        return Exit.FAILED
    if error.status in CONFLICTS:
        return Exit.CONFLICT
    return Exit.NEEDS_HUMAN if error.status in FOR_A_HUMAN else Exit.FAILED
