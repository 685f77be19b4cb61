"""The demo, seeded once per process and put back for every test that commits."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from django.db import connection

from governance.models import User
from greywind_site.demo import DemoCredentials, ensure_demo
from greywind_site.demo.credentials import keep
from tests.browser.addresses import crawl
from tests.databases import Kept
from tests.site.console_cast import signed_in

MOST_FOLLOWED = 4  # pages of one kind that are read for links; fewer of them are looked at
_kept: dict[str, tuple[Kept, DemoCredentials]] = {}
_pages: dict[object, Mapping[str, Sequence[str]]] = {}


def stored_demo(folder: Path) -> DemoCredentials:
    """Put the demo into this process's empty database, as its first start in that data folder would leave both.

    The first call seeds it, which takes seconds.
    """
    database = connection.settings_dict["NAME"]
    if database in _kept:
        stored, credentials = _kept[database]
        stored.restore()
        keep(folder, credentials)
        return credentials
    credentials = ensure_demo(data_dir=folder)
    _kept[database] = Kept(database), credentials
    return credentials


def owner_of(credentials: DemoCredentials) -> User:
    """The account that owns the demo."""
    return User.objects.get(username=credentials.console_user)


def pages_of(owner: User) -> Mapping[str, Sequence[str]]:
    """Addresses of every page that links lead the demo's owner to, by route; the ids stay when the demo is put back."""
    if owner.pk not in _pages:
        _pages[owner.pk] = crawl(signed_in(owner), most=MOST_FOLLOWED)
    return _pages[owner.pk]
