"""`manage.py bench_retrieval`: questions with known evidence through the product's own search."""

from pathlib import Path
from typing import Any, override

from django.core.management.base import CommandParser

from greywind_site.benching.retrieval_telling import tell_bench, tell_explained
from greywind_site.operating.command import LoneCommand, Told


class Command(LoneCommand):
    """Exit code 0 whatever the figures are; 2 for a folder that is not of the form."""

    help = (
        "Lay the threads of a set out in a project of its own, let the worker embed them, ask every question in its "
        "thread as an agent does, and print recall, what was abstained from, and the evidence within 1,000, 2,000 and "
        "4,000 tokens beside plain baselines. A folder holds corpus.jsonl {id, thread, session, ts, speaker, text} and "
        "queries.jsonl {id, thread, text, relevant_ids, ignore_ids, category}. The database is made for it and dropped "
        "afterwards; vectors are kept in the data folder, under cache/bench_retrieval, by a hash of their text."
    )
    example = "bench_retrieval FOLDER --out ranked.jsonl\n  python3 manage.py bench_retrieval FOLDER --explain q17"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="the folder of the set")
        parser.add_argument("--corpus", default="corpus", help="another file of items, which name their source_ids")
        parser.add_argument("--out", type=Path, help="write {query_id, ranked_ids} here, ten ids a question at most")
        parser.add_argument("--explain", metavar="QUERY_ID", help="ask this question alone and tell why")

    @override
    def answer(self, options: dict[str, Any]) -> Told:
        folder, corpus = options["folder"], options["corpus"]
        if options["explain"]:
            return tell_explained(folder, options["explain"], corpus=corpus)
        return tell_bench(folder, self.stderr.write, corpus=corpus, out=options["out"])
