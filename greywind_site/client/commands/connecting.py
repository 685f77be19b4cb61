"""greywind login and greywind doctor: an address and a key, and whether they serve."""

import getpass
import os
import sys
from typing import Annotated, Any

import typer

from greywind_site.client import checking
from greywind_site.client.commands.queueing import windows
from greywind_site.client.commands.speaking import Exit, client_of, say, show, show_json, stop
from greywind_site.client.http import Refused, Unreachable
from greywind_site.client.places import config_file
from greywind_site.client.profile import DEFAULT, NoProfile, Profile, checked_url, load, save


def login(
    *,
    url: Annotated[str, typer.Option(help="Address, as `manage.py up` prints it.", envvar="GREYWIND_URL")],
    key: Annotated[
        str | None,
        typer.Option(help="Better left out: then GREYWIND_KEY, a line on standard input, or a hidden prompt is read."),
    ] = None,
    profile: Annotated[str, typer.Option(help="Name of the profile.", envvar="GREYWIND_PROFILE")] = DEFAULT,
    project: Annotated[str, typer.Option(help="A label of yours for the project that the key belongs to.")] = "",
    role: Annotated[str | None, typer.Option(help="Role to work in; else the agent's first.")] = None,
) -> None:
    """Store an address and a key, once a call with them has gone well. The file is yours alone (mode 600)."""
    try:
        given = Profile(checked_url(url), (key or _key()).strip(), name=profile, project=project, role=role)
    except NoProfile as error:
        stop(str(error), Exit.USAGE)
    found = _proved(given)
    path = save(given)
    missing = [scope for scope, there in found.items() if not there]
    say(f"logged in to {given.url} with key {given.key_shown}…; stored in {path}")
    if missing:
        say(f"this key lacks {', '.join(missing)}; an owner of the project can make one that has more")


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Check the settings, the server, the key and the queue; exit code 1 when something is wrong."""
    report: dict[str, Any] = {"config": str(config_file()), "faults": []}
    try:
        profile = load()
        report |= {"url": profile.url, "key": profile.key_shown, "profile": profile.name}
        _check_mode(report)
        with client_of(profile) as client:
            report["scopes"] = checking.scopes(client)
            report["did"] = list(checking.canary(client, role=profile.role))
    except (NoProfile, Refused, Unreachable, LookupError) as error:
        report["faults"].append(str(error))
    waiting = [entry for entry in windows() if entry["waiting"] or entry["aside"]]
    report["waiting"] = sum(entry["waiting"] for entry in waiting)
    report["set_aside"] = sum(entry["aside"] for entry in waiting)
    show_json(report) if as_json else show("\n".join(_lines(report)))
    if report["faults"]:
        raise typer.Exit(Exit.FAILED)


def _key() -> str:
    told = os.environ.get("GREYWIND_KEY")
    if told:
        return told
    return getpass.getpass("key: ") if sys.stdin.isatty() else sys.stdin.readline()


def _proved(given: Profile) -> dict[str, bool]:
    with client_of(given) as client:
        return checking.scopes(client)


def _check_mode(report: dict[str, Any]) -> None:
    path = config_file()
    if path.exists() and path.stat().st_mode & 0o077:
        report["faults"].append(f"{path} can be read by others: chmod 600 {path}")


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [f"config    {report['config']}"]
    if "url" in report:
        lines.append(f"server    {report['url']}, key {report['key']}…")
    lines += [f"scope     {scope}: {'yes' if there else 'no'}" for scope, there in report.get("scopes", {}).items()]
    lines += [f"check     {did}" for did in report.get("did", [])]
    lines.append(f"queue     {report['waiting']} waiting, {report['set_aside']} set aside")
    return lines + [f"FAULT     {fault}" for fault in report["faults"]]
