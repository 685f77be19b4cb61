"""The refusal of a compile whose required content does not fit: what was short, and who set the cap."""

from collections.abc import Mapping
from typing import Any

from governance.errors import Refusal
from sessions.context.vocabulary import LimitOrigin
from sessions.packets import PacketDraft, shortfall_out

# Who set the input cap that holds, and where it is changed.
_WINDOW = "which is the profile's window less its reserves (budget.profile names one with a larger window)"
CAPPED_BY: Mapping[LimitOrigin, str] = {
    LimitOrigin.REQUEST: "which the request asks for (budget.max_input_tokens; without it the other limits hold)",
    LimitOrigin.TASK: "which the task sets (max_input_tokens, changed by PATCH /tasks/{id})",
    LimitOrigin.ROLE: "which the role's contract sets (max_input_tokens, changed by a proposal for the role)",
    LimitOrigin.PROJECT: "which the project sets (an owner changes it in the console under Settings)",
    **dict.fromkeys((LimitOrigin.POLICY, LimitOrigin.LEARNT, LimitOrigin.PROFILE, LimitOrigin.DEFAULT), _WINDOW),
}


class RequiredContentExceedsBudget(Refusal):
    """Must content does not fit: nothing was compiled. `extra["shortfall"]` names layers, needed and available."""

    code = "required_content_exceeds_budget"
    title = "Required content exceeds the budget"


def refusal_of(draft: PacketDraft) -> RequiredContentExceedsBudget:
    """Return the refusal of a draft that did not fit; it names the layers that are short and who set the cap."""
    shortfall, budget = shortfall_out(draft.compiled), draft.budget
    layers = ", ".join(f"{row['layer']} needs {row['needed']} of {row['available']} tokens" for row in shortfall)
    cap = f"the input cap of {budget.input_cap} tokens, {CAPPED_BY[budget.origin]}"
    extra: dict[str, Any] = {"shortfall": shortfall, "input_cap_origin": budget.origin.value}
    if not draft.ask.dry_run:
        extra["packet_id"] = draft.public_id
    pointer = "/budget/max_input_tokens" if budget.origin is LimitOrigin.REQUEST else "/budget"
    message = f"required content does not fit {cap}: {layers}"
    if _filled_by_harness(draft):
        pointer = "/client_tokens"
        message += f"; the harness's own {draft.ask.client_tokens} tokens fill the window of {budget.window}"
    return RequiredContentExceedsBudget.at(pointer, message, extra=extra)


def _filled_by_harness(draft: PacketDraft) -> bool:
    """Return whether no limit stands in the way, and the harness takes more than it leaves."""
    return not draft.budget.unused and (draft.ask.client_tokens or 0) > draft.budget.input_cap
