"""State machines of governance, as literal tables."""

from governance.transitions import Table
from governance.vocabulary import InboxState, RevisionState

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
