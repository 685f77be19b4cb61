"""State machines of governance, as literal tables."""

from governance.transitions import Table
from governance.vocabulary import InboxState, ProposalState, RevisionState

REVISION_TRANSITIONS: Table[RevisionState] = {
    RevisionState.DRAFT: frozenset({RevisionState.ACTIVE, RevisionState.SUPERSEDED}),
    RevisionState.ACTIVE: frozenset({RevisionState.SUPERSEDED}),
    RevisionState.SUPERSEDED: frozenset(),
}

INBOX_TRANSITIONS: Table[InboxState] = {
    InboxState.OPEN: frozenset({InboxState.SNOOZED, InboxState.DONE}),
    InboxState.SNOOZED: frozenset({InboxState.OPEN, InboxState.DONE}),
    InboxState.DONE: frozenset({InboxState.OPEN}),
}

PROPOSAL_TRANSITIONS: Table[ProposalState] = {
    ProposalState.DRAFT: frozenset({ProposalState.OPEN, ProposalState.WITHDRAWN}),
    ProposalState.OPEN: frozenset(
        {
            ProposalState.APPROVED,
            ProposalState.REJECTED,
            ProposalState.CHANGES_REQUESTED,
            ProposalState.WITHDRAWN,
            ProposalState.EXPIRED,
        }
    ),
    ProposalState.CHANGES_REQUESTED: frozenset({ProposalState.OPEN, ProposalState.WITHDRAWN, ProposalState.EXPIRED}),
    ProposalState.APPROVED: frozenset(),
    ProposalState.REJECTED: frozenset(),
    ProposalState.WITHDRAWN: frozenset(),
    ProposalState.EXPIRED: frozenset(),
}
