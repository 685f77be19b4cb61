"""Which GreyWind this machine talks to, and with which key: a file of its own, or two environment variables."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from greywind_site.client.places import config_file, private_folder, write_whole

DEFAULT = "default"
SHOWN_OF_KEY = 11  # "gw_" and the part that the server itself looks keys up by


class NoProfile(Exception):
    """There is no usable address and key; the message says how to give them."""


@dataclass(frozen=True)
class Profile:
    """An address and a key. `installation` tells one machine's folders from another's."""

    url: str
    key: str
    name: str = DEFAULT
    project: str = ""
    role: str | None = None
    installation: str = ""

    @property
    def key_shown(self) -> str:
        """The part of the key that may be shown."""
        return self.key[:SHOWN_OF_KEY]

    @property
    def target(self) -> str:
        """Where records made under this profile may go; another key may be of another project."""
        return hashlib.sha256(f"{self.url}\n{self.key_shown}".encode()).hexdigest()[:8]


def load(environ: Mapping[str, str] = os.environ) -> Profile:
    """Return the profile in force. GREYWIND_URL and GREYWIND_KEY stand above the file; raises NoProfile."""
    name = environ.get("GREYWIND_PROFILE") or DEFAULT
    stored = _stored(config_file(environ)).get(name, {})
    url = environ.get("GREYWIND_URL") or stored.get("url") or ""
    key = environ.get("GREYWIND_KEY") or stored.get("key") or ""
    if not url or not key:
        missing = "an address" if not url else "a key"
        raise NoProfile(f"no GreyWind is set up ({missing} is missing): run greywind login")
    return Profile(
        url=checked_url(url),
        key=key.strip(),
        name=name,
        project=stored.get("project") or "",
        role=environ.get("GREYWIND_ROLE") or stored.get("role"),
        installation=stored.get("installation") or "",
    )


def save(profile: Profile, environ: Mapping[str, str] = os.environ) -> Path:
    """Store a profile under its name, readable by its owner alone, and return the file."""
    path = config_file(environ)
    private_folder(path.parent)
    profiles = _stored(path)
    installation = profiles.get(profile.name, {}).get("installation") or os.urandom(8).hex()
    profiles[profile.name] = {
        "url": profile.url,
        "key": profile.key,
        "project": profile.project,
        "role": profile.role,
        "installation": installation,
    }
    write_whole(path, (json.dumps(profiles, indent=2, ensure_ascii=False) + "\n").encode())
    return path


def checked_url(url: str) -> str:
    """Return the address without a slash at its end; raises NoProfile for what is none."""
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise NoProfile(f"{url!r} is no address of a GreyWind; it looks like http://127.0.0.1:8000")
    return url.strip().rstrip("/")


def _stored(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NoProfile(f"{path} cannot be read ({error}); repair it, or remove it and run greywind login") from error
    if not isinstance(read, dict) or not all(isinstance(value, dict) for value in read.values()):
        raise NoProfile(f"{path} does not hold profiles; remove it and run greywind login")
    return read
