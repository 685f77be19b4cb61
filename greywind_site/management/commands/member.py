"""`manage.py member`: the humans of a project."""

from argparse import ArgumentParser
from typing import override

from governance.vocabulary import MembershipLevel
from greywind_site.operating.command import Acts, OperatorCommand, act, add_project_option
from greywind_site.operating.people import change_level, let_forget, let_go, let_in, renew_password, show_members

LEVELS = "viewer reads; maintainer also speaks and changes work; owner also manages people, agents and keys"


class Command(OperatorCommand):
    """Acts in the name of the project's first owner, and says so in the ledger."""

    help = "Invite people into a project, change what they may do, and renew a lost password."

    @override
    def add_acts(self, acts: Acts) -> None:
        what = "Make somebody a member; whoever has no account gets one, with a one-time password."
        invite = act(acts, "invite", let_in, help=what, example="member invite bo --level maintainer")
        what = "Give an account a new one-time password and end its browser sessions."
        reset = act(acts, "reset-password", renew_password, help=what, example="member reset-password bo")
        what = "Take every second factor of an account away, for somebody who has lost them all."
        forget = act(acts, "forget-factors", let_forget, help=what, example="member forget-factors bo")
        listed = act(acts, "list", show_members, help="List the members of a project.", example="member list")
        what = "Change what a member may do."
        level = act(acts, "set-level", change_level, help=what, example="member set-level bo --level viewer")
        what = "End a membership; what the person wrote stays."
        remove = act(acts, "remove", let_go, help=what, example="member remove bo")
        for parser in (invite, reset, forget, level, remove):
            parser.add_argument("user", metavar="USER", help="name of the account")
        for parser in (invite, level):
            _add_level(parser)
        for parser in (invite, listed, level, remove):
            add_project_option(parser)


def _add_level(parser: ArgumentParser) -> None:
    parser.add_argument("--level", required=True, choices=[*map(str, MembershipLevel)], help=LEVELS)
