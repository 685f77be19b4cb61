"""The page on which several changes of low risk are approved: all are shown first, then each is decided by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from governance.bulk_decisions import MOST_AT_ONCE, Bound, Outcome, approve_each, chosen_sights, why_alone
from governance.change_reading import ChangeLine, changes_of
from governance.errors import Invalid
from governance.invisible import made_visible
from governance.languages import language_of
from governance.pages import Desk, done, project_page, refused, show
from governance.proposal_reading import Sight
from governance.proposal_texts import LONGEST_TEXT
from governance.proposal_words import WITHDRAWN_OFFER
from governance.refusal_words import told
from governance.scope import project_scope
from governance.vocabulary import Deed, ProposalKind, ProposalState

NOTHING_CHOSEN = Invalid("the form names nothing that was seen and chosen", code="nothing_chosen")
MOVED = gettext_lazy("This moved since you opened it, so it was not approved. Look at what stands now.")


@dataclass(frozen=True, slots=True)
class ChosenLine:
    """One of the chosen: what it would change, where it stands, and why it is not approved with the others, or ''."""

    seen: Sight
    why_not: Promise | str

    @property
    def title(self) -> Promise | str:
        return made_visible(self.seen.text.title) or WITHDRAWN_OFFER

    @property
    def language(self) -> str:
        return language_of(self.seen.text.title)

    @property
    def state(self) -> ProposalState:
        return ProposalState(self.seen.proposal.state)

    @property
    def kind(self) -> ProposalKind:
        return ProposalKind(self.seen.proposal.kind)

    @property
    def changes(self) -> list[ChangeLine]:
        return changes_of(self.seen)

    @property
    def bound(self) -> str:
        """What a form sends back of it: the proposal, and what was seen."""
        return f"{self.seen.proposal.public_id} {self.seen.text.version} {self.seen.seen_hash}"


@project_page
def approve_many(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Approve several changes of low risk: all are shown first, and each is decided and recorded by itself."""
    desk.check(Deed.PROPOSE_CONTRACT)
    if request.method == "POST":
        return _approved(request, desk)
    return _shown(request, desk, request.GET.getlist("id"))


def _shown(request: HttpRequest, desk: Desk, ids: Sequence[str], *, text: str = "", status: int = 200) -> HttpResponse:
    with project_scope(desk.acting, read_only=True):
        lines = [_line(desk, seen) for seen in chosen_sights(ids)]
    ready = [line for line in lines if not line.why_not]
    above = [
        (reverse("project", args=[desk.seat.public_id]), desk.seat.project_name),
        (reverse("project_inbox", args=[desk.seat.public_id]), gettext("Inbox")),
    ]
    return show(
        request, desk, "governance/approve_many.html", section="inbox", lines=lines, ready=ready, above=above,
        most=LONGEST_TEXT, text=text, status=status,
    )  # fmt: skip


def _line(desk: Desk, seen: Sight) -> ChosenLine:
    code = why_alone(desk.acting, seen, desk.seat.level)
    return ChosenLine(seen, told(code, code) if code else "")


def _approved(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Decide what was sent; the next page names each that was not approved, and says why.

    Where nothing was approved it is this page again, with what its writer says to it.
    """
    chosen = _bound(request.POST)
    text = request.POST.get("text", "").strip()
    if not chosen:
        return refused(request, NOTHING_CHOSEN, to=reverse("project_inbox", args=[desk.seat.public_id]))
    outcomes = approve_each(desk.acting, chosen, text=text, now=timezone.now())
    for one in outcomes:
        if one.refusal is not None:
            messages.error(request, f"{made_visible(one.title) or one.proposal_id}: {_why(one)}")
    if all(one.refusal is not None for one in outcomes):
        messages.error(request, _summed(outcomes))
        return _shown(request, desk, [one.proposal_id for one in outcomes], text=text, status=409)
    query = QueryDict(mutable=True)
    query.setlist("id", [one.proposal_id for one in outcomes])
    here = reverse("approve_many", args=[desk.seat.public_id])
    return done(request, _summed(outcomes), to=f"{here}?{query.urlencode()}")


def _summed(outcomes: Sequence[Outcome]) -> str:
    """Return how many are in force, wait for another decider, and were not approved."""
    given = [one for one in outcomes if one.refusal is None]
    waiting = sum(one.state == ProposalState.OPEN for one in given)
    left, approved = len(outcomes) - len(given), len(given) - waiting
    said = [ngettext("%(number)s approved.", "%(number)s approved.", approved) % {"number": approved}]
    if waiting:
        words = ngettext("%(number)s waits for another decider.", "%(number)s wait for another decider.", waiting)
        said.append(words % {"number": waiting})
    if left:
        words = ngettext(
            "%(number)s was not approved; the reason stands above.",
            "%(number)s were not approved; the reasons stand above.",
            left,
        )
        said.append(words % {"number": left})
    return " ".join(said)


def _why(outcome: Outcome) -> Promise | str:
    refusal = outcome.refusal
    if refusal is None:
        return ""
    return MOVED if refusal.code == "proposal_moved" else told(refusal.code, refusal.detail)


def _bound(query: QueryDict) -> list[Bound]:
    """Return what a form names and binds; a field of another shape binds nothing, and so decides nothing."""
    found: dict[str, Bound] = {}
    for text in query.getlist("seen")[:MOST_AT_ONCE]:
        proposal_id, _, rest = text.partition(" ")
        version, _, seen_hash = rest.partition(" ")
        if version.isascii() and version.isdigit() and len(version) < 7:
            found[proposal_id] = Bound(proposal_id, int(version), seen_hash)
    return list(found.values())
