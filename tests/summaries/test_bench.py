"""What must be kept of a talk is kept, in few tokens, whole and in a packet."""

import io
import json

import pytest
from django.core.management import call_command

from tests.summaries.talks import HARBOUR, HARBOUR_LABELS

MUST_KEEP = 16  # of the twenty that hold at the end


@pytest.mark.parametrize("every", [1_000, 12])
def test_a_talk_in_chinese_keeps_what_must_be_kept(every: int) -> None:
    out = io.StringIO()
    call_command("bench_summary", str(HARBOUR), str(HARBOUR_LABELS), every=every, json=True, stdout=out)
    [found] = json.loads(out.getvalue())["checkpoints"]
    assert (found["live"], found["tokens"] <= 500, found["wrongly_stated"], found["refused_for"]) == (20, True, [], [])
    assert min(len(found["kept"]), len(found["in_packet"])) >= MUST_KEEP
