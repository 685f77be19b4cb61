"""`manage.py import_transcript`: working sessions of other tools, brought in."""

import json
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from governance.actors import Acting
from governance.errors import Invalid, NotThere, Refusal
from governance.ids import new_id, parse_id, public_id
from governance.projects import acting_for_owner
from governance.scope import project_scope
from sessions.import_places import Target, check_target
from sessions.importing import Importer, Report
from sessions.imports.opening import open_source
from sessions.imports.reading import AUTO, FORMATS, read_transcript
from sessions.management.import_report import as_json, error_console, progress_bar, show

FAILED, USAGE = 1, 2
HELP = """Import transcripts of working sessions (plain or gzipped), record by record, each exactly once.

Each session of a file gets a thread of its own, titled by its name; a sub-agent's is a session of its own too.
With --thread the sessions of the files continue that thread as one session. The same file again stores nothing
twice, and completes an import that was stopped. What no format understands is kept as it stands.

formats:
  claude-code  session files of Claude Code (~/.claude/projects/…/*.jsonl)
  openai       chat messages or Responses items: a list, an object that holds one, or one a line
  anthropic    messages with content blocks, in the same outer forms
  jsonl        {session, seq, role, kind: message|tool_call|tool_result|summary, text, [ts, tool, error]} a line

exit codes: 0 done, 1 rows that could not be read (kept as they stand) or an import that had to stop, 2 usage"""


class Command(BaseCommand):
    """Acts as the project's first owner; prints a report on stderr and, if asked, one JSON line on stdout."""

    help = HELP

    @override
    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="transcripts to import")
        parser.add_argument("--format", choices=FORMATS, default=AUTO, help="format of the files (default: auto)")
        parser.add_argument("--project", metavar="prj_…", help="project to import into (default: the only one)")
        parser.add_argument("--thread", metavar="thr_…", help="thread to continue (default: a new one a session)")
        parser.add_argument("--role", default="dev", help="role whose sessions these are (default: dev)")
        parser.add_argument("--dry-run", action="store_true", help="read, report what would happen, store nothing")
        parser.add_argument("--json", action="store_true", help="print the report as one JSON line on stdout")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = run(options)
        except Refusal as refusal:
            code = USAGE if isinstance(refusal, Invalid | NotThere) else FAILED
            raise CommandError(refusal.detail, returncode=code) from refusal
        if options["json"]:
            self.stdout.write(json.dumps(as_json(report), ensure_ascii=False))
        if report.unread:
            raise CommandError(f"{report.unread} lines could not be read and are kept as they stand", returncode=FAILED)


def run(options: dict[str, Any]) -> Report:
    """Import the files and show how it went. Raises Refusal; what had been stored before it stays stored."""
    acting, target = aim(options)
    for path in options["files"]:
        check_readable(path, options["format"])
    importer = Importer(acting, target, now=timezone.now(), dry_run=options["dry_run"])
    console = error_console()
    for path in options["files"]:
        with progress_bar(console, path.name) as on_read:
            importer.read(path, form=options["format"], on_read=on_read)
    show(importer.report, console)
    return importer.report


def aim(options: dict[str, Any]) -> tuple[Acting, Target]:
    """Return who acts, and where the sessions go; raises Invalid that names the option at fault."""
    acting = acting_for_owner(options["project"], trace_id=public_id("trc", new_id()))
    thread_id = parse_id("thr", options["thread"], pointer="--thread") if options["thread"] else None
    target = Target(role=options["role"], thread_id=thread_id)
    with project_scope(acting, read_only=True):
        check_target(target)
    return acting, target


def check_readable(path: Path, form: str) -> None:
    """Raise Invalid unless the file can be opened and its format is known; done for all files before the first."""
    try:
        with open_source(path) as source:
            read_transcript(source, form=form)
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror or error}") from error
    except Invalid as fault:
        raise Invalid(f"{path}: {fault.detail.replace('/format', '--format', 1)}") from fault
