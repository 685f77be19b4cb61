"""Where the dialogue of a session began in its last packet: what the next one goes on from."""

from collections.abc import Mapping
from typing import Any

from sessions.context.budget import Budget
from sessions.context.material import Beginning


def beginning_in(last: Mapping[str, Any] | None, budget: Budget) -> Beginning | None:
    """Return where the dialogue of the session's last packet began, None where it was under another budget.

    Two callers with different budgets take turns on one session: the smaller must not shorten what the larger gets.
    """
    told = last and last["dialogue"]
    if not last or not told or (last["input_cap"], last["profile"]) != (budget.input_cap, budget.profile):
        return None
    return Beginning(words=told["words_from"], work=told["work_from"])


def words_from(last: Mapping[str, Any] | None) -> int:
    """Return the seq from which on messages stood in the session's last packet; 0 where all that was read did."""
    return last["dialogue"]["words_from"] if last and last["dialogue"] else 0


def dialogue_out(begins: Beginning | None, before: Beginning | None) -> dict[str, Any] | None:
    """Return from which entries on the dialogue is in, and whether it moved there in a step; None of a refusal."""
    if begins is None:
        return None
    return {"words_from": begins.words, "work_from": begins.work, "stepped": before is not None and begins != before}
