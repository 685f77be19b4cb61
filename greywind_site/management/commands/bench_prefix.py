"""`manage.py bench_prefix`: how much of a prompt the next one can reuse."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.prefix_telling import tell_prefix
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 1 when a goal is not reached, 2 for a file that is not of the form."""

    help = (
        "Replay a recorded session turn by turn: before each user turn the context is compiled as an agent would ask "
        "for it, then what was said and done is appended. Tells how much of each prompt the next one begins with, and "
        "what Anthropic and OpenAI would bill by the published rules of their prompt caches, beside the same content "
        "in a naive order. The file holds one JSON object a line, gzipped or plain: {session, seq, role, kind, text} "
        "with ts, tool and error where there are such. It makes a database of its own and drops it; nothing of yours "
        "is read or changed."
    )
    example = "bench_prefix sessions.jsonl.gz --session pi-theme --turns 50 --tokens 12000"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("sessions", type=Path, metavar="FILE", help="a file of recorded sessions")
        parser.add_argument("--session", default="pi-theme", metavar="NAME", help="which of them (pi-theme)")
        parser.add_argument("--turns", type=int, default=50, metavar="N", help="user turns to replay (50)")
        parser.add_argument("--tokens", type=int, default=12_000, metavar="N", help="most input tokens (12000)")
        parser.add_argument("--profile", default="gpt-5@codex", metavar="NAME", help="budget profile (gpt-5@codex)")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        named = ("session", "turns", "tokens", "profile")
        return tell_prefix(options["sessions"], self.stderr.write, **{name: options[name] for name in named})
