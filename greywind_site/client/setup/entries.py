"""What is written into the configuration of a harness, and how it is found there again."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from greywind_site.client.hooks.given import Moment
from greywind_site.client.setup import jsontext

NAME = "greywind"
MATCHERS = {Moment.SESSION_START: "startup|resume|clear|compact", Moment.POST_TOOL_USE: "*"}
# Seconds after which the harness gives up; the hooks themselves end well before.
TIMEOUTS = {Moment.SESSION_START: 10}
TIMEOUT = 5
_OURS = re.compile(rf"{NAME}\S* hook ({'|'.join(Moment)})\s*$")

type Edit = Callable[[str], str]


class Misshapen(Exception):
    """The file is JSON, but not what this harness's configuration looks like."""


def with_hooks(command: str) -> Edit:
    """Return the edit that puts the hooks into settings of Claude Code. `command` is the path of greywind."""

    def edit(text: str) -> str:
        text = _with_object(text, "hooks")
        for moment in Moment:
            text = _with_group(text, moment, _group(moment, command))
        return text

    return edit


def without_hooks(text: str) -> str:
    """Return settings of Claude Code without our hooks, and without what they alone had filled."""
    for moment in Moment:
        text = _without_ours(text, moment.harness_name)
    return _without_empty(text, "hooks")


def with_server(entry: Mapping[str, Any], *, under: str) -> Edit:
    """Return the edit that puts an MCP server named greywind under a key of the file."""

    def edit(text: str) -> str:
        text = _with_object(text, under)
        servers = jsontext.read(text)[under]
        if NAME in servers:
            if servers[NAME] == dict(entry):
                return text
            text = jsontext.remove(text, [under, NAME])
        return jsontext.add(text, [under], NAME, dict(entry))

    return edit


def without_server(*, under: str) -> Edit:
    """Return the edit that takes the MCP server named greywind out."""

    def edit(text: str) -> str:
        servers = jsontext.read(text).get(under)
        if isinstance(servers, dict) and NAME in servers:
            text = jsontext.remove(text, [under, NAME])
        return _without_empty(text, under)

    return edit


def stdio_server(command: str, *, typed: bool = True) -> dict[str, Any]:
    """Return the entry of a server that the harness starts; the key is not in it."""
    kind = {"type": "stdio"} if typed else {}
    return kind | {"command": command, "args": ["mcp"]}


def http_server(url: str, *, variable: str) -> dict[str, Any]:
    """Return the entry of the server over HTTP; the key comes from a variable that the harness puts in."""
    return {"type": "http", "url": f"{url}/mcp", "headers": {"Authorization": f"Bearer {variable}"}}


def _group(moment: Moment, command: str) -> dict[str, Any]:
    hook = {
        "type": "command",
        "command": f"{shlex.quote(command)} hook {moment}",
        "timeout": TIMEOUTS.get(moment, TIMEOUT),
    }
    matcher = {"matcher": MATCHERS[moment]} if moment in MATCHERS else {}
    return matcher | {"hooks": [hook]}


def _with_object(text: str, name: str) -> str:
    settings = jsontext.read(text)
    if not isinstance(settings, dict):
        raise Misshapen("the file holds no JSON object")
    if name not in settings:
        return jsontext.add(text, [], name, {})
    if not isinstance(settings[name], dict):
        raise Misshapen(f"“{name}” is no object in this file")
    return text


def _with_group(text: str, moment: Moment, group: Mapping[str, Any]) -> str:
    event = moment.harness_name
    if event not in jsontext.read(text)["hooks"]:
        return jsontext.add(text, ["hooks"], event, [dict(group)])
    if not isinstance(jsontext.read(text)["hooks"][event], list):
        raise Misshapen(f"“hooks.{event}” is no list in this file")
    # The settings may be written anew by their harness: an entry is the same when its content is.
    if [found for found in jsontext.read(text)["hooks"][event] if _has_ours(found)] == [dict(group)]:
        return text
    text = _without_ours(text, event, keep_list=True)
    return jsontext.add(text, ["hooks", event], None, dict(group))


def _without_ours(text: str, event: str, *, keep_list: bool = False) -> str:
    hooks = jsontext.read(text).get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    if not isinstance(groups, list) or not any(map(_has_ours, groups)):
        return text
    for n in reversed(range(len(groups))):
        text = _without_ours_in(text, ["hooks", event, n], groups[n])
    if not keep_list and not jsontext.read(text)["hooks"][event]:
        text = jsontext.remove(text, ["hooks", event])
    return text


def _without_ours_in(text: str, place: list[str | int], group: Any) -> str:
    if not _has_ours(group):
        return text
    if all(map(_is_ours, group["hooks"])):
        return jsontext.remove(text, place)
    for n in reversed(range(len(group["hooks"]))):
        if _is_ours(group["hooks"][n]):
            text = jsontext.remove(text, [*place, "hooks", n])
    return text


def _has_ours(group: Any) -> bool:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(hooks, list) and any(map(_is_ours, hooks))


def _is_ours(hook: Any) -> bool:
    return isinstance(hook, dict) and isinstance(hook.get("command"), str) and bool(_OURS.search(hook["command"]))


def _without_empty(text: str, name: str) -> str:
    return jsontext.remove(text, [name]) if jsontext.read(text).get(name) == {} else text


def snippet(under: str, entry: Mapping[str, Any]) -> str:
    """Return the entry as a whole small file, to be put in by hand."""
    return json.dumps({under: {NAME: dict(entry)}}, indent=2, ensure_ascii=False) + "\n"
