"""The command line of greywind."""

import os
import sys

import typer

from greywind_site.client.commands import asking, connecting, queueing, setting_up
from greywind_site.client.commands.speaking import Exit, Stopped, code_of, say
from greywind_site.client.http import Refused, Unreachable
from greywind_site.client.profile import NoProfile, load
from greywind_site.client.setup.files import NotTouched

HELP = """Connect an agent to GreyWind: context at its start, its transcript kept, its memories proposed.

First [bold]greywind login[/bold], then [bold]greywind init claude-code[/bold] in a project.

The key lives in one file of yours (mode 600) and nowhere else: what is written into a project names this command,
never a key. GREYWIND_URL and GREYWIND_KEY stand above the file, GREYWIND_PROFILE picks one of several.

Exit codes: 0 done, 1 failed, 2 misused, 3 a human is needed, 4 conflict.
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
app.command("login")(connecting.login)
app.command("doctor")(connecting.doctor)
app.add_typer(setting_up.app, name="init")
app.command("context")(asking.context)
app.add_typer(asking.memory, name="memory")
app.add_typer(queueing.app, name="queue")


@app.command("hook", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def hook(moment: str) -> None:
    """Answer a call of the harness: JSON in, JSON out, always in time, always exit code 0."""
    from greywind_site.client.hooks.entry import run

    raise typer.Exit(run([moment]))


@app.command("mcp")
def mcp() -> None:
    """Serve the tools of GreyWind to an agent over standard input and output (MCP)."""
    from greywind_site.client.mcp.stdio import KEY, URL, serve

    profile = load()
    raise typer.Exit(serve(os.environ | {URL: profile.url, KEY: profile.key}))


def run_app(words: list[str]) -> int:
    """Run a command line and return its exit code; what can go wrong becomes one line, never a traceback."""
    try:
        app(words, prog_name="greywind")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else Exit.FAILED
    except (Refused, Unreachable) as error:
        say(f"greywind: {error}")
        return code_of(error)
    except NoProfile as error:
        say(f"greywind: {error}")
        return Exit.NEEDS_HUMAN
    except (Stopped, NotTouched, LookupError, OSError) as error:
        say(f"greywind: {error}")
        return error.code if isinstance(error, Stopped) else Exit.FAILED
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    return Exit.OK
