"""A person in whose name one row of everything stands: what an agent of the cast made, put down to a human."""

from django.conf import settings
from psycopg import sql

from governance.actors import Acting
from governance.models import Actor
from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from tests.cast import Cast, Member
from tests.databases import owner_link
from tests.governing import joined

POINTS_AT_ACTORS = """
SELECT c.conrelid::regclass::text, a.attname FROM pg_constraint c
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'project_id'
WHERE c.contype = 'f' AND c.confrelid = 'governance_actor'::regclass
  AND c.conrelid <> ALL (ARRAY['governance_actor'::regclass, 'governance_apikey'::regclass])
"""


def leaver_of(cast: Cast, username: str, maker: Member) -> Acting:
    """Let a human join, and put everything down to them that `maker` made; `maker` is their agent from then on."""
    human = joined(cast, username, MembershipLevel.MAINTAINER)
    with project_scope(cast.owner.acting):
        Actor.objects.filter(pk=maker.actor.pk).update(owned_by=human.actor_id)
    with owner_link(settings.DATABASES["default"]["NAME"]) as link, link.transaction():
        link.execute("SET LOCAL session_replication_role = replica")
        for table, column in link.execute(POINTS_AT_ACTORS).fetchall():
            moved = sql.SQL("UPDATE {t} SET {c} = %s WHERE {c} = %s")
            named = {"t": sql.Identifier(table), "c": sql.Identifier(column)}
            link.execute(moved.format(**named), [human.actor_id, maker.actor.pk])
    return human
