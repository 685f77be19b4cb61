"""Numbers as people write them: digits with separators and suffixes, Chinese numerals, English words."""

import re

_ZH_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_POWERS = {"十": 10, "百": 100, "千": 1000}
_ZH_GROUPS = {"万": 10_000, "亿": 100_000_000}
_UP_TO_NINETEEN = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_EN_SMALL = {word: n for n, word in enumerate(_UP_TO_NINETEEN)} | {"a": 1, "an": 1, "half": 0.5}
_EN_TENS = {w: 10 * n for n, w in enumerate(_TENS, start=2)}
_EN_POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_SUFFIXES = {
    "k": 1e3,
    "w": 1e4,
    "m": 1e6,
    "mn": 1e6,
    "bn": 1e9,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    **{word: float(n) for word, n in _EN_POWERS.items()},
}
_DIGITS = re.compile(r"(?P<digits>\d[\d,]*(?:\.\d+)?)\s?(?P<suffix>[a-z]+|[百千万亿]+)?$")

ZH = r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?"
_WORDS = "|".join(sorted({*_EN_SMALL, *_EN_TENS, *_EN_POWERS} - {"a", "an", "half"}, key=len, reverse=True))
EN = rf"(?:(?:a|an)[ ](?:hundred|thousand|million|dozen)|(?:{_WORDS})(?:[ -](?:and[ ])?(?:{_WORDS}))*)"
DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?"


def number(text: str) -> float | None:
    """The number that `text` writes out, or None where it is none."""
    folded = text.strip().casefold()
    match = _DIGITS.match(folded)
    if match:
        factor = _SUFFIXES.get(match["suffix"] or "", 1.0 if not match["suffix"] else 0.0)
        return float(match["digits"].replace(",", "")) * factor if factor else None
    if folded and folded[0] in {*_ZH_DIGITS, *_ZH_POWERS, "半", "万"}:
        return _chinese(folded)
    return _english(folded)


def shown(value: float) -> str:
    """One spelling for one number: no trailing zeros, no exponent below 10^15."""
    return f"{round(value, 6):.6f}".rstrip("0").rstrip(".")


def _chinese(text: str) -> float | None:
    if text == "半":
        return 0.5
    whole, _, rest = text.partition("点")
    if len(whole) > 1 and all(c in _ZH_DIGITS for c in whole):
        total = float("".join(str(_ZH_DIGITS[c]) for c in whole))
    else:
        total = _grouped(whole)
    return total + float("0." + "".join(str(_ZH_DIGITS.get(c, 0)) for c in rest)) if rest else total


def _grouped(text: str) -> float:
    total, section, digit = 0.0, 0.0, 0.0
    for c in text:
        if c in _ZH_DIGITS:
            digit = _ZH_DIGITS[c]
        elif c in _ZH_POWERS:
            section, digit = section + (digit or 1) * _ZH_POWERS[c], 0.0
        elif c in _ZH_GROUPS:
            total, section, digit = (total + (section + digit or 1)) * _ZH_GROUPS[c], 0.0, 0.0
    return total + section + digit


def _english(text: str) -> float | None:
    total, current, seen = 0.0, 0.0, False
    for word in re.split(r"[\s-]+", text):
        if word in _EN_SMALL or word in _EN_TENS:
            current += _EN_SMALL[word] if word in _EN_SMALL else _EN_TENS[word]
        elif word in _EN_POWERS:
            current = (current or 1) * _EN_POWERS[word]
            if _EN_POWERS[word] >= 1000:
                total, current = total + current, 0.0
        elif word != "and":
            return None
        seen = True
    return total + current if seen else None
