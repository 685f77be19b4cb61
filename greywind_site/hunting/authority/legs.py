"""One attempt, three times: by SQL, by the code that explains, and by the oracle."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from governance.decisions import decide
from governance.eligibility import self_approved
from governance.errors import Clash, Forbidden, NotThere
from governance.ids import new_id
from governance.models import Proposal
from governance.proposal_reading import find_proposal, why_not
from governance.proposal_texts import TextWish
from governance.proposals import comment, edit, open_for_decision, withdraw
from governance.schemas import body_hash
from governance.scope import project_scope
from governance.vocabulary import DecisionVerb
from greywind_site.hunting.authority import oracle
from greywind_site.hunting.authority.oracle import DECIDING
from greywind_site.hunting.authority.people import Person
from greywind_site.hunting.authority.scenes import CHANGES
from greywind_site.hunting.authority.sql import MOVE, SAY, Stood, decision, enter, taken, text
from greywind_site.hunting.authority.staging import Staged, wish_on

RULES: Mapping[str, Callable[[oracle.Someone, oracle.Matter], bool]] = {
    "withdraw": oracle.withdraws,
    "comment": oracle.speaks,
    "edit": oracle.edits,
    "open": oracle.opens,
}
FORGED = "sha256:" + "0" * 64


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody wants to do something with what is staged; `bound` says what a decision refers to."""

    action: str
    who: Person
    bound: str = "seen"


def expected(staged: Staged, attempt: Attempt) -> bool | None:
    """Return what the oracle says. Of a decision: None, or the word on self-approval."""
    who, matter = attempt.who.someone, replace(staged.matter, bound=attempt.bound == "seen")
    if attempt.action == "edit_and_approve":
        return _edited(who, matter, staged)
    if attempt.action == "conclude":
        return oracle.concludes(who, matter)
    return RULES.get(attempt.action, oracle.decides)(who, matter)


def _edited(who: oracle.Someone, matter: oracle.Matter, staged: Staged) -> bool | None:
    """One's own text is another matter, of which one is a writer; and one may decide on both."""
    change = CHANGES[staged.scene.change]
    after = replace(matter, risk=change.risk, writers=(*matter.writers, who), decided=frozenset())
    return None if oracle.decides(who, matter) is None else oracle.decides(who, after)


def by_sql(staged: Staged, attempt: Attempt) -> bool | None:
    """Return what the database says; both words on self-approval are tried, and it must take one at most."""
    acting = attempt.who.acting
    enter(acting)
    if attempt.action in (*DECIDING, "edit_and_approve"):
        words = [word for word in (False, True) if taken(*_rows(staged, attempt, word=word))]
        if len(words) > 1:
            raise ValueError(f"the database takes either word: {attempt}")
        return words[0] if words else None
    match attempt.action:
        case "withdraw" | "open" | "conclude":
            there = {"withdraw": "withdrawn", "open": "open", "conclude": "approved"}[attempt.action]
            return staged.scene.state != there and taken((MOVE, [there, staged.proposal]))
        case "comment":
            return taken((SAY, [new_id(), acting.project_id, staged.proposal, staged.now.version, acting.actor_id]))
    return taken(_next(staged, attempt, weight=staged.scene.weight))


def _rows(staged: Staged, attempt: Attempt, *, word: bool) -> list[Any]:
    acting, stood = attempt.who.acting, _bound(staged, attempt.bound)
    if attempt.action != "edit_and_approve":
        return [decision(acting, staged.proposal, stood, verb=attempt.action, word=word)]
    change = CHANGES[staged.scene.change]
    after = Stood(stood.version + 1, stood.base, FORGED if attempt.bound == "forged" else _hash_after(staged))
    row = decision(acting, staged.proposal, after, verb=attempt.action, word=word)
    return [_next(staged, attempt, weight=(change.risk, change.level)), row]


def _next(staged: Staged, attempt: Attempt, *, weight: tuple[str, str]) -> Any:
    stood, body = _bound(staged, attempt.bound), staged.next_text
    return text(attempt.who.acting, staged.proposal, stood, body=body, body_hash=body_hash(body), weight=weight)


def _hash_after(staged: Staged) -> str:
    """Return the hash of what one will have seen once one's own text stands there, as the design binds a decision."""
    base = staged.seen.text.base
    parts = [base.body_hash if base else "-", body_hash(staged.next_text), str(staged.seen.policy_revision_id or "-")]
    return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _bound(staged: Staged, bound: str) -> Stood:
    if bound == "older":
        return staged.older or Stood(staged.now.version - 1, staged.now.base, staged.now.seen_hash)
    return replace(staged.now, seen_hash=FORGED) if bound == "forged" else staged.now


def by_code(staged: Staged, attempt: Attempt) -> bool | None:
    """Return what the code says that explains a disabled button, or the verb's own check where there is none."""
    who, stood = attempt.who.acting, _bound(staged, attempt.bound)
    seen = staged.seen
    if attempt.action not in (*DECIDING, "conclude"):
        return by_verb(staged, attempt)
    with project_scope(who):
        there = Proposal.objects.filter(pk=staged.proposal).exists()
        barred = attempt.action in DECIDING and why_not(who, seen) is not None
    if attempt.action == "conclude":
        return there and seen.proposal.state == "open" and not seen.moved and seen.approvals >= seen.needed
    same = (stood.version, stood.seen_hash) == (seen.proposal.version, seen.seen_hash)
    return self_approved(seen.case, who.actor_id) if there and same and not barred and not seen.moved else None


def by_verb(staged: Staged, attempt: Attempt) -> bool | None:
    """Do it by the product's own verb and take it back; None or False where that refuses."""
    refused = None if attempt.action in (*DECIDING, "edit_and_approve") else False
    try:
        with transaction.atomic():
            with project_scope(attempt.who.acting):
                held = find_proposal(staged.seen.proposal.public_id, pointer="/proposal")
                done = VERBS[attempt.action](held, staged, attempt)
            transaction.set_rollback(True)
    except (Forbidden, Clash, NotThere):
        return refused
    return done


def _decide(held: Proposal, staged: Staged, attempt: Attempt) -> bool:
    stood = _bound(staged, attempt.bound)
    bound = {"expected_version": stood.version, "seen_hash": stood.seen_hash}
    body = staged.next_text if attempt.action == "edit_and_approve" else None
    wish = wish_on(staged.seen, DecisionVerb(attempt.action), body=body, **bound)
    return decide(attempt.who.acting, held, wish, now=timezone.now()).self_approved


def _edit(held: Proposal, staged: Staged, attempt: Attempt) -> bool:
    wish = TextWish(body=dict(staged.next_text))
    edit(attempt.who.acting, held, wish, expected_version=held.version, now=timezone.now())
    return True


def _withdraw(held: Proposal, _: Staged, attempt: Attempt) -> bool:
    withdraw(attempt.who.acting, held, reason="", now=timezone.now())
    return True


def _comment(held: Proposal, _: Staged, attempt: Attempt) -> bool:
    comment(attempt.who.acting, held, "so", now=timezone.now())
    return True


def _open(held: Proposal, _: Staged, attempt: Attempt) -> bool:
    open_for_decision(attempt.who.acting, held, now=timezone.now())
    return True


VERBS: Mapping[str, Callable[[Proposal, Staged, Attempt], bool]] = {
    **dict.fromkeys((*DECIDING, "edit_and_approve"), _decide),
    "edit": _edit,
    "withdraw": _withdraw,
    "comment": _comment,
    "open": _open,
}
