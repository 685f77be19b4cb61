"""`manage.py project`: make a project of one's own, and see which there are."""

from typing import override

from governance.vocabulary import Language
from greywind_site.operating.command import Acts, OperatorCommand, act
from greywind_site.operating.projects import make_project, show_projects


class Command(OperatorCommand):
    """A project is the isolation boundary: people, agents, keys and everything that is remembered belong to one."""

    help = "Make and list projects."

    @override
    def add_acts(self, acts: Acts) -> None:
        what = "Make a project with a persona, a policy and four roles, so that an agent can work in it at once."
        parser = act(acts, "create", make_project, help=what, example='project create "My notes" --owner ann')
        parser.add_argument("name", metavar="NAME", help="1 to 200 characters, in any script")
        parser.add_argument(
            "--owner", required=True, metavar="USER", help="account of its owner; made, with a password, when missing"
        )
        parser.add_argument(
            "--language",
            choices=[*map(str, Language)],
            default=str(Language.ZH_HANS),
            help="language of the first contracts (default zh-hans)",
        )
        act(acts, "list", show_projects, help="List the projects of this instance.", example="project list")
