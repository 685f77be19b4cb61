"""`manage.py agent`: the agents of a project."""

from typing import override

from governance.vocabulary import KeyPreset
from greywind_site.operating.agents import make_agent, name_agent, show_agents, switch_agent
from greywind_site.operating.command import Acts, OperatorCommand, act, add_project_option


class Command(OperatorCommand):
    """Acts in the name of the project's first owner, who owns the agents that it makes."""

    help = "Make agents, list them, rename them, and switch them off and on."

    @override
    def add_acts(self, acts: Acts) -> None:
        what = "Make an agent; with --key it gets a key at once."
        create = act(
            acts, "create", make_agent, help=what, example="agent create worker --role dev --role tester --key"
        )
        create.add_argument("name", metavar="NAME", help="1 to 200 characters, once in the project")
        create.add_argument(
            "--role", action="append", required=True, help="a role of the project; the first is its default (repeat)"
        )
        create.add_argument("--key", action="store_true", help="mint a key for it, for 90 days")
        create.add_argument("--preset", choices=[*map(str, KeyPreset)], default="agent", help="scopes of that key")
        what = "List the agents of a project."
        listed = act(acts, "list", show_agents, help=what, example="agent list")
        what = "Give an agent another name."
        rename = act(acts, "rename", name_agent, help=what, example="agent rename worker builder")
        what = "Switch an agent off: its keys open nothing until it is on again."
        off = act(acts, "deactivate", switch_agent, help=what, example="agent deactivate worker")
        on = act(acts, "reactivate", switch_agent, help="Switch an agent on.", example="agent reactivate worker")
        for parser in (rename, off, on):
            parser.add_argument("agent", metavar="AGENT", help="its name, or its id (act_…)")
        rename.add_argument("name", metavar="NAME", help="the new name")
        for parser in (create, listed, rename, off, on):
            add_project_option(parser)
