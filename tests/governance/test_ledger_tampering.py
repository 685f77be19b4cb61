"""Tampering by whoever owns the database: found and named at or below the last anchor, never called intact above it."""

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from governance.anchors import signed
from governance.verify_ledger import anchor_hash
from tests.governance.rawsql import owner
from tests.governance.tampering import KINDS, Ledger, faults_of, forged, restored
from tests.stage import Stage

# By command: GREYWIND_TAMPERINGS=10000 python3 -m pytest tests/governance/test_ledger_tampering.py
OF_EACH_KIND = -(-int(os.environ.get("GREYWIND_TAMPERINGS", "360")) // len(KINDS))
SEED = "5a" * 32
HASH = "SELECT encode(hash, 'hex') FROM governance_auditevent WHERE project_id = %s AND seq = %s"


@pytest.fixture(scope="module")
def ledger(stage: Stage) -> Iterator[Ledger]:
    """A chain with three anchors, and a few entries above the last one."""
    project = stage.beta.project.pk
    with owner() as link:
        [length] = link.execute(
            "SELECT max(seq) FROM governance_auditevent WHERE project_id = %s", [project]
        ).fetchone()
        anchors, previous = [], ""
        for seq in (length // 3, length // 2, length - 5):
            [digest] = link.execute(HASH, [project, seq]).fetchone()
            values = {"project": f"prj_{project.hex}", "seq": seq, "hash": digest, "at": "2026-03-02T10:00:00Z"}
            anchors.append(signed(values | {"previous": previous}, seed=SEED))
            previous = anchor_hash(anchors[-1])
        yield Ledger(link, project, length, anchors)


def test_the_untouched_ledger_is_unanchored_above_its_last_anchor(ledger: Ledger) -> None:
    here, outside = ledger.verdicts()
    assert here == outside
    assert (here.state, here.entries, here.anchored) == ("unanchored", ledger.length, ledger.anchored)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_tampering_is_found_and_named_by_both(ledger: Ledger, kind: object) -> None:
    dice, faults, seen = random.Random(kind.__name__), [], Counter()  # noqa: S311 - repeatable dice
    for _ in range(OF_EACH_KIND):
        with ledger.awake_nobody():
            expected = kind(ledger, dice)
            faults += faults_of(ledger, expected)
        seen["below" if expected.changed <= ledger.anchored else "above"] += 1
    assert faults == []
    assert seen["below"] > seen["above"] or kind is forged


def test_every_older_snapshot_is_found_down_to_the_last_anchor(ledger: Ledger) -> None:
    dice = random.Random(7)  # noqa: S311 - repeatable dice
    faults = []
    for _ in range(100):
        with ledger.awake_nobody():
            faults += faults_of(ledger, restored(ledger, dice))
    assert faults == []
