"""Many rows at once, copied inside the database from one that the verbs made."""

from django.db import connections
from django.db.models import Model

from sessions.models import ContextPacket, Event
from threads.models import Thread


def multiply(row: Model, times: int, **columns: str) -> None:
    """Copy a row `times` times; `columns` are SQL expressions, in which `n` counts from 1. The owner inserts."""
    table = row._meta.db_table
    names = [field.column for field in row._meta.concrete_fields]
    columns = {"id": "gen_random_uuid()", **columns}
    picked = ", ".join(columns.get(name, f'r."{name}"') for name in names)
    quoted = ", ".join(f'"{name}"' for name in names)
    statement = (
        f"INSERT INTO {table} ({quoted}) SELECT {picked} FROM {table} r, generate_series(1, %s) n WHERE r.id = %s"
    )
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement, [times, row.pk])


def fill(thread: Thread, event: Event, packet: ContextPacket) -> None:
    """5,000 events after the last one of a session, 150 threads, 500 packets."""
    later = "r.created_at + n * interval '1 s'"
    multiply(event, 5_000, seq="r.seq + n", client_id="'bulk-' || n", created_at=later)
    earlier = "r.created_at - n * interval '1 minute'"
    multiply(thread, 150, title="'bulk ' || n", created_at=earlier, last_active_at=earlier)
    multiply(packet, 500, created_at=earlier)
