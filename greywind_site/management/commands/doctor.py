"""`manage.py doctor`: is everything as it should be, and if not, what is to be done?"""

from typing import Any, override

from greywind_site.operating.command import LoneCommand, Told
from greywind_site.operating.doctor import examine


class Command(LoneCommand):
    """Exit code 1 when anything failed. It writes a canary into a project of its own and takes it away again."""

    help = "Examine the installation, the services, isolation and the ledger, and let a canary write and compile."
    example = "doctor --json"

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        return examine()
