"""greywind context and greywind memory: what an agent may ask, for a person at a terminal."""

import sys
from typing import Annotated, Any

import typer

from greywind_site.client.commands.speaking import client_of, say, show, show_json, stop
from greywind_site.client.folder import channel_of, root_of
from greywind_site.client.profile import load

memory = typer.Typer(help="Search memories, and propose one.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="The API's answer as JSON on standard output.")]


def context(
    text: Annotated[str, typer.Argument(help="What is asked; - reads standard input.")],
    *,
    thread: Annotated[str | None, typer.Option(help="Thread (thr_…); else that of this folder.")] = None,
    role: Annotated[str | None, typer.Option(help="Role; else the profile's, else the agent's first.")] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Most tokens of the prompt.")] = None,
    keep: Annotated[bool, typer.Option(help="Record the packet; without it the compile is dry.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the context for a request and print the prompt."""
    profile = load()
    where: dict[str, Any] = {"binding": {"channel": channel_of(root_of("."), profile.installation)}}
    ask = ({"thread_id": thread} if thread else where) | {
        "user_input": {"raw_text": sys.stdin.read() if text == "-" else text},
        "role": role or profile.role,
        "budget": {"max_input_tokens": budget},
        "dry_run": not keep,
        "format": "text",
    }
    with client_of(profile) as client:
        answer = client.call("POST", "/context", ask)
    show_json(answer) if as_json else show(answer["prompt"]["text"])
    used, cap = answer["budget"]["used"], answer["budget"]["input_cap"]
    kept = answer["packet_id"] or "not kept"
    say(f"{used} of {cap} tokens, thread found by rule {answer['resolution']['rule']}, packet {kept}")


@memory.command("search")
def search(
    text: str,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="Most results.")] = None,
    as_json: AsJson = False,
) -> None:
    """Search what was learnt and what was said."""
    with client_of() as client:
        answer = client.call("GET", "/memories/search", params={"q": text, "limit": limit})
    if as_json:
        show_json(answer)
        return
    for found in answer["results"]:
        show(f"{found.get('ref') or found.get('source_id')}\n    {found.get('content')}")
    if not answer["results"]:
        say("nothing qualifies")


@memory.command("propose")
def propose(
    content: str,
    *,
    kind: Annotated[str, typer.Option("--type", help="episode, semantic, procedural or preference.")] = "semantic",
    evidence: Annotated[list[str] | None, typer.Option(help="A ref behind it, such as event://ses_…/12.")] = None,
    as_json: AsJson = False,
) -> None:
    """Propose a memory, citing what bears it out. The answer says what became of it; what is refused says why."""
    body = {"content": content, "type": kind, "evidence": [{"ref": ref} for ref in evidence or []]}
    with client_of() as client:
        answer = client.call("POST", "/memories", body)
    show_json(answer) if as_json else show(f"{answer['id']}  {answer['outcome']}")
    if answer["held"]:
        say("it is held until a human admits it, in the console's inbox")
    if answer["outcome"] == "rejected":
        stop(f"{answer['code']}: {answer['missing']}")
