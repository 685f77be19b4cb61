"""What an import shows: a progress bar while it runs, a table at the end, and the same as JSON."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from sessions.importing import FileTally, OnRead, Report, SessionTally

SESSIONS_SHOWN = 100
WIDE = 160  # columns where nobody looks on, so that ids are not folded in a log


def error_console() -> Console:
    """Return the console for all that is not the result."""
    console = Console(stderr=True, highlight=False)
    return console if console.is_terminal else Console(stderr=True, highlight=False, width=WIDE)


@contextmanager
def progress_bar(console: Console, name: str) -> Iterator[OnRead]:
    """Show how much of a file has been read, in its own bytes; shows nothing where nobody looks on."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(Text(name).markup)
        yield lambda at, size: progress.update(task, completed=at, total=size)


def show(report: Report, console: Console) -> None:
    """Print the report as tables: sessions, then what was wrong, line by line."""
    console.print(_sessions(report))
    if len(report.sessions) > SESSIONS_SHOWN:
        console.print(f"… and {len(report.sessions) - SESSIONS_SHOWN} more sessions")
    for tally in report.files:
        _show_troubles(tally, console)
    if report.dry_run:
        console.print("Dry run: nothing was stored.")


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as one JSON value. In a dry run, ids of what would be made are null."""
    sessions = list(report.sessions.values())
    return {
        "dry_run": report.dry_run,
        "rows": sum(tally.read for tally in sessions),
        "stored": sum(tally.stored for tally in sessions),
        "already_there": sum(tally.there for tally in sessions),
        "threads_made": report.threads_made,
        "files": [_file(tally) for tally in report.files],
        "sessions": [_session(tally) for tally in sessions],
    }


def _file(tally: FileTally) -> dict[str, Any]:
    return {
        "file": tally.name,
        "format": tally.form,
        "rows": tally.rows,
        "unreadable": tally.unread,
        "trouble_count": tally.trouble_count,
        "troubles": [{"line": trouble.line, "message": trouble.message} for trouble in tally.troubles],
    }


def _session(tally: SessionTally) -> dict[str, Any]:
    session = tally.place.session if tally.place else None
    return {
        "name": tally.name,
        "rows": tally.read,
        "stored": tally.stored,
        "already_there": tally.there,
        "thread_made": tally.thread_made,
        "session_id": session.public_id if session else None,
        "thread_id": session.thread.public_id if session else None,
    }


def _sessions(report: Report) -> Table:
    table = Table("session", "thread", title="What would be imported" if report.dry_run else "Imported")
    for heading in ("rows read", "would be stored" if report.dry_run else "stored", "already there"):
        table.add_column(heading, justify="right")
    for tally in list(report.sessions.values())[:SESSIONS_SHOWN]:
        table.add_row(Text(tally.name), _thread(tally), str(tally.read), str(tally.stored), str(tally.there))
    total = as_json(report)
    table.add_section()
    made = f"{report.threads_made} new"
    table.add_row("all", made, str(total["rows"]), str(total["stored"]), str(total["already_there"]))
    return table


def _thread(tally: SessionTally) -> str:
    known = tally.place.session.thread.public_id if tally.place else ""
    return " ".join(part for part in (known, "(new)" if tally.thread_made else "") if part)


def _show_troubles(tally: FileTally, console: Console) -> None:
    if not tally.trouble_count:
        return
    table = Table("line", "trouble", title=Text(f"{tally.name}: {tally.trouble_count} troubles"))
    for trouble in tally.troubles:
        table.add_row(str(trouble.line), Text(trouble.message))
    if tally.trouble_count > len(tally.troubles):
        table.add_row("…", f"{tally.trouble_count - len(tally.troubles)} more")
    console.print(table)
