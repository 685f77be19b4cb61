"""Where the MCP process listens and the web process finds it: a socket file, or a port of this machine."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

PATH = "/mcp"


@dataclass(frozen=True)
class McpAddress:
    """Either `socket`, or `host` and `port`."""

    socket: Path | None = None
    host: str = ""
    port: int = 0


def read_address(url: str) -> McpAddress:
    """Return the address in `unix:///path/of.sock` or `http://host:port`; raises ValueError for anything else."""
    parsed = urlsplit(url)
    if parsed.scheme == "unix" and parsed.path.startswith("/") and not parsed.netloc:
        return McpAddress(socket=Path(parsed.path))
    if parsed.scheme == "http" and parsed.hostname and parsed.port and parsed.path in {"", "/"}:
        return McpAddress(host=parsed.hostname, port=parsed.port)
    raise ValueError("expected unix:///path/of.sock or http://host:port")
