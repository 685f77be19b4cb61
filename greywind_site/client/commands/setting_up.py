"""greywind init: writes the configuration of a harness, shows it first, and takes it back."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.syntax import Syntax

from greywind_site.client import checking
from greywind_site.client.commands.speaking import Exit, client_of, coloured, say, show, stop
from greywind_site.client.http import Refused, Unreachable
from greywind_site.client.profile import NoProfile, load
from greywind_site.client.setup import entries
from greywind_site.client.setup.entries import Edit
from greywind_site.client.setup.files import Change, adding, carry_out, removing

HELP = """Write the configuration of a harness: the diff first, then the change, then a proof that it works.

No key is written: the entries name this command, which finds the key in your own settings (mode 600).
"""

app = typer.Typer(help=HELP, no_args_is_help=True)

Remove = Annotated[bool, typer.Option("--remove", help="Take it back: the files are then as they were, to the byte.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the diff and change nothing.")]
Command = Annotated[str | None, typer.Option(help="What the entries call; else the full path of this greywind.")]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Leave the proof out.")]


class Client(StrEnum):
    """Programs whose files of MCP servers are known, and any other that has the common form."""

    CURSOR = "cursor"
    VSCODE = "vscode"
    GENERIC = "generic"


@dataclass(frozen=True)
class Part:
    """A file, what is put into it, and how that is taken out again."""

    path: Path
    edit: Edit
    strip: Edit


@dataclass(frozen=True)
class Wish:
    """How to go about it."""

    remove: bool
    yes: bool
    dry_run: bool
    check: bool


@app.command("claude-code")
def claude_code(
    *,
    folder: Annotated[Path, typer.Option("--dir", help="Project: .claude/settings.json and .mcp.json.")] = Path(),
    user: Annotated[
        bool, typer.Option("--user", help="All projects: ~/.claude/settings.json, ~/.claude.json.")
    ] = False,
    remove: Remove = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    command: Command = None,
    no_check: NoCheck = False,
) -> None:
    """Connect Claude Code: context at the start of a session, its transcript kept, and the tools of GreyWind.

    Six hooks: SessionStart brings the compiled context; UserPromptSubmit, PostToolUse, PreCompact, Stop and
    SessionEnd keep what was said and done. They end within two seconds (the first within five), never fail the
    harness, and keep on disk what cannot be delivered. No key is written into these files.
    GREYWIND_HOOK_LIMIT and GREYWIND_HOOK_START_LIMIT set other limits, in seconds.
    """
    called = command or own_path()
    settings, servers = _user_files() if user else _project_files(folder)
    parts = [
        Part(settings, entries.with_hooks(called), entries.without_hooks),
        _server_part(servers, entries.stdio_server(called), under="mcpServers"),
    ]
    _go_about(parts, Wish(remove, yes, dry_run, check=not no_check))


@app.command("mcp")
def mcp(
    *,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files to write; else the client's own in this folder.")
    ] = None,
    client: Annotated[Client, typer.Option(help="Whose form the file has.")] = Client.GENERIC,
    http: Annotated[bool, typer.Option("--http", help="Name the address instead of this command.")] = False,
    only_print: Annotated[bool, typer.Option("--print", help="Print the entry, to be put in by hand.")] = False,
    remove: Remove = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    command: Command = None,
    no_check: NoCheck = False,
) -> None:
    """Give the tools of GreyWind to any agent that speaks MCP. No key is written into these files."""
    under = "servers" if client is Client.VSCODE else "mcpServers"
    called = command or own_path()
    variable = "${env:GREYWIND_KEY}" if client is not Client.GENERIC else "${GREYWIND_KEY}"
    stdio = entries.stdio_server(called, typed=client is not Client.CURSOR)
    entry = entries.http_server(load().url, variable=variable) if http else stdio
    if only_print:
        show(entries.snippet(under, entry))
        return
    own = {Client.CURSOR: Path(".cursor/mcp.json"), Client.VSCODE: Path(".vscode/mcp.json")}
    paths = files or ([own[client]] if client in own else stop("name the file to write, or use --print", Exit.USAGE))
    parts = [_server_part(path, entry, under=under) for path in paths]
    _go_about(parts, Wish(remove, yes, dry_run, check=not no_check))


def own_path() -> str:
    """Return the full path of this command, as a harness is to call it."""
    started = shutil.which(sys.argv[0])
    if started and Path(started).name == entries.NAME:
        return os.path.abspath(started)  # noqa: PTH100 - a link on the PATH stays the link
    return str(Path(sys.executable).with_name(entries.NAME))


def _server_part(path: Path, entry: dict[str, object], *, under: str) -> Part:
    return Part(path, entries.with_server(entry, under=under), entries.without_server(under=under))


def _project_files(folder: Path) -> tuple[Path, Path]:
    if not folder.is_dir():
        make = f"make it with: mkdir -p {shlex.quote(str(folder))}"
        remedy = "name a folder" if folder.exists() else f"{make}, or leave --dir out for the folder that you are in"
        stop(f"{folder} is no folder; {remedy}", Exit.USAGE)
    here = folder.resolve()
    return here / ".claude" / "settings.json", here / ".mcp.json"


def _user_files() -> tuple[Path, Path]:
    moved = os.environ.get("CLAUDE_CONFIG_DIR")
    if moved:
        return Path(moved) / "settings.json", Path(moved) / ".claude.json"
    return Path.home() / ".claude" / "settings.json", Path.home() / ".claude.json"


def _go_about(parts: Sequence[Part], wish: Wish) -> None:
    if not wish.remove:
        load()  # nothing is written for an agent that could not speak
    changes = [removing(part.path, part.strip) if wish.remove else adding(part.path, part.edit) for part in parts]
    needed = [(part, change) for part, change in zip(parts, changes, strict=True) if change.needed]
    for _, change in needed:
        _show_diff(change)
    if not needed:
        say("nothing to change")
    elif wish.dry_run:
        say("dry run: nothing was changed")
        return
    else:
        _ask(wish)
        for part, change in needed:
            carry_out(change, strip=None if wish.remove else part.strip)
            say(f"{_verb(change, remove=wish.remove)} {change.path}" + (f" ({change.word})" if change.word else ""))
    if not wish.remove and wish.check:
        _prove()


def _show_diff(change: Change) -> None:
    diff = change.diff()
    if coloured(diff):
        Console().print(Syntax(diff, "diff", background_color="default"))
    else:
        show(diff)


def _ask(wish: Wish) -> None:
    if wish.yes:
        return
    if not sys.stdin.isatty():
        stop("nobody is there to be asked: --yes makes the change shown above", Exit.USAGE)
    if not typer.confirm("Make this change?", err=True):
        stop("nothing was changed")


def _verb(change: Change, *, remove: bool) -> str:
    if change.after is None:
        return "removed"
    return "restored" if remove else "wrote"


def _prove() -> None:
    try:
        profile = load()
        with client_of(profile) as client:
            for line in checking.canary(client, role=profile.role):
                say(f"check: {line}")
    except (NoProfile, Refused, Unreachable, LookupError) as error:
        stop(f"the files are in place, but the check failed: {error} (greywind doctor says more)")
