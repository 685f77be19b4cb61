"""`manage.py embed`: make the vectors that passages lack, and say how far it is."""

from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.operating.command import LoneCommand, Told
from greywind_site.operating.vectors import draw_graphs, forget_model, tell_embedding


class Command(LoneCommand):
    """Exit code 1 where a model could not be used now, or with --wait anything was given up."""

    help = (
        "Ask for every vector that a passage lacks, as after a model was set anew, and make what is due. Workers do"
        " the same by themselves; any number of both may run at once, and this may be stopped at any moment."
    )
    example = "embed --wait\n  python3 manage.py embed --model use-multilingual-v3 --limit 1000 --json"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", metavar="NAME", help="only by this model")
        parser.add_argument("--limit", type=int, metavar="N", help="make at most so many")
        parser.add_argument("--wait", action="store_true", help="go on until nothing waits, whoever makes it")
        other = parser.add_mutually_exclusive_group()
        other.add_argument("--graph", action="store_true", help="build the search graph of each model that has none")
        other.add_argument("--forget", metavar="NAME", help="delete the vectors of a model that is not used any more")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        if options["graph"]:
            return draw_graphs(self.stderr.write)
        if options["forget"]:
            return forget_model(options["forget"])
        chosen = {name: options[name] for name in ("limit", "wait")}
        return tell_embedding(only=options["model"], tell=self.stderr.write, **chosen)
