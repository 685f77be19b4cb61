"""Matters that wait for a human: opened by whichever app has one, looked at, put off and settled. One row a matter.

An app calls `open_item`, `wake_item` and `settle_item` inside its own scope; people claim and snooze on the page.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import regex

from governance.actors import Acting
from governance.errors import Clash, Invalid, NotThere
from governance.ids import parse_id
from governance.lifecycle import INBOX_TRANSITIONS
from governance.models import Actor, InboxItem
from governance.people import check_may
from governance.scope import record
from governance.transitions import advance
from governance.vocabulary import Deed, InboxKind, InboxState, Risk

LONGEST_TITLE = 300
LONGEST_SNOOZE = timedelta(days=366)
GRAPHEME = regex.compile(r"\X")


def open_item(
    acting: Acting,
    kind: InboxKind,
    ref: str,
    *,
    title: str,
    now: datetime,
    risk: Risk = Risk.LOW,
    reach: Mapping[str, Any] | None = None,
) -> InboxItem:
    """Let a matter wait for a human, in the open scope; there is one item for each kind and ref.

    One that waits already gets the new title and risk; one that was settled, or put off until there is new evidence,
    is open again; one that was put off until a date stays so. `reach` is `reach_of(row)` of what the matter is about.
    A title over 300 characters is cut between graphemes. Raises NotThere where the matter waits beyond what `acting`
    may read.
    """
    item, made = _claimed_row(acting, kind, ref, title=titled(title), risk=risk, reach=reach or {}, now=now)
    if made:
        record("inbox.open", item.public_id, after=InboxState.OPEN, detail={"kind": kind, "ref": ref})
        return item
    if item.state == InboxState.DONE or item.awaits_evidence:
        reopen(item)
    if (item.title, item.risk) != (titled(title), risk):
        item.title, item.risk = titled(title), risk
        item.save(update_fields=["title", "risk"])
    return item


def wake_item(kind: InboxKind, ref: str) -> None:
    """Open a matter that was put off, because there is new evidence on it; nothing happens to any other."""
    item = item_about(kind, ref)
    if item is not None and item.state == InboxState.SNOOZED:
        reopen(item)


def settle_item(kind: InboxKind, ref: str, *, now: datetime, reason: str = "") -> None:
    """Take a matter off the desk; nothing happens where it is off, or was never on."""
    item = item_about(kind, ref)
    if item is None or item.state == InboxState.DONE:
        return
    ended: dict[str, Any] = {"settled_at": now, "snoozed_until": None, "awaits_evidence": False}
    advance(item, InboxState.DONE, table=INBOX_TRANSITIONS, verb="inbox.done", reason=reason, **ended)


def item_about(kind: InboxKind, ref: str) -> InboxItem | None:
    """Return the item of a matter, locked until the scope ends; None where the matter was never on the desk."""
    return InboxItem.objects.select_for_update().filter(kind=kind, ref=ref).first()


def reopen(item: InboxItem) -> None:
    """Let a matter that was settled or put off wait again. Raises Clash (invalid_transition) for an open one."""
    again: dict[str, Any] = {"snoozed_until": None, "awaits_evidence": False, "settled_at": None}
    advance(item, InboxState.OPEN, table=INBOX_TRANSITIONS, verb="inbox.open", reason="", **again)


def find_item(item_id: str, *, pointer: str) -> InboxItem:
    """Return the item with this public id, locked until the scope ends; raises NotThere, also for a malformed id."""
    try:
        pk = parse_id(InboxItem.PREFIX, item_id, pointer=pointer)
    except Invalid as error:
        raise NotThere.there(pointer) from error
    found = InboxItem.objects.select_for_update().filter(pk=pk).first()
    if found is None:
        raise NotThere.there(pointer)
    return found


def claim_item(acting: Acting, item: InboxItem, *, now: datetime) -> None:
    """Say that one looks at it, which others see; whoever said so before is relieved. It locks nothing.

    Raises Forbidden (level_too_low) and Clash (not_waiting).
    """
    check_may(acting, Deed.TRIAGE_INBOX)
    _check_waits(item)
    if item.assignee_id == acting.actor_id:
        return
    before = _name_of(item.assignee_id)
    item.assignee_id, item.claimed_at = acting.actor_id, now
    item.save(update_fields=["assignee", "claimed_at"])
    record("inbox.claim", item.public_id, before=before, after=acting.public_id)


def release_item(acting: Acting, item: InboxItem) -> None:
    """Say that one no longer looks at it. Raises Forbidden (level_too_low) and Clash (not_yours)."""
    check_may(acting, Deed.TRIAGE_INBOX)
    if item.assignee_id != acting.actor_id:
        raise Clash.at("/assignee", "somebody else looks at it, or nobody; only they release it", code="not_yours")
    item.assignee_id, item.claimed_at = None, None
    item.save(update_fields=["assignee", "claimed_at"])
    record("inbox.release", item.public_id, before=acting.public_id)


def snooze_item(
    acting: Acting, item: InboxItem, *, now: datetime, until: datetime | None = None, on_evidence: bool = False
) -> None:
    """Put a matter off until a moment, or until there is new evidence, or until the first of both.

    Raises Forbidden (level_too_low), Clash (not_waiting) and Invalid (snooze_needs_end, snooze_out_of_range).
    """
    check_may(acting, Deed.TRIAGE_INBOX)
    _check_waits(item)
    if until is None and not on_evidence:
        raise Invalid.at("/until", "say until when, or until there is new evidence", code="snooze_needs_end")
    if until is not None and not now < until <= now + LONGEST_SNOOZE:
        raise Invalid.at("/until", "choose a moment in the coming year", code="snooze_out_of_range")
    if item.state == InboxState.SNOOZED:
        reopen(item)
    put_off: dict[str, Any] = {"snoozed_until": until, "awaits_evidence": on_evidence}
    advance(item, InboxState.SNOOZED, table=INBOX_TRANSITIONS, verb="inbox.snooze", reason="", **put_off)


def end_snooze(acting: Acting, item: InboxItem) -> None:
    """Take a matter back before its time. Raises Forbidden (level_too_low); an open one stays as it is."""
    check_may(acting, Deed.TRIAGE_INBOX)
    if item.state == InboxState.SNOOZED:
        reopen(item)


def titled(text: str) -> str:
    """Return a text as the title of an item: one line of at most 300 characters, cut between graphemes."""
    line = " ".join(text.split())
    if len(line) <= LONGEST_TITLE:
        return line
    kept, room = [], LONGEST_TITLE - 1
    for found in GRAPHEME.finditer(line):
        room -= len(found.group())
        if room < 0:
            break
        kept.append(found.group())
    return "".join(kept) + "…"


def _claimed_row(
    acting: Acting, kind: InboxKind, ref: str, *, title: str, risk: Risk, reach: Mapping[str, Any], now: datetime
) -> tuple[InboxItem, bool]:
    """Return the matter's row, locked, and whether it was made just now: of two at once one makes it."""
    fresh = InboxItem(
        project_id=acting.project_id,
        created_at=now,
        kind=kind,
        ref=ref,
        title=title,
        risk=risk,
        opened_by_id=acting.actor_id,
        **reach,
    )
    InboxItem.objects.bulk_create([fresh], ignore_conflicts=True)
    item = item_about(kind, ref)
    if item is None:
        raise NotThere.there("/ref")
    return item, item.pk == fresh.pk


def _check_waits(item: InboxItem) -> None:
    if item.state == InboxState.DONE:
        raise Clash.at("/state", "it is settled and waits for nobody", code="not_waiting")


def _name_of(actor_id: Any) -> str:
    return Actor(pk=actor_id).public_id if actor_id else ""
