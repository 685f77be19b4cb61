"""How the operator's commands answer: one table or one JSON line, one sentence for a refusal, and three exit codes."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol, override

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import ProgrammingError
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from governance.actors import Acting
from governance.errors import Invalid, NotThere, Refusal
from governance.ids import new_id, public_id
from governance.projects import acting_for_owner
from greywind_site.health import missing_migrations

FAILED, USAGE = 1, 2
MIGRATE = "a running `up` does it when it is started again; without one: python3 manage.py migrate"
# A pipe has no width; wide enough that no id is ever broken there.
PIPE_WIDTH = 240
# What the verbs call their fields, in the words of the command line. The rest is an option of the same name.
OPTIONS: Mapping[str, str] = {
    "/username": "USER",
    "/name": "NAME",
    "/agent": "--agent",
    "/key": "KEY",
    "/roles": "--role",
    "/scopes": "--scope",
}


class Refused(CommandError):
    """Django prints the name of this class before the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a command has to say: facts for --json, and the same for a person. `ok` False ends with exit code 1.

    What is shown as a plain string is written as it is, however wide: it may be put into a file.
    """

    facts: Mapping[str, Any]
    shown: RenderableType
    ok: bool = True


type Run = Callable[[dict[str, Any]], Told]


class Acts(Protocol):
    """What argparse returns for sub-commands."""

    def add_parser(self, name: str, **options: Any) -> ArgumentParser: ...


class TellingCommand(BaseCommand):
    """A command whose work is a function that returns what to tell."""

    requires_system_checks = []

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        run: Run = options["run"]
        try:
            told = run(options)
        except Refusal as refusal:
            code = USAGE if isinstance(refusal, Invalid | NotThere) else FAILED
            raise Refused(in_words(refusal), returncode=code) from refusal
        except ProgrammingError as fault:
            _refuse_old_schema(fault)
            raise
        self.tell(told, as_json=options["json"])

    def tell(self, told: Told, *, as_json: bool) -> None:
        """Write the answer to standard output; exit code 1 when it is not good news."""
        if as_json:
            self.stdout.write(json.dumps(told.facts, ensure_ascii=False, default=_json))
        elif isinstance(told.shown, str):
            self.stdout.write(told.shown)
        else:
            console_on(self.stdout).print(told.shown)
        if not told.ok:
            raise SystemExit(FAILED)


class OperatorCommand(TellingCommand):
    """A noun of the command line with one or more verbs."""

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        self.add_acts(parser.add_subparsers(dest="act", required=True, metavar="ACT"))

    def add_acts(self, acts: Acts) -> None:
        """Add the verbs, with `act`."""
        raise NotImplementedError


class LoneCommand(TellingCommand):
    """A command that is one verb."""

    example: ClassVar[str]

    def answer(self, options: dict[str, Any]) -> Told:
        """Do the work and return what to tell."""
        raise NotImplementedError

    @override
    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, epilog=_example(self.example), **options)

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print exactly one JSON line")
        parser.set_defaults(run=self.answer)


def act(acts: Acts, name: str, run: Run, *, help: str, example: str) -> ArgumentParser:  # noqa: A002 - argparse's word
    """Add one verb that calls `run`; its --help ends with the example."""
    shape = {"epilog": _example(example), "formatter_class": RawDescriptionHelpFormatter}
    parser = acts.add_parser(name, help=help, description=help, **shape)
    parser.add_argument("--json", action="store_true", help="print exactly one JSON line")
    parser.set_defaults(run=run)
    return parser


ONE_PROJECT = "id of the project (prj_…); not needed when there is one only"


def add_project_option(parser: ArgumentParser, *, meaning: str = ONE_PROJECT) -> None:
    """Let the command name its project; with a single one there is no need to."""
    parser.add_argument("--project", metavar="PRJ", help=meaning)


def owner_of(options: Mapping[str, Any]) -> Acting:
    """Return the first owner of the project that was named: the command acts in their name."""
    return acting_for_owner(options["project"], trace_id=new_trace())


def new_trace() -> str:
    """Return a trace id for one run of a command."""
    return public_id("trc", new_id())


def in_words(refusal: Refusal) -> str:
    """Return one line that names the argument and the remedy."""
    words = "; ".join(f"{_option(fault.pointer)}: {fault.message}" for fault in refusal.faults) or refusal.detail
    return " ".join(words.split())


def table(*columns: str, rows: Sequence[Sequence[Any]], title: str | None = None) -> Table:
    """Return a table. What people named is shown as it is, never as markup."""
    shown = Table(title=title, box=None, header_style="bold", pad_edge=False)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(in_cell(value)) for value in row))
    return shown


def lines(facts: Mapping[str, Any], *, then: Sequence[str] = ()) -> RenderableType:
    """Return one line a fact, and sentences below them."""
    shown = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        shown.add_row(Text(name), Text(in_cell(value), overflow="fold"))
    return Group(shown, *(Text(sentence) for sentence in then))


def in_cell(value: Any) -> str:
    """Return a value as a person reads it: moments in UTC to the minute, nothing for None."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M")
        case list() | tuple() | set() | frozenset():
            return ", ".join(sorted(map(str, value)) if isinstance(value, set | frozenset) else map(str, value))
    return str(value)


def console_on(stream: Any) -> Console:
    """Return a console that writes plain text where nobody watches."""
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, highlight=False, soft_wrap=False)


def _refuse_old_schema(fault: ProgrammingError) -> None:
    """A running `up` of an older checkout has not applied what this one expects."""
    if missing := len(missing_migrations()):
        raise Refused(f"{missing} migrations are not applied; {MIGRATE}", returncode=FAILED) from fault


def _example(line: str) -> str:
    return f"example:\n  python3 manage.py {line}"


def _option(pointer: str) -> str:
    if not pointer.startswith("/"):
        return pointer
    return OPTIONS.get(pointer, f"--{pointer.strip('/').replace('_', '-')}")


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else str(value)
