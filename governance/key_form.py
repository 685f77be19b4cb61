"""How an API key is written; whatever looks for one in a text reads it here."""

import re
import secrets
import string

KEY_FORM = re.compile(r"gw_([a-z0-9]{8})_[A-Za-z0-9_-]{43}")
_PREFIX_ALPHABET = string.ascii_lowercase + string.digits


def draw_secret() -> str:
    """Return a fresh bearer text. Its group in KEY_FORM is the beginning by which it is looked up and shown."""
    prefix = "".join(secrets.choice(_PREFIX_ALPHABET) for _ in range(8))
    return f"gw_{prefix}_{secrets.token_urlsafe(32)}"
