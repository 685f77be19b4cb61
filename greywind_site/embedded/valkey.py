"""The embedded Valkey: Celery's broker, on a socket, behind a password."""

import os
import socket
from pathlib import Path

from greywind_site.embedded.account import service_account
from greywind_site.embedded.binaries import valkey_program
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.processes import Program
from greywind_site.embedded.secrets import Secrets


def server(instance: Instance, stored: Secrets, *, inherit: tuple[int, ...] = ()) -> Program:
    """The server as a program; its configuration is written anew on each start."""
    command = [valkey_program(instance), _write_configuration(instance, stored)]
    return Program("valkey", command, account=service_account(), folder=instance.valkey_folder, inherit=inherit)


def answers(instance: Instance) -> bool:
    """True when something on the socket speaks the protocol; without a password it is told so, which is enough."""
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(1)
            link.connect(str(instance.valkey_socket))
            link.sendall(b"PING\r\n")
            return link.recv(16)[:1] in {b"+", b"-"}
    except OSError:
        return False


def _write_configuration(instance: Instance, stored: Secrets) -> Path:
    """A file and not arguments: the process list shows those to everybody."""
    account, path = service_account(), instance.valkey_folder / "valkey.conf"
    lines = [
        "port 0",
        f'unixsocket "{instance.valkey_socket}"',
        "unixsocketperm 700",
        'save ""',
        "appendonly yes",
        f'dir "{instance.valkey_folder}"',
        f"requirepass {stored.valkey_password}",
        "daemonize no",
    ]
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as target:
        target.write("\n".join(lines) + "\n")
    if account.switches:
        os.chown(path, account.uid, account.gid)
    return path
