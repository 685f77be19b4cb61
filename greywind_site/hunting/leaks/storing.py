"""What a request has just stored, seen from inside of its transaction by whoever sent it."""

import uuid
from collections.abc import Iterator
from functools import cache

from django.db import connection

from governance.models.base import ContentRow
from governance.scope import ENTER
from greywind_site.hunting.leaks.filling import project_models
from greywind_site.hunting.leaks.ground import ANSWERS
from greywind_site.hunting.leaks.marks import Place
from greywind_site.hunting.leaks.people import Member, placed

SOMEBODY_ELSE = 23  # the number of an owner of whom there is no mark


@cache
def _statement() -> str:
    """Return one statement over every table: rows after an id, with their audience, as text."""
    parts = []
    for model in project_models():
        table = model._meta.db_table  # noqa: SLF001 - Django documents it
        if "id" not in {field.column for field in model._meta.concrete_fields} or table == ANSWERS:  # noqa: SLF001
            continue
        reach = "audience, audience_role, owner_id" if issubclass(model, ContentRow) else "'project', NULL, NULL::uuid"
        parts.append(f"SELECT '{table}', {reach}, to_jsonb(t)::text FROM {table} t WHERE id > %(since)s")  # noqa: S608
    return " UNION ALL ".join(parts)


def stored_since(since: uuid.UUID, by: Member, number: int) -> Iterator[tuple[str, Place, str]]:
    """Yield each row that was made after the id `since`, with its table and place. The transaction must be open."""
    acting = by.acting
    with connection.cursor() as cursor:
        cursor.execute(ENTER, [str(acting.project_id), str(acting.actor_id), ",".join(acting.roles)])
        cursor.execute(_statement(), {"since": since})
        rows = cursor.fetchall()
    for table, audience, role, owner, text in rows:
        who = by.number if owner == acting.actor_id else SOMEBODY_ELSE
        yield table, placed(number, audience, role, who=who), text
