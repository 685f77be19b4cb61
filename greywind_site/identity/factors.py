"""Second factors of an account: which there are, whether a code fits, adding and taking away.

Every change is recorded in the ledger of each project of the account, in the transaction that makes it.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, validate_totp_code
from allauth.mfa.webauthn.internal.auth import WebAuthn
from django.db import IntegrityError, transaction

from governance.accounts import record_in_projects
from governance.errors import Clash
from governance.models import User
from governance.vocabulary import ProofKind
from greywind_site.console.throttle import one_attempt

log = structlog.get_logger("greywind.identity")
LONGEST_NAME = 60
MOST_PASSKEYS = 20
TOTP_DIGITS, RECOVERY_DIGITS = 6, 8


@dataclass(frozen=True, slots=True)
class Passkey:
    """One passkey, as a list shows it."""

    pk: int
    name: str
    added: datetime
    used: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """The second factors of an account."""

    totp_since: datetime | None
    totp_used: datetime | None
    passkeys: tuple[Passkey, ...]
    codes_left: int | None

    @property
    def any(self) -> bool:
        """Whether signing in needs more than the password."""
        return self.totp_since is not None or bool(self.passkeys)


def factors_of(account: User) -> Factors:
    """Return what the account has, in one query."""
    rows = list(Authenticator.objects.filter(user=account).order_by("created_at", "id"))
    totp = next((row for row in rows if row.type == Authenticator.Type.TOTP), None)
    codes = next((row for row in rows if row.type == Authenticator.Type.RECOVERY_CODES), None)
    passkeys = [row for row in rows if row.type == Authenticator.Type.WEBAUTHN]
    return Factors(
        totp_since=totp.created_at if totp else None,
        totp_used=totp.last_used_at if totp else None,
        passkeys=tuple(Passkey(row.pk, row.data["name"], row.created_at, row.last_used_at) for row in passkeys),
        codes_left=len(RecoveryCodes(codes).get_unused_codes()) if codes else None,
    )


def has_second_factor(account: User) -> bool:
    """Return whether signing in needs more than the password."""
    strong = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return bool(Authenticator.objects.filter(user=account, type__in=strong).exists())


def check_code(account: User, code: str, *, now: datetime) -> ProofKind | None:
    """Return which kind of code of the account this is, used up by now; None for one that does not fit.

    Tries are counted by account alone: only who knows the password gets as far as this, so nobody else is kept out by
    it. Raises Throttled and CountingAway.
    """
    digits = re.sub(r"[\s-]", "", unicodedata.normalize("NFKC", code))
    if not digits.isascii():
        digits = ""
    with one_attempt(f"second:{account.pk}", "", now=now) as attempt:
        kind = _kind_of(account, digits)
        attempt.succeeded = kind is not None
    if kind is None:
        log.info("code_refused")
    return kind


def _kind_of(account: User, digits: str) -> ProofKind | None:
    kinds = {
        TOTP_DIGITS: (Authenticator.Type.TOTP, ProofKind.TOTP),
        RECOVERY_DIGITS: (Authenticator.Type.RECOVERY_CODES, ProofKind.RECOVERY_CODE),
    }
    kind, proof = kinds.get(len(digits), (None, None))
    held = Authenticator.objects.filter(user=account, type=kind).first() if kind else None
    if held is None or not held.wrap().validate_code(digits):
        return None
    held.refresh_from_db()
    held.record_usage()
    return proof


def new_secret() -> str:
    """Return the secret of an authenticator app that is to be added."""
    return str(generate_totp_secret())


def fits(secret: str, code: str) -> bool:
    """Return whether an app that was given the secret shows this code now."""
    return bool(validate_totp_code(secret, re.sub(r"\s", "", unicodedata.normalize("NFKC", code))))


def add_app(account: User, secret: str, *, trace_id: str) -> list[str] | None:
    """Add an authenticator app; returns the recovery codes that come with the first factor, to be shown once.

    Raises Clash (app_there) when the account has one.
    """

    def add() -> None:
        try:
            with transaction.atomic():
                TOTP.activate(account, secret)
        except IntegrityError as error:
            raise Clash("the account has an authenticator app already", code="app_there") from error

    return _add(account, add, kind=ProofKind.TOTP, trace_id=trace_id)


def add_passkey(account: User, name: str, credential: dict[str, Any], *, trace_id: str) -> list[str] | None:
    """Add a passkey whose answer was checked; returns the recovery codes that come with the first factor.

    Raises Clash (too_many_passkeys).
    """

    def add() -> None:
        if Authenticator.objects.filter(user=account, type=Authenticator.Type.WEBAUTHN).count() >= MOST_PASSKEYS:
            raise Clash("the account has as many passkeys as it may have", code="too_many_passkeys")
        WebAuthn.add(account, name, credential)

    return _add(account, add, kind=ProofKind.PASSKEY, trace_id=trace_id)


def _add(account: User, add: Callable[[], None], *, kind: ProofKind, trace_id: str) -> list[str] | None:
    with transaction.atomic():
        add()
        record_in_projects(account, "member.add_second_factor", detail={"kind": kind}, trace_id=trace_id)
        if Authenticator.objects.filter(user=account, type=Authenticator.Type.RECOVERY_CODES).exists():
            return None
        return list(RecoveryCodes.activate(account).generate_codes())


def renew_codes(account: User, *, trace_id: str) -> list[str]:
    """Replace the recovery codes; the old ones open nothing any more. Raises Clash (no_factor) without a factor."""
    with transaction.atomic():
        if not has_second_factor(account):
            raise Clash("recovery codes stand in for a second factor, and there is none", code="no_factor")
        Authenticator.objects.filter(user=account, type=Authenticator.Type.RECOVERY_CODES).delete()
        codes = RecoveryCodes.activate(account).generate_codes()
        record_in_projects(account, "member.renew_recovery_codes", trace_id=trace_id)
    return list(codes)


def remove_factor(account: User, kind: ProofKind, *, pk: int | None = None, trace_id: str) -> bool:
    """Take the app or one passkey away; recovery codes go with the last factor. Returns whether it was there."""
    types = {ProofKind.TOTP: Authenticator.Type.TOTP, ProofKind.PASSKEY: Authenticator.Type.WEBAUTHN}
    rows = Authenticator.objects.filter(user=account, type=types[kind])
    with transaction.atomic():
        gone, _ = (rows if pk is None else rows.filter(pk=pk)).delete()
        if not gone:
            return False
        if not has_second_factor(account):
            Authenticator.objects.filter(user=account).delete()
        record_in_projects(account, "member.remove_second_factor", detail={"kind": kind}, trace_id=trace_id)
    return True


def forget_factors(account: User, *, trace_id: str = "") -> int:
    """Take every second factor away, for the operator's command; returns how many there were."""
    with transaction.atomic():
        gone, _ = Authenticator.objects.filter(user=account).delete()
        if gone:
            # The account's own actor stands for it; that it was the operator's doing is said beside it.
            record_in_projects(account, "member.forget_second_factors", detail={"by": "operator"}, trace_id=trace_id)
    return int(gone)
