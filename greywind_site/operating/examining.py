"""What `manage.py doctor` examines. Each examination returns what is well, or raises Ill with the remedy."""

import shutil
import sys
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polib
from django.conf import settings
from django.db import OperationalError, connection, connections
from django.utils import timezone
from kombu.exceptions import KombuError
from psycopg_pool import PoolTimeout
from redis.exceptions import RedisError

from governance.actors import Acting
from governance.audit import verify_chain
from governance.ids import new_id, public_id
from governance.projects import owned_projects
from governance.scope import project_scope
from governance.vocabulary import ActorKind
from greywind_site.celery import app as celery_app
from greywind_site.checks import privilege_faults
from greywind_site.embedded.account import service_account
from greywind_site.embedded.catalogues import stale_catalogues
from greywind_site.embedded.faults import EmbeddedFault
from greywind_site.embedded.instance import CHECKOUT
from greywind_site.health import check_broker, check_database, check_vocabularies, missing_migrations
from greywind_site.operating.canary import CanaryDied, fly
from greywind_site.operating.command import MIGRATE
from greywind_site.operating.erasing import OWNER, has_owner
from greywind_site.operating.facts import PATIENCE_SECONDS, running_here, web_says
from greywind_site.operating.transcripts import open_segments
from greywind_site.operating.vectors import fault_of, in_words, misfits, stored_vectors, vector_facts, without_graph
from memories.embeddings.registry import served_models
from sessions.context.tokens import FILES, VocabularyDamaged

LEAST_PYTHON = (3, 12)
LEAST_DISK = 1 << 30  # bytes; PostgreSQL stops in the middle of a write when there is none left
LARGEST_DRIFT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(days=1)
SEE_TO_MODEL = "see to GREYWIND_EMBEDDINGS__MODELS; without a model the search goes by words alone"
START = "start everything with: python3 manage.py up"
UNISOLATED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'project_id'
  AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1
