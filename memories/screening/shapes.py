"""Whether a string looks like a credential, given how plainly its neighbours say that it is one."""

import math
import re
from collections import Counter
from enum import IntEnum
from itertools import pairwise


class Claim(IntEnum):
    """How plainly the words around a value call it a credential."""

    VAGUE = 0
    """A context of logging in or deploying, but no noun."""
    KEY = 1
    """key, token, credential: these also name things that are no secret."""
    PASSWORD = 2
    """password, passphrase, 密码, 口令: whatever stands there is one."""


_PLACEHOLDER = re.compile(
    r"your|example|sample|placeholder|change[-_]?me|dummy|redacted|insert|replace|todo|xxxx|\*\*|\.\.\.|…|fake|foobar"
    r"|[-_]here$|^<|>$|^\$[A-Za-z{(]|^%\w+%$|^\{|\}\}|^\[|^@\w+$|^none$|^null$|^undefined$|^true$|^false$",
    re.IGNORECASE,
)
_COUNTING = re.compile(r"0{8}|1234567890|abcdef", re.IGNORECASE)
_CODE = re.compile(
    r"[()\[\]{};|`]|->|=>|::|^(?:os|process|env|self|this|config|settings|args|ctx|req|secrets|vault)\.|^[a-z]+://|^[.~]{0,2}/[a-z._-]{1,40}(?:/|$)"
)
_WORDS = re.compile(r"[A-Za-z]{2,20}(?:[-_ ][A-Za-z]{2,20}){3,8}")
_HEX = re.compile(r"[0-9a-fA-F]{32,128}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SYMBOL = re.compile(r"[^A-Za-z0-9_.\-]")
_HUMAN = re.compile(
    r"\d{1,4}(?:[-/.:]\d{1,4}){1,5}\w?|v?\d{1,4}(?:\.\d{1,4}){1,3}|[\d.,]{1,20}[a-zA-Z%]{1,7}|[A-Z]{2,10}(?:-\d{1,5}[A-Z]?){1,4}"
)
_NAMES = re.compile(r"[_-]?(?:[A-Z]{0,4}[a-z]{2,30}+[_.-]?|[A-Z]{2,30}+[_.-]?){1,40}+\d{0,4}")
"""camelCase, snake_case and CONSTANTS with a number at most at their end: how people name things."""


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one that is to be filled in."""
    if _PLACEHOLDER.search(value) or len(set(value)) <= max(2, len(value) // 8):
        return True
    return bool(_COUNTING.search(value)) and counts_on(value)  # a password may end in abcdef and be one


def counts_on(value: str) -> bool:
    """Whether most of a value repeats or goes on from character to character: xxxx, abcdef, 67890."""
    steps = [f"{before}{after}" for before, after in pairwise(value.lower())]
    return 2 * sum(step == "90" or ord(step[1]) - ord(step[0]) in (0, 1) for step in steps) >= len(value)


def entropy(value: str) -> float:
    """Bits a character, from the frequencies inside the value."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def looks_secret(value: str, claim: Claim) -> bool:
    """Whether `value` is a credential; the plainer the claim, the less the value must look random."""
    if len(value) < 6 or len(value) > 512 or is_placeholder(value) or _CODE.search(value) or not value.isascii():
        return False
    if value.isdigit():
        return claim is Claim.PASSWORD and len(value) <= 16
    if _HUMAN.fullmatch(value):
        return False
    if _HEX.fullmatch(value) or _UUID.fullmatch(value):
        return claim is not Claim.VAGUE
    if claim is Claim.PASSWORD and _WORDS.fullmatch(value):
        return True
    return _looks_random(value, claim)


def _looks_random(value: str, claim: Claim) -> bool:
    letter, digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    symbol, name = bool(_SYMBOL.search(value)), bool(_NAMES.fullmatch(value))
    mixed_case = value != value.lower() and value != value.upper()
    if claim is Claim.PASSWORD and letter and (digit or symbol or (len(value) >= 8 and not name and mixed_case)):
        return True
    if len(value) < 8 or not letter or name:
        return False
    if claim is Claim.VAGUE:
        return len(value) >= 24 and digit and mixed_case and entropy(value) >= 3.6
    return (
        (symbol and (digit or mixed_case))
        or (mixed_case and len(value) >= 10)
        or (digit and len(value) >= 12 and entropy(value) >= 3.0)
    )
