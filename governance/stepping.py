"""Showing once more who one is before a deed that weighs much: how fresh the last proof of a browser session is.

What counts as a proof, and for whom, is decided where it is checked; here it is only kept, asked for and looked at.
What somebody had typed when they were asked is kept in their session until they are back, and no longer than that.
"""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from governance.vocabulary import ProofKind

CONFIRM = "confirm"  # the name of the page on which one shows it
PROOF, KEPT = "proof", "kept"  # keys in the session
# A form of the console holds less; what is larger is no form of ours, and is not kept.
MOST_KEPT = 300_000
# Long enough to fetch the device with the codes; a text that nobody came back for does not lie about for days.
KEPT_SECONDS = 900


def note_proof(request: HttpRequest, how: ProofKind) -> None:
    """Remember that the account of this session has just shown who it is, in a way that is enough for it."""
    request.session[PROOF] = {"how": how, "at": time.time()}


def proof_of(request: HttpRequest) -> str:
    """Return how the account has shown who it is within the set minutes, as a ProofKind; '' when it has not."""
    proof = request.session.get(PROOF)
    if not proof or time.time() - proof["at"] >= settings.GREYWIND.step_up_minutes * 60:
        return ""
    return str(proof["how"])


def fresh_enough(request: HttpRequest) -> bool:
    """Return whether a deed that weighs much needs no further confirmation now."""
    return bool(proof_of(request))


def ask(request: HttpRequest, *, back: str, keep: QueryDict | None = None) -> HttpResponse:
    """Return the way to the page that asks who one is, and from there to `back`, a page that is looked at by GET.

    `keep` is the form that was sent: `kept_form` of the page `back` gives it out, once.
    """
    if keep is not None:
        _keep(request, back, keep)
    response = HttpResponseRedirect(f"{reverse(CONFIRM)}?{urlencode({'to': back})}")
    response.status_code = 303
    return response


def kept_form(request: HttpRequest) -> Mapping[str, Any]:
    """Return what somebody had typed on this page before they were asked who they are; empty when there is nothing."""
    kept = request.session.get(KEPT)
    if not kept or kept["back"] != request.path:
        return {}
    del request.session[KEPT]
    return QueryDict(kept["form"]).dict() if time.time() - kept["at"] < KEPT_SECONDS else {}


def _keep(request: HttpRequest, back: str, form: QueryDict) -> None:
    typed = form.copy()
    typed.pop("csrfmiddlewaretoken", None)
    text = typed.urlencode()
    if len(text) <= MOST_KEPT:
        request.session[KEPT] = {"back": back, "form": text, "at": time.time()}
