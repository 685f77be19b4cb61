"""`manage.py status`: is it running, where, and how much is in it?"""

from typing import Any, override

from greywind_site.operating.command import LoneCommand, Told
from greywind_site.operating.status import tell_status


class Command(LoneCommand):
    """Looks and changes nothing, whether `up` runs or not."""

    help = "Tell whether `up` runs on this data folder, where it is reached, and how much there is."
    example = "status --json"

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return tell_status()
