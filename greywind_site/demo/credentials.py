"""How one gets into the demo, kept in the data folder's secrets file beside the services' own secrets."""

import secrets
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from governance.models import User
from greywind_site.embedded.instance import Instance
from greywind_site.embedded.secrets import changing, read_stored

ENTRY = "demo"
USERNAME = "demo"
SECOND_NAME = "李晓"
# How the second account is known again when the demo is made anew. No mail ever goes to a name under .invalid.
SECOND_EMAIL = "li.xiao@demo.invalid"


@dataclass(frozen=True)
class DemoCredentials:
    """The demo project (prj_…), its agent's key and its owner's console login; the names are a contract."""

    project_id: str
    agent_key: str
    console_user: str
    console_password: str


def recorded(data_dir: Path) -> DemoCredentials | None:
    """Return what was stored by an earlier start, or None. Whether the project is still there is another question."""
    stored = read_stored(Instance(data_dir).secrets_file).get(ENTRY)
    names = {item.name for item in fields(DemoCredentials)}
    if not isinstance(stored, dict) or names - stored.keys():
        return None
    return DemoCredentials(**{name: str(stored[name]) for name in names})


def keep(data_dir: Path, credentials: DemoCredentials) -> None:
    """Store the credentials, readable by the folder's owner alone."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with changing(Instance(data_dir).secrets_file) as stored:
        stored[ENTRY] = asdict(credentials)


def account(earlier: DemoCredentials | None) -> tuple[User, str]:
    """Return the demo's account with its password: the earlier one where it still opens, else a fresh one.

    An account that we hold no password for is somebody else's, whatever its name: it is never taken over.
    """
    if earlier is not None:
        known = User.objects.filter(username=earlier.console_user, is_active=True).first()
        if known is not None and known.check_password(earlier.console_password):
            return known, earlier.console_password
    password = secrets.token_urlsafe(15)
    return User.objects.create_user(_free_name(USERNAME), password=password), password


def second_account() -> User:
    """Return the account of the demo's second human, which nobody can sign in with until its password is reset."""
    known = User.objects.filter(email=SECOND_EMAIL, is_active=True).first()
    return known or User.objects.create_user(_free_name(SECOND_NAME), email=SECOND_EMAIL)


def _free_name(wanted: str) -> str:
    taken = set(User.objects.filter(username__startswith=wanted).values_list("username", flat=True))
    names = [wanted, *(f"{wanted}{n}" for n in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
