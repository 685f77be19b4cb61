"""`manage.py reindex`: make the search terms of stored texts anew where they were made by rules of before."""

from typing import Any, override

from greywind_site.operating.command import LoneCommand, Told
from memories.renewing import BATCH, MOST_BATCHES, renew_due


class Command(LoneCommand):
    """May be stopped and started again at any time: whole batches are done, and the rest is found as before."""

    help = "Make the search terms anew of every passage that was indexed by an earlier version, in all projects."
    example = "reindex"

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        done = renewed = renew_due()
        while renewed >= BATCH * MOST_BATCHES:
            renewed = renew_due()
            done += renewed
        return Told(facts={"renewed": done}, shown=f"{done} passages were indexed anew; no other is out of date.")
