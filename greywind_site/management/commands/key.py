"""`manage.py key`: what an agent proves itself with."""

from argparse import ArgumentParser
from typing import override

from governance.vocabulary import KeyPreset, KeyScope
from greywind_site.operating.agents import mint_key, revoke_key, rotate_key, show_keys
from greywind_site.operating.command import Acts, OperatorCommand, act, add_project_option
from greywind_site.operating.spans import span, span_or_never

PRESETS = "agent: all scopes but event:attest and capsule:issue; harness: also event:attest, for what its user typed"


class Command(OperatorCommand):
    """A key belongs to one agent of one project. Its secret is shown once, when it is made."""

    help = "Mint, list, rotate and revoke the keys of agents."

    @override
    def add_acts(self, acts: Acts) -> None:
        what = "Make a key; its secret is printed this once."
        mint = act(acts, "mint", mint_key, help=what, example="key mint --agent worker --preset harness --expires 30d")
        _add_mint_options(mint)
        what = "List the keys of a project; no secret is among what is shown."
        listed = act(acts, "list", show_keys, help=what, example="key list --agent worker")
        listed.add_argument("--agent", metavar="AGENT", help="only those of this agent (name or act_…)")
        what = "Make a key like an old one, which lapses after the overlap."
        rotate = act(acts, "rotate", rotate_key, help=what, example="key rotate gw_abcd1234 --overlap 0")
        rotate.add_argument("--overlap", type=span, default="24h", help="how long the old one goes on (default 24h)")
        what = "End a key at once."
        revoke = act(acts, "revoke", revoke_key, help=what, example='key revoke gw_abcd1234 --reason "left on a train"')
        revoke.add_argument("--reason", required=True, help="one sentence for the ledger")
        for parser in (rotate, revoke):
            parser.add_argument("key", metavar="KEY", help="its id (key_…) or its beginning (gw_…), from `key list`")
        for parser in (mint, listed, rotate, revoke):
            add_project_option(parser)


def _add_mint_options(parser: ArgumentParser) -> None:
    parser.add_argument("--agent", required=True, metavar="AGENT", help="whose it is: the agent's name, or act_…")
    parser.add_argument("--preset", choices=[*map(str, KeyPreset)], default="agent", help=PRESETS)
    parser.add_argument(
        "--scope", action="append", metavar="SCOPE", help=f"instead of a preset, repeatable: {', '.join(KeyScope)}"
    )
    parser.add_argument("--expires", type=span_or_never, default="90d", help="90d, 12h … or never (default 90d)")
    parser.add_argument("--name", default="", help="what it is for")
