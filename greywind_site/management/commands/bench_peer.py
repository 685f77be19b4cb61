"""`manage.py bench_peer`: how long a whole answer takes beside a search of mem0 on the same rows and vectors."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.peer import tell_peer
from greywind_site.benching.peer_runs import Sizes
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 whatever the figures are; 1 where mem0 is not installed."""

    help = (
        "Write the same generated rows with the same vectors into our tables and into mem0's own on one server, and ask"
        " both the same new questions in turns by the same embedder: POST /context as a whole against Memory.search()."
        " mem0 is set up as its documentation says for PostgreSQL with pgvector, telemetry off and no language model"
        " asked; it is measured with the graph that it draws by default, and without. The scope is a project here and"
        " a user there. It makes databases of its own and drops them; nothing of yours is read or changed. It needs"
        " the optional packages of the extra bench."
    )
    example = "bench_peer\n  uv run --extra bench manage.py bench_peer --passages 20000 --questions 50 --real --json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        sizes = Sizes()
        parser.add_argument("--passages", type=int, default=sizes.passages, help="on either side (%(default)s)")
        parser.add_argument("--scope", type=int, default=sizes.scope, help="of each project or user (%(default)s)")
        parser.add_argument("--questions", type=int, default=sizes.questions, help="asked each time (%(default)s)")
        parser.add_argument("--real", action="store_true", help="then the same by the real embedder, which takes long")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        sizes = Sizes(**{name: options[name] for name in Sizes.__slots__})
        return tell_peer(sizes, self.stderr.write, real=options["real"])
