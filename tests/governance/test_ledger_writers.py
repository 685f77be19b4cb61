"""Many writers, a dump and a restore, other time zones: one chain a project without a gap, and no false alarm."""

import os
import random
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from governance.actors import Acting
from governance.verify_ledger import Verdict
from tests.databases import as_superuser, owner_link
from tests.governance.rawsql import app_link, enter, present_database
from tests.governance.tampering import Ledger
from tests.stage import Stage

# By command, with 64 writers: GREYWIND_LEDGER_ENTRIES=10000 python3 -m pytest tests/governance/test_ledger_writers.py
ENTRIES = int(os.environ.get("GREYWIND_LEDGER_ENTRIES", "640"))
# Each holds a connection of its own; the suite's other processes need some of the server's as well.
WRITERS = 64 if ENTRIES >= 10_000 else 16
SHARE = -(-ENTRIES // WRITERS)
ENTRY = (
    "INSERT INTO governance_auditevent (id, project_id, seq, at, actor, on_behalf_of, verb, target, reason, before,"
    " after, trace, detail, prev, hash) VALUES (gen_random_uuid(), %s, 0, now(), 'act_x', '', 'test', 't', '', '', '',"
    " '', '{}', '', '')"
)
CHAIN = "SELECT count(*), count(DISTINCT prev), min(seq), max(seq) FROM governance_auditevent WHERE project_id = %s"


def ledger_of(link: psycopg.Connection, acting: Acting) -> Ledger:
    return Ledger(link, acting.project_id, 0, [])


@pytest.fixture
def acting(stage: Stage) -> list[Acting]:
    """Actors of three kinds in two projects."""
    return [stage.alpha.dev.acting, stage.beta.dev.acting, stage.alpha.personal.acting, stage.beta.owner.acting]


def write(acting: list[Acting], seed: int) -> Counter[uuid.UUID]:
    """Write one writer's share, a tenth more of it in transactions that fail; returns what was committed by project."""
    dice, written = random.Random(seed), Counter[uuid.UUID]()  # noqa: S311 - repeatable dice
    with app_link() as link:
        while written.total() < SHARE:
            who, fails = dice.choice(acting), dice.random() < 0.1
            with link.transaction(force_rollback=fails):
                enter(link, who)
                link.execute(ENTRY, [who.project_id])
            written[who.project_id] += not fails
    return written


def test_many_writers_leave_one_chain_a_project(acting: list[Acting], boss: psycopg.Connection) -> None:
    expected = Counter({who.project_id: boss.execute(CHAIN, [who.project_id]).fetchone()[0] for who in acting})
    with ThreadPoolExecutor(WRITERS) as threads:
        written = sum(threads.map(partial(write, acting), range(WRITERS)), Counter())
    assert written.total() == SHARE * WRITERS >= ENTRIES
    for project, entries in (expected + written).items():
        # Nothing is missing, and no two entries follow the same one.
        assert boss.execute(CHAIN, [project]).fetchone() == (entries, entries, 1, entries)
        assert Ledger(boss, project, 0, []).verdicts() == (Verdict(entries), Verdict(entries))


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "UTC"])
@pytest.mark.parametrize("style", ["German, DMY", "SQL, MDY", "Postgres", "ISO"])
def test_another_session_raises_no_alarm(acting: list[Acting], boss: psycopg.Connection, zone: str, style: str) -> None:
    with boss.transaction(force_rollback=True):
        for name, value in {"timezone": zone, "datestyle": style, "extra_float_digits": "-5"}.items():
            boss.execute("SELECT set_config(%s, %s, true)", [name, value])
        here, outside = ledger_of(boss, acting[0]).verdicts()
    assert (here, here.fault) == (outside, None)


@pytest.fixture
def restored(stage: Stage, tmp_path: Path) -> Iterator[psycopg.Connection]:
    """The test database, dumped and restored under another name by PostgreSQL's own programs."""
    name, file = f"{present_database()}_restored", tmp_path / "dump"
    as_superuser("pg_dump", "--format=custom", f"--file={file}", present_database())
    with owner_link("postgres") as link:
        link.execute(sql.SQL("CREATE DATABASE {} TEMPLATE gw_template").format(sql.Identifier(name)))
    as_superuser(
        "pg_restore", "--single-transaction", "--no-comments", "--schema=public", f"--dbname={name}", str(file)
    )
    with owner_link(name) as link:
        yield link
    with owner_link("postgres") as link:
        link.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


def test_a_dump_and_a_restore_raise_no_alarm(
    acting: list[Acting], restored: psycopg.Connection, boss: psycopg.Connection
) -> None:
    for who in acting:
        before, after = ledger_of(boss, who).verdicts(), ledger_of(restored, who).verdicts()
        assert before == after
        assert (after[0].fault, after[0].entries > 0) == (None, True)
