"""Taking turns: whoever changes what is known in one place waits for whoever does so there already."""

import uuid

from django.db import connection

from memories.relating import Place

TURN = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def take_turn(project_id: uuid.UUID, place: Place) -> None:
    """Wait until nobody else changes what is known in this place; it lasts to the end of the transaction.

    Two contradictory statements that arrive at once would otherwise not see each other. Taken before any row is locked.
    """
    where = "/".join(str(value or "") for value in (project_id, *place.where().values()))
    with connection.cursor() as cursor:
        cursor.execute(TURN, [where])
