"""Names that people give: of projects, agents, keys and accounts."""

import unicodedata

from django.core.exceptions import ValidationError

from governance.errors import Invalid
from governance.models import User

LONGEST_NAME = 200
# Control characters, halves of surrogate pairs, and what turns the direction of the text around it.
UNPRINTABLE = frozenset({"Cc", "Cs"})
TURNS_TEXT = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def checked_name(text: str, *, pointer: str) -> str:
    """Return the name without white space around it.

    Raises Invalid when 1 to 200 characters do not remain, or when one of them cannot be seen where it is shown.
    """
    name = text.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Invalid.at(
            pointer, f"a name has 1 to {LONGEST_NAME} characters, this one has {len(name)}", code="name_invalid"
        )
    unseen = next((c for c in name if unicodedata.category(c) in UNPRINTABLE or c in TURNS_TEXT), None)
    if unseen is not None:
        raise Invalid.at(
            pointer, f"it holds the invisible character U+{ord(unseen):04X}; remove it", code="name_invalid"
        )
    return name


def checked_username(text: str, *, pointer: str) -> str:
    """Return an account's name in its normal form (NFKC); raises Invalid where Django would not have it."""
    name = User.normalize_username(text.strip())
    try:
        User._meta.get_field("username").clean(name, None)  # noqa: SLF001 - Django documents it as the interface
    except ValidationError as error:
        message = "an account's name has 1 to 150 letters, digits and @ . + - _"
        raise Invalid.at(pointer, message, code="username_invalid") from error
    return str(name)
