"""Judging what somebody shows: one verdict for the pages, with the words and the status of a refusal."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

from governance.models import User
from governance.vocabulary import ProofKind
from greywind_site.console.throttle import CountingAway, Throttled, one_attempt
from greywind_site.identity.factors import check_code
from greywind_site.identity.forms import WRONG_CODE, WRONG_PASSKEY, WRONG_PASSWORD
from greywind_site.identity.passkeys import WrongAnswer, shown

log = structlog.get_logger("greywind.identity")
AWAY = gettext_lazy("Signing in is not possible at this moment. Try again in a few seconds.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a proof came to: `kind` when it holds, else the `refusal`, its status, and the seconds to wait."""

    kind: ProofKind | None = None
    refusal: Promise | str = ""
    status: int = 200
    wait: int | None = None

    def marked(self, response: HttpResponse) -> HttpResponse:
        """Return the page of a refusal with the wait in its header."""
        if self.wait is not None:
            response["Retry-After"] = str(self.wait)
        return response


def judge_code(account: User, code: str) -> Verdict:
    """Judge a code of the account's app, or one of its recovery codes; the code is used up."""
    return _counted(lambda: check_code(account, code, now=timezone.now()), WRONG_CODE)


def judge_password(request: HttpRequest, account: User, password: str) -> Verdict:
    """Judge the account's password; failures count as those of the sign-in page do."""

    def check() -> ProofKind | None:
        address = str(request.META.get("REMOTE_ADDR", ""))
        with one_attempt(account.username, address, now=timezone.now()) as attempt:
            attempt.succeeded = account.check_password(password)
        return ProofKind.PASSWORD if attempt.succeeded else None

    return _counted(check, WRONG_PASSWORD)


def judge_passkey(request: HttpRequest, account: User, answer: str) -> Verdict:
    """Judge what a browser answered with one of the account's passkeys. Nobody guesses one, so nothing is counted."""
    try:
        shown(request, answer, account=account)
    except WrongAnswer:
        return Verdict(refusal=WRONG_PASSKEY, status=422)
    return Verdict(ProofKind.PASSKEY)


def judge_second_factor(request: HttpRequest, account: User) -> Verdict:
    """Judge the second factor that a form brings: what a passkey answered, else a code."""
    if "credential" in request.POST:
        return judge_passkey(request, account, request.POST["credential"])
    return judge_code(account, request.POST.get("code", ""))


def _counted(check: Callable[[], ProofKind | None], wrong: Promise) -> Verdict:
    try:
        kind = check()
    except Throttled as throttled:
        return Verdict(refusal=wait_text(throttled.seconds), status=429, wait=throttled.seconds)
    except CountingAway:
        log.exception("tries_not_counted")
        return Verdict(refusal=AWAY, status=503, wait=5)
    return Verdict(kind) if kind else Verdict(refusal=wrong, status=422)


def wait_text(seconds: int) -> str:
    """Return how long to wait, in words."""
    form = ngettext(
        "Too many tries. Wait %(seconds)d second, then try again.",
        "Too many tries. Wait %(seconds)d seconds, then try again.",
        seconds,
    )
    return form % {"seconds": seconds}
