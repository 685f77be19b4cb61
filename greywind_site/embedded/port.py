"""Is the port free, and if not, whose is it?"""

import socket
from pathlib import Path

from greywind_site.embedded.faults import EmbeddedFault

LISTENING = "0A"


def refuse_taken_port(host: str, port: int) -> None:
    """Raise with the holder and the remedy when nothing can listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as cause:
            who = _holder(port)
            raise EmbeddedFault(
                f"port {port} on {host} cannot be used ({cause.strerror}{who}). "
                f"Stop that program or choose another port with --port {port + 1 if port < 65535 else 8000}."
            ) from cause


def _holder(port: int) -> str:
    inodes = _listening_inodes(port)
    for folder in Path("/proc").glob("[0-9]*/fd"):
        try:
            for link in folder.iterdir():
                if str(link.readlink()) in inodes:
                    name = (folder.parent / "comm").read_text().strip()
                    return f", held by process {folder.parent.name}, {name}"
        except OSError:
            continue  # another account's process, or one that just ended
    return ""


def _listening_inodes(port: int) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            columns = line.split()
            if columns[3] == LISTENING and int(columns[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{columns[9]}]")
    return found
