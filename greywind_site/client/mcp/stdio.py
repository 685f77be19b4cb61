"""The tools over standard input and output, for a harness that starts this as a child."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext

import anyio
from mcp.server.stdio import stdio_server

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.server import TIMEOUT_SECONDS, build_server

URL, KEY = "GREYWIND_URL", "GREYWIND_KEY"
USAGE = 2


def serve(environment: Mapping[str, str]) -> int:
    """Serve until standard input ends and return 0; return 2 when the environment lacks the address or the key."""
    missing = [name for name in (URL, KEY) if not environment.get(name, "").strip()]
    if missing:
        return _refuse(f"set {' and '.join(missing)}: the address printed by `up`, and an agent's key (gw_…)")
    try:
        greywind = GreyWind(environment[URL], environment[KEY], timeout=TIMEOUT_SECONDS)
    except ValueError as error:
        return _refuse(str(error))
    with greywind:
        anyio.run(_speak, greywind)
    return 0


async def _speak(greywind: GreyWind) -> None:
    server = build_server(lambda _context: nullcontext(greywind))
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _refuse(why: str) -> int:
    sys.stderr.write(f"greywind mcp: {why}\n")
    return USAGE
