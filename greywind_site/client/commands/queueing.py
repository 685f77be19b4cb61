"""greywind queue: what waits on this machine, and sending it now."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

from greywind_site.client.commands.speaking import Exit, say, show, show_json
from greywind_site.client.hooks.delivering import deliver, resume
from greywind_site.client.hooks.window import Window, sessions_folder
from greywind_site.client.profile import Profile, load
from greywind_site.client.wire import Wire

PATIENCE_SECONDS = 60.0  # of one session's queue

app = typer.Typer(help="What waits to be delivered, and what was refused.", invoke_without_command=True)


@app.callback()
def listing(
    context: typer.Context, *, as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False
) -> None:
    """Show what waits on this machine, session by session, and what was set aside with its reasons."""
    if context.invoked_subcommand is not None:
        return
    found = [entry for entry in windows() if entry["waiting"] or entry["aside"]]
    if as_json:
        show_json(found)
        return
    for entry in found:
        show(f"{entry['session']}  {entry['waiting']} waiting, {entry['aside']} set aside  for {entry['for']}")
        for reason in entry["reasons"]:
            show(f"    refused: {reason}")
    if not found:
        say("nothing waits")


@app.command("deliver")
def deliver_now(
    *,
    rekey: Annotated[bool, typer.Option(help="Also what was kept under another key or address.")] = False,
) -> None:
    """Send what waits, now. Exit code 1 when something is left."""
    profile, left = load(), 0
    resume(profile)
    for window in _windows():
        with window.open() as notes:
            kept_for, waits = f"{notes.url} with key {notes.key_shown}…", window.count(notes)
            ours = (notes.url, notes.key_shown) == (profile.url, profile.key_shown)
            if waits and rekey and not ours:
                notes.thread = notes.session = ""
        if not waits:
            continue
        if not ours and not rekey:
            say(f"{notes.harness_session}: kept for {kept_for}, which is not the present one; --rekey sends it anyway")
            left += 1
            continue
        left += _deliver(window, profile, notes.harness_session)
    if left:
        raise typer.Exit(Exit.FAILED)


def windows() -> Iterator[dict[str, Any]]:
    """Yield what is known of each session on this machine."""
    for window in _windows():
        with window.open() as notes:
            yield {
                "session": notes.harness_session,
                "folder": notes.root,
                "for": f"{notes.url} with key {notes.key_shown}…",
                "waiting": window.count(notes),
                **_aside(window),
            }


def _windows() -> Iterator[Window]:
    for folder in sorted(sessions_folder().iterdir()):
        if (folder / "notes.json").exists():
            yield Window(folder)


def _aside(window: Window) -> dict[str, Any]:
    if not window.aside.exists():
        return {"aside": 0, "reasons": []}
    reasons = [json.loads(line)["reason"] for line in window.aside.read_text().splitlines()]
    return {"aside": len(reasons), "reasons": sorted(set(reasons))}


def _deliver(window: Window, profile: Profile, session: str) -> int:
    wire = Wire(replace(profile), deadline=time.monotonic() + PATIENCE_SECONDS)
    outcome = deliver(window, profile, wire)
    say(f"{session}: {outcome.delivered} delivered, {outcome.aside} set aside, {outcome.waiting} waiting")
    if outcome.reason:
        say(f"    {outcome.reason}")
    return outcome.waiting
