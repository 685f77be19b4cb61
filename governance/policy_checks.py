"""What is asked of a policy before it is proposed: its words are known, and somebody could decide under it."""

from collections.abc import Mapping
from typing import Any

from governance.errors import FieldFault, Invalid
from governance.policy_rules import VisionEditors, unknown_words
from governance.proposal_reading import deciders
from governance.vocabulary import MembershipLevel


def check_policy(body: Mapping[str, Any]) -> None:
    """Raise Invalid (unknown_word) for words that no rule would follow, and (nobody_could_decide) for a policy that
    asks for humans where the open scope's project has no active owner.
    """
    faults = tuple(FieldFault(pointer, "unknown_word", message) for pointer, message in unknown_words(body))
    if faults:
        raise Invalid.of(faults, code="unknown_word")
    asking = {
        "review_mode": body["review_mode"] != "auto",
        "approval_required_for": bool(body["approval_required_for"]),
        "two_deciders_for": bool(body["two_deciders_for"]),
        "vision_editors": body["vision_editors"] not in (None, VisionEditors.EVERYBODY),
    }
    first = next((name for name, asks in asking.items() if asks), None)
    if first is not None and not deciders(MembershipLevel.OWNER):
        message = "it lets humans decide, and the project has no active owner who could; invite one first"
        raise Invalid.at(f"/body/{first}", message, code="nobody_could_decide")
