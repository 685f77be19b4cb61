"""An authenticator app's secret on its way into the app: kept in the session until a code fits, shown and drawn."""

from allauth.mfa.adapter import get_adapter
from django.http import HttpRequest
from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

from governance.models import User
from greywind_site.identity.factors import new_secret

PENDING = "new_app"  # key in the session


class Picture:
    """A QR code as one path of an SVG, in units of its modules."""

    __slots__ = ("path", "size")

    def __init__(self, rows: list[list[bool]]) -> None:
        self.size = len(rows)
        self.path = "".join(f"M{x} {y}h{width}v1h-{width}z" for y, row in enumerate(rows) for x, width in _runs(row))


def pending_secret(request: HttpRequest) -> str:
    """Return the secret of the app that is being added in this session, made at the first look. It lies encrypted."""
    adapter = get_adapter()
    kept = request.session.get(PENDING)
    if kept is None:
        kept = request.session[PENDING] = adapter.encrypt(new_secret())
    return str(adapter.decrypt(kept))


def use_up_secret(request: HttpRequest) -> None:
    """Forget the secret that is pending."""
    request.session.pop(PENDING, None)


def setup_address(account: User, secret: str) -> str:
    """Return the otpauth address that carries the secret into an app."""
    return str(get_adapter().build_totp_url(account, secret))


def readable(text: str) -> str:
    """Return a secret or a code in groups of four, which is how people copy them."""
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def drawn(address: str) -> Picture:
    """Return the address as a QR code with its quiet margin."""
    code = QRCode(error_correction=ERROR_CORRECT_M, border=4)
    code.add_data(address)
    code.make(fit=True)
    return Picture(code.get_matrix())


def _runs(row: list[bool]) -> list[tuple[int, int]]:
    """Where dark modules stand side by side: the first one's place and how many."""
    runs: list[tuple[int, int]] = []
    for x, dark in enumerate(row):
        if not dark:
            continue
        if runs and runs[-1][0] + runs[-1][1] == x:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((x, 1))
    return runs
