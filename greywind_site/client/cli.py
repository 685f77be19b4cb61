"""The greywind command. A hook is answered before anything else is imported: it runs at every turn of a session."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:2] == ["hook"]:
        from greywind_site.client.hooks.entry import run

        return run(sys.argv[2:])
    from greywind_site.client.commands.app import run_app

    return run_app(sys.argv[1:])
