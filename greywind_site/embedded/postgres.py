"""The embedded PostgreSQL: made once, started as a child, reached over a socket with passwords."""

import os
import shutil
import subprocess
from pathlib import Path
from signal import SIGINT

import psycopg
from psycopg import sql

from greywind_site.embedded.account import service_account
from greywind_site.embedded.binaries import postgres_program
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import APP, DATABASE, OWNER, SUPERUSER, Instance
from greywind_site.embedded.processes import Program
from greywind_site.embedded.secrets import Secrets

TEMPLATE = "gw_template"
ROLES = Path(__file__).with_name("roles.sql")
MAJOR = "18"
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "128MB",
    "max_connections": "100",
    "log_checkpoints": "off",
    "password_encryption": "scram-sha-256",
    # Statements hold private text; an error is logged by its code, not with the statement.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# Tests throw their data away: nothing needs to survive a power cut.
FAST_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def ensure_cluster(instance: Instance, *, fast: bool = False) -> bool:
    """Make the cluster where there is none; True when it was made now. A half-made one is begun anew."""
    cluster, account = _cluster(instance), service_account()
    if (cluster / "PG_VERSION").exists():
        return False
    fresh = cluster.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    password = _password_file(instance)
    command: list[str | Path] = [
        postgres_program(instance, "initdb"),
        "-D",
        fresh,
        "-U",
        SUPERUSER,
        "-E",
        "UTF8",
        "-A",
        "scram-sha-256",
    ]
    command += [f"--pwfile={password}", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
    command += ["-N"] if fast else []
    done = subprocess.run(command, capture_output=True, cwd="/", check=False, **account.popen_arguments())
    password.unlink()
    if done.returncode:
        raise EmbeddedFault(f"PostgreSQL's data could not be made:\n{done.stderr.decode(errors='replace').strip()}")
    fresh.rename(cluster)
    return True


def server(instance: Instance, *, fast: bool = False, inherit: tuple[int, ...] = ()) -> Program:
    """The server as a program; SIGINT ends sessions and stops it quickly, losing nothing."""
    settings = SETTINGS | (FAST_SETTINGS if fast else {})
    command: list[str | Path] = [postgres_program(instance, "postgres"), "-D", _cluster(instance)]
    command += ["-k", instance.socket_folder]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    return Program("postgres", command, stop=SIGINT, account=service_account(), inherit=inherit)


def answers(instance: Instance) -> bool:
    """True when the superuser gets in."""
    try:
        with _connect(instance, "postgres"):
            return True
    except psycopg.OperationalError:
        return False


def ensure_databases(instance: Instance, stored: Secrets) -> bool:
    """Roles with their passwords, the template and our database; True when the database was made now."""
    with _connect(instance, "postgres") as link:
        made = _databases(link)
        if TEMPLATE not in made:
            link.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(TEMPLATE)))
    _run_roles(instance, TEMPLATE)
    with _connect(instance, "postgres") as link:
        _set_password(link, OWNER, stored.owner_password)
        _set_password(link, APP, stored.app_password)
        link.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE true").format(sql.Identifier(TEMPLATE)))
        if DATABASE in made:
            return False
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}")
        link.execute(command.format(*map(sql.Identifier, (DATABASE, TEMPLATE, OWNER))))
    _run_roles(instance, DATABASE)
    return True


def _cluster(instance: Instance) -> Path:
    return instance.postgres_folder / MAJOR


def _connect(instance: Instance, database: str) -> psycopg.Connection:
    return psycopg.connect(instance.database_url(SUPERUSER, database=database), autocommit=True, connect_timeout=5)


def _databases(link: psycopg.Connection) -> set[str]:
    return {row[0] for row in link.execute("SELECT datname FROM pg_database")}


def _run_roles(instance: Instance, database: str) -> None:
    with _connect(instance, database) as link:
        link.execute(ROLES.read_bytes())


def _set_password(link: psycopg.Connection, role: str, password: str) -> None:
    # Hashed here, so that the server's log could never show it.
    hashed = link.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    link.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(hashed)))


def _password_file(instance: Instance) -> Path:
    account, path = service_account(), instance.postgres_folder / "initial-password"
    path.unlink(missing_ok=True)
    stored = instance.secrets()
    if stored is None:
        raise EmbeddedFault(f"{instance.secrets_file} is missing; restore it, or name an empty data folder")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as target:
        target.write(stored.superuser_password)
    if account.switches:
        os.chown(path, account.uid, account.gid)
    return path