"""


class Ill(Exception):
    """Something is not as it should be: what, and what to do about it."""

    def __init__(self, fault: str, remedy: str) -> None:
        super().__init__(fault)
        self.remedy = remedy


def python() -> str:
    """The interpreter is one that the project knows."""
    here = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < LEAST_PYTHON:
        raise Ill(f"Python {here}", "remove the folder .venv and run the command again")
    return here


def vocabularies() -> str:
    """Both token vocabularies are the files that they should be, and count."""
    try:
        check_vocabularies()
    except VocabularyDamaged as fault:
        raise Ill(str(fault), "git checkout sessions/context/vocabularies") from fault
    return ", ".join(FILES)


def locale() -> str:
    """Both languages have every message, compiled."""
    for source in sorted((CHECKOUT / "locale").rglob("*.po")):
        catalogue = polib.pofile(str(source))
        if lacking := len(catalogue.untranslated_entries()) + len(catalogue.fuzzy_entries()):
            raise Ill(f"{source.relative_to(CHECKOUT)} lacks {lacking} messages", "git checkout locale")
    if stale := stale_catalogues():
        raise Ill(f"{len(stale)} catalogues are not compiled", START)
    return ", ".join(code for code, _ in settings.LANGUAGES)


def disk() -> str:
    """The data folder has room."""
    folder: Path = settings.GREYWIND.instance.folder
    free = shutil.disk_usage(folder).free
    if free < LEAST_DISK:
        raise Ill(f"{free / LEAST_DISK:.1f} GiB are free at {folder}", "make room, or name another folder with --data")
    return f"{free / LEAST_DISK:.1f} GiB free at {folder}"


def account() -> str:
    """The services run as an account that is not root, and reach their folder."""
    if not settings.GREYWIND.embedded:
        return "PostgreSQL is run by somebody else"
    try:
        who = service_account()
        who.refuse_unreachable(settings.GREYWIND.instance.folder)
    except EmbeddedFault as fault:
        raise Ill(str(fault), "name another data folder with --data, or start as another account") from fault
    return f"the services run as {who.name}"


def database() -> str:
    """PostgreSQL answers the application role."""
    try:
        check_database()
    except (OperationalError, PoolTimeout) as fault:
        raise Ill("does not answer", f"{START}; for an outside one see to DATABASE_URL") from fault
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return f"PostgreSQL {cursor.fetchone()[0]}"


def migrations() -> str:
    """Every migration is applied."""
    if missing := missing_migrations():
        raise Ill(f"{len(missing)} migrations are not applied", MIGRATE)
    return "all applied"


def isolation() -> str:
    """No role that serves requests can pass row-level security, and no table of a project is without it."""
    if faults := privilege_faults(connection):
        raise Ill("; ".join(faults), "run greywind_site/embedded/roles.sql as a superuser")
    with connection.cursor() as cursor:
        cursor.execute(UNISOLATED)
        open_tables = [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT count(*) FROM governance_project")
        seen = cursor.fetchone()[0]
    if open_tables or seen:
        fault = (
            f"not isolated: {', '.join(open_tables)}" if open_tables else f"{seen} projects are seen without a scope"
        )
        raise Ill(fault, "restore the database from a backup, or migrate back and forth")
    return "enforced for every table of a project"


def broker() -> str:
    """The broker answers."""
    try:
        check_broker()
    except (OSError, KombuError, RedisError) as fault:
        raise Ill("does not answer", START) from fault
    return "answers"


def worker() -> str:
    """A worker answers a ping."""
    answers = celery_app.control.ping(timeout=PATIENCE_SECONDS)
    if not answers:
        raise Ill("no worker answers", f"{START}, or start: celery -A greywind_site worker -P threads")
    return ", ".join(sorted(name for row in answers for name in row))


def web() -> str:
    """The web process says that all its parts are ready."""
    found = running_here()
    if found is None:
        if not settings.GREYWIND.embedded:
            return "not started by `up` here"
        raise Ill("`up` does not run on this data folder", START)
    parts = web_says(found.url)
    faults = None if parts is None else [f"{name}: {said}" for name, said in parts.items() if said != "ok"]
    if faults is None or faults:
        raise Ill(
            "; ".join(faults or [f"{found.url} does not answer"]), "stop `up`, start it again, and read its lines"
        )
    restarts = ", ".join(f"{name} {times}" for name, times in found.restarts.items())
    return f"{found.url}; parts ended by themselves and were started again: {restarts}" if restarts else found.url


def ledger() -> str:
    """The chain of every project is whole."""
    entries, projects = 0, project_ids()
    for project_id in projects:
        reader = Acting(project_id=project_id, actor_id=new_id(), kind=ActorKind.SYSTEM)
        with project_scope(reader, read_only=True):
            found = verify_chain()
        if found.fault is not None:
            fault = f"{public_id('prj', project_id)} breaks at entry {found.fault[1]}"
            raise Ill(fault, "keep a copy of the database, then restore the last backup whose chain is whole")
        entries += found.entries
    return f"{entries} entries of {len(projects)} projects"


def transcripts() -> str:
    """What was compressed of sealed transcripts opens to what was stored."""
    found = open_segments(project_ids())
    if found.fault:
        raise Ill(found.fault, "restore the rows of agent_sessions_coldsegment from a backup")
    return f"{found.opened} of {found.there} compressed segments opened"


def vectors() -> str:
    """Every model that is searched by makes a vector, as long as those that are stored, and none waits for long."""
    for model in served_models():
        if fault := fault_of(model):
            raise Ill(str(fault), SEE_TO_MODEL)
    stored = stored_vectors()
    if wrong := misfits(stored):
        raise Ill("; ".join(wrong), "give the model another VERSION, or set its DIMS back")
    if bare := without_graph(stored):
        raise Ill(f"{', '.join(bare)} has many vectors and no graph", "python3 manage.py embed --graph")
    late = sum(row.passages for row in stored if row.state == "pending" and timezone.now() - row.oldest > LONGEST_WAIT)
    if late:
        raise Ill(f"passages wait for a vector since {LONGEST_WAIT}", f"{START}, or: python3 manage.py embed --wait")
    return in_words(vector_facts())


def clock() -> str:
    """The database's clock and ours agree, and neither is before the newest entry of a ledger."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        drift = abs(cursor.fetchone()[0] - datetime.now(UTC))
    if drift > LARGEST_DRIFT:
        raise Ill(f"the database's clock differs by {drift.total_seconds():.0f} s", "set both machines by NTP")
    return f"within {drift.total_seconds() * 1000:.0f} ms of the database"


def canary() -> str:
    """An agent can write, read and compile, and what it wrote can be taken away."""
    try:
        return fly(now=timezone.now())
    except CanaryDied as death:
        raise Ill(str(death), "compare with a fresh data folder; if that is well, restore the last backup") from death


def project_ids() -> list[uuid.UUID]:
    """Return every project there is, by the owner role; without it those that have an owner."""
    if not has_owner():
        return [row.project_id for row in owned_projects()]
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT id FROM governance_project ORDER BY created_at")
        return [row[0] for row in cursor.fetchall()]
