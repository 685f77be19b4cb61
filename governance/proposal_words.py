"""How the words of contracts, proposals and decisions read on a page, in the reader's language."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.diffs import Change
from governance.refusal_words import told
from governance.vocabulary import (
    ContractKind,
    DecisionReason,
    DecisionVerb,
    MembershipLevel,
    Proposable,
    ProposalKind,
    ProposalState,
    RevisionState,
    Risk,
)

CONTRACTS: Mapping[str, Promise] = {
    ContractKind.PERSONA: pgettext_lazy("contract", "persona"),
    ContractKind.ROLE: pgettext_lazy("contract", "role"),
    ContractKind.POLICY: pgettext_lazy("contract", "policy"),
    ContractKind.SELF_PROFILE: pgettext_lazy("contract", "self profile"),
    ContractKind.BUDGET_PROFILE: pgettext_lazy("contract", "budget profile"),
}
CONTRACT_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    ContractKind: CONTRACTS,
    ProposalKind: {
        **CONTRACTS,
        ProposalKind.MEMORY: pgettext_lazy("contract", "memory to share"),
        ProposalKind.SENSITIVITY: pgettext_lazy("contract", "memory to count as less sensitive"),
        ProposalKind.VISION: pgettext_lazy("contract", "vision of a thread"),
    },
    RevisionState: {
        RevisionState.DRAFT: pgettext_lazy("revision", "draft"),
        RevisionState.ACTIVE: pgettext_lazy("revision", "in force"),
        RevisionState.SUPERSEDED: pgettext_lazy("revision", "superseded"),
    },
    ProposalState: {
        ProposalState.DRAFT: pgettext_lazy("proposal", "draft"),
        ProposalState.OPEN: pgettext_lazy("proposal", "waits for a decision"),
        ProposalState.APPROVED: pgettext_lazy("proposal", "approved"),
        ProposalState.REJECTED: pgettext_lazy("proposal", "rejected"),
        ProposalState.CHANGES_REQUESTED: pgettext_lazy("proposal", "sent back"),
        ProposalState.WITHDRAWN: pgettext_lazy("proposal", "withdrawn"),
        ProposalState.EXPIRED: pgettext_lazy("proposal", "expired"),
    },
    DecisionVerb: {
        DecisionVerb.APPROVE: pgettext_lazy("decision", "approved it"),
        DecisionVerb.EDIT_AND_APPROVE: pgettext_lazy("decision", "edited and approved it"),
        DecisionVerb.REQUEST_CHANGES: pgettext_lazy("decision", "asked for changes"),
        DecisionVerb.REJECT: pgettext_lazy("decision", "rejected it"),
    },
    DecisionReason: {
        DecisionReason.SOUND: pgettext_lazy("reason", "sound"),
        DecisionReason.UNCLEAR: pgettext_lazy("reason", "unclear"),
        DecisionReason.WRONG: pgettext_lazy("reason", "wrong"),
        DecisionReason.TOO_BROAD: pgettext_lazy("reason", "too broad"),
        DecisionReason.UNSAFE: pgettext_lazy("reason", "unsafe"),
        DecisionReason.NOT_NEEDED: pgettext_lazy("reason", "not needed"),
        DecisionReason.DUPLICATE: pgettext_lazy("reason", "duplicate"),
        DecisionReason.OTHER: pgettext_lazy("reason", "another reason"),
    },
    Change: {
        Change.ADDED: pgettext_lazy("change", "added"),
        Change.REMOVED: pgettext_lazy("change", "removed"),
        Change.CHANGED: pgettext_lazy("change", "changed"),
    },
}
RISKS: Mapping[Risk, Promise] = {
    Risk.LOW: pgettext_lazy("risk", "low risk"),
    Risk.MEDIUM: pgettext_lazy("risk", "medium risk"),
    Risk.HIGH: pgettext_lazy("risk", "high risk"),
}
# Fields of contracts that are told by the same name where a packet holds them.
CONTRACT_PARTS: Mapping[str, Promise] = {
    "name": pgettext_lazy("part", "name"),
    "speaking_style": pgettext_lazy("part", "speaking style"),
    "behavior_rules": pgettext_lazy("part", "behaviour"),
    "relationship_to_user": pgettext_lazy("part", "relationship to the user"),
    "stable_preferences": pgettext_lazy("part", "stable preferences"),
    "preference_model": pgettext_lazy("part", "preferences of the human"),
    "duties": pgettext_lazy("part", "duties"),
    "permissions": pgettext_lazy("part", "permissions"),
    "collaboration_rules": pgettext_lazy("part", "collaboration rules"),
    "hard_boundaries": pgettext_lazy("part", "hard boundaries"),
    "rules": pgettext_lazy("part", "rules"),
}
# What fields are called: those of a vision as elsewhere in the console, those of contracts in words of their own.
FIELDS: Mapping[str, Promise] = {
    "origin_goal": gettext_lazy("Goal"),
    "done_when": gettext_lazy("Done when"),
    "non_goals": gettext_lazy("Non-goals"),
    "user_priorities": gettext_lazy("Priorities"),
    "quality_bar": gettext_lazy("Quality bar"),
    "role": pgettext_lazy("part", "what it is"),
    "identity_core": pgettext_lazy("part", "who it is at heart"),
    "max_input_tokens": gettext_lazy("Most input tokens"),
    "risk_threshold": pgettext_lazy("part", "from which risk a human is asked"),
    "approval_required_for": pgettext_lazy("part", "what needs an approval"),
    "source_weights": pgettext_lazy("part", "how much each source weighs"),
    "injection_rules": pgettext_lazy("part", "what may enter a packet"),
    "budget_floors": pgettext_lazy("part", "floors of the layers"),
    "retention": gettext_lazy("Kept for"),
    "review_mode": pgettext_lazy("part", "which memories a human lets in"),
    "two_deciders_for": pgettext_lazy("part", "where two approve"),
    "vision_editors": pgettext_lazy("part", "who writes a vision directly"),
    "model_window": gettext_lazy("Window of the model"),
    "harness_window": gettext_lazy("Window of the harness"),
    "encoding": gettext_lazy("Tokenizer"),
    "method": gettext_lazy("Counts are"),
    "factor": gettext_lazy("Factor"),
    "reserves": gettext_lazy("Kept free, in tokens"),
    "item_caps": gettext_lazy("Limits of single items"),
    "layers": pgettext_lazy("part", "shares of the layers"),
    "groups": pgettext_lazy("part", "shares of the groups"),
    "reads": pgettext_lazy("limit", "what a session reads by refs, in all"),
    **CONTRACT_PARTS,
}
# Why nobody decides a proposal that has not ended for good.
SHUT: Mapping[ProposalState, Promise] = {
    ProposalState.EXPIRED: gettext_lazy(
        "It lapsed: nobody decided it in time. Whoever still wants it proposes it again."
    ),
    ProposalState.CHANGES_REQUESTED: gettext_lazy(
        "It was sent back, and waits for its proposer. "
        "It is open for a decision again once the next version is written."
    ),
    ProposalState.DRAFT: gettext_lazy("It is a draft. It is open for a decision once its proposer asks for one."),
}
LEVEL_NEEDED: Mapping[MembershipLevel, Promise] = {
    MembershipLevel.MAINTAINER: gettext_lazy(
        "Your level in this project does not allow it: a maintainer or an owner decides this."
    ),
    MembershipLevel.OWNER: gettext_lazy("Your level in this project does not allow it: an owner decides this."),
}
OWN_TEXT = gettext_lazy(
    "You wrote this, alone or with others, and it is above low risk: somebody else of that level decides it."
)
OWN_AGENT = gettext_lazy(
    "An agent of yours wrote this, and it is above low risk: somebody else of that level decides it."
)
# What the next page begins with once something was asked for, and after a decision.
ASKED = gettext_lazy("Proposed. It waits in the inbox of those who may decide it.")
NEXT_STEPS: Mapping[DecisionVerb, Promise] = {
    DecisionVerb.REQUEST_CHANGES: gettext_lazy("Sent back. It waits for its proposer, and is open again once edited."),
    DecisionVerb.REJECT: gettext_lazy("Rejected. Nothing changes; the reason stays with the proposal."),
}
IN_FORCE = gettext_lazy("Approved, and in force. Running attempts keep theirs; the next attempt gets this revision.")
# The same of what becomes no revision.
TAKEN_UP: Mapping[Proposable, Promise] = {
    ProposalKind.MEMORY: gettext_lazy(
        "Approved. It is a memory of the project from now on, as far as its gates let it in."
    ),
    ProposalKind.SENSITIVITY: gettext_lazy(
        "Approved. The memory counts as less sensitive from now on; the next search and packet go by it."
    ),
    ProposalKind.VISION: gettext_lazy("Approved. It is the vision now; the next packet of the thread carries it."),
}
WITHDRAWN_OFFER = gettext_lazy("A memory that was offered and taken back")
ONE_MORE = gettext_lazy("Your approval is stored. It takes effect once another decider approves the same text.")


def barred_words(code: str, *, level: MembershipLevel, by_agent: bool) -> Promise | str:
    """Return why somebody may not decide a change that needs `level`; `by_agent` says that an agent wrote for them."""
    match code:
        case "level_too_low":
            return LEVEL_NEEDED[level]
        case "own_proposal":
            return OWN_AGENT if by_agent else OWN_TEXT
        case _:
            return told(code, "")


def reason_choices() -> list[tuple[str, Promise]]:
    """Return a form's choices for why something is rejected."""
    return [(reason.value, CONTRACT_KINDS[DecisionReason][reason]) for reason in DecisionReason]


def risk_choices() -> list[tuple[str, Promise]]:
    """Return a form's choices for the risk that a proposer sees in it."""
    return [(risk.value, words) for risk, words in RISKS.items()]
