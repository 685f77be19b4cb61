"""How the inbox reads in the reader's language, and where a matter is decided."""

from collections.abc import Mapping
from enum import StrEnum

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from governance.places import page_of_id
from governance.seats import Seat
from governance.vocabulary import InboxKind, InboxState
from greywind_site.console.inbox_rows import Sort, Tab

TABS: Mapping[Tab, Promise] = {
    Tab.WAITING: gettext_lazy("Waits for me"),
    Tab.MINE: gettext_lazy("Proposed by me"),
    Tab.SNOOZED: gettext_lazy("Put off"),
    Tab.DECIDED: gettext_lazy("Decided lately"),
    Tab.OPEN: gettext_lazy("All open"),
}
INBOX_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    InboxKind: {
        InboxKind.PROPOSAL: pgettext_lazy("matter", "proposal"),
        InboxKind.CONFLICT: pgettext_lazy("matter", "conflict"),
        InboxKind.CANDIDATE: pgettext_lazy("matter", "candidate"),
        InboxKind.CAPSULE: pgettext_lazy("matter", "capsule"),
        InboxKind.RESUME_FAILURE: pgettext_lazy("matter", "failed resume"),
        InboxKind.BUDGET_ALARM: pgettext_lazy("matter", "budget alarm"),
    },
    InboxState: {
        InboxState.OPEN: pgettext_lazy("matter", "open"),
        InboxState.SNOOZED: pgettext_lazy("matter", "put off"),
        InboxState.DONE: pgettext_lazy("matter", "settled"),
    },
    Sort: {
        Sort.URGENT: gettext_lazy("Highest risk first, then the oldest"),
        Sort.OLDEST: gettext_lazy("Oldest first"),
        Sort.NEWEST: gettext_lazy("Newest first"),
        Sort.WAKING: gettext_lazy("First to be open again"),
    },
}


def address_of(seat: Seat, matter_id: str, *, item_id: str) -> str:
    """Return where a matter is decided: its own page, or that of its item where there is no such page."""
    return page_of_id(seat.public_id, matter_id) or reverse("inbox_item", args=[seat.public_id, item_id])
