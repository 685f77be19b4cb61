"""Shapes of amounts: money, periods, quantities with their units, shares and bare numbers."""

import re
from collections.abc import Iterable

from memories.claims.numerals import DIGITS, EN, ZH, number, shown
from memories.claims.readers import Fields, Match, Shapes
from memories.claims.units import Unit, units
from memories.claims.vocabulary import ValueType

AMOUNTS, NUMBERS = Shapes[Fields](), Shapes[Fields]()


def _alternatives(forms: Iterable[str]) -> str:
    return ("|").join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


_ASCII = [form for form in units().forms if form.isascii()]
_HAN = [form for form in units().forms if not form.isascii()]
_UNIT = rf"(?:(?:{_alternatives(_ASCII)})(?![A-Za-z0-9])|(?:{_alternatives(_HAN)}))"
_MONEY_UNIT = (
    rf"(?:(?:{_alternatives(f for f in units().money if f.isascii())})(?![A-Za-z])"
    rf"|(?:{_alternatives(f for f in units().money if not f.isascii())}))"
)
_SUFFIX = (
    r"(?:\s?(?:k(?![A-Za-z])|w(?![A-Za-z])|百万|千万|万|亿|千|百(?!分)|million|thousand"
    r"|hundred|billion|bn(?![A-Za-z])|mn(?![A-Za-z])))?"
)
_SPOKEN = {"twice": 2.0, "thrice": 3.0}
_SPOKEN |= {
    word: float(n)
    for n, word in enumerate(
        ("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"), start=4
    )
}
_ORDINALS = "|".join(_SPOKEN)
_ZH_CHARS = "零〇一二两三四五六七八九"
_ANY = rf"(?:{DIGITS}{_SUFFIX}|{EN}|{ZH})"
_SPAN = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|sec|min|hr|h|s|d)"
_SPAN_ZH = r"(?:秒钟?|分钟?|个?小时|个?钟头|天|日|周|个?星期|个?月|季度|年)"
_NOT_AFTER = "".join(
    f"(?<!{word} )" for word in ("takes", "after", "for", "lasts", "within", "about", "is", "in", "every", "half")
)
_PERIODS = {
    "secondly": 1,
    "minutely": 60,
    "hourly": 3600,
    "daily": 86400,
    "nightly": 86400,
    "weekly": 604800,
    "biweekly": 1209600,
}
_PERIODS |= {
    "bi-weekly": 1209600,
    "fortnightly": 1209600,
    "monthly": 2629800,
    "quarterly": 7889400,
    "yearly": 31557600,
    "annually": 31557600,
}
_PERIODS |= {"天天": 86400, "每晚": 86400, "每夜": 86400, "every night": 86400, "each night": 86400}


@AMOUNTS.shape(
    rf"(?P<s>US\$|[$€£¥])\s?(?P<n>{DIGITS}(?:\s?(?:k|m|bn|w|万|亿|千|million|thousand"
    rf"|billion)(?![A-Za-z]))?)|(?P<n2>{_ANY})个?\s?(?P<u>{_MONEY_UNIT})"
)
def _money(m: Match) -> Fields | None:
    amount = number(m["n"] or m["n2"])
    if amount is None:
        return None
    unit = units().money[m["u"].casefold()] if m["u"] else None
    code = unit.dimension if unit else units().symbols[m["s"][-1]]
    total = amount * (unit.factor if unit else 1)
    return _amount(total, code, ValueType.MONEY)


@AMOUNTS.shape(
    rf"(?:(?:per|every|each|once every|once an?|once per)[ ](?:(?P<n>{_ANY}|half an"
    rf"|other)[ ])?|(?<=\w ){_NOT_AFTER}an?[ ]"
    rf"|/\s?)(?P<u>{_SPAN})(?![a-z])|按(?P<u4>{_SPAN_ZH})|每(?P<u5>秒钟?|分钟?|个?小时|个?钟头)(?=\d)|每(?:隔)?(?:(?P<n2>{_ANY}|半)个?)?(?P<u2>{_SPAN_ZH})(?![二三四五六日天\d点会]"
    rf"|一(?!次)|年假)|(?<=[次元块])/\s?(?P<u3>{_SPAN_ZH})"
)
def _period(m: Match) -> Fields | None:
    said = (m["n"] or m["n2"] or "1").casefold()
    count = 0.5 if said in {"half an", "半"} else 2.0 if said == "other" else number(said)
    unit = units().forms.get((m["u"] or m["u2"] or m["u3"] or m["u4"] or m["u5"]).casefold())
    return None if unit is None or count is None else _every(count * unit.factor)


@AMOUNTS.shape(rf"(?:{_alternatives(_PERIODS)})(?![a-z])")
def _adverb(m: Match) -> Fields:
    return _every(_PERIODS[m[0].casefold()])


def _every(seconds: float) -> Fields:
    return _amount(seconds, "duration") | {"every": True}


def _amount(total: float, unit: str, kind: ValueType = ValueType.QUANTITY) -> Fields:
    return {"type": kind, "norm": shown(total), "unit": unit, "number": total}


@AMOUNTS.shape(
    rf"(?P<whole>an?|{_ANY})\s?(?P<wu>{_UNIT})[ ]and[ ]a[ ]half|(?P<more>{_ANY})[ ]and[ ]a[ ]half[ ](?P<mu>{_UNIT})"
    rf"|(?P<half>半个?|(?:half[ ](?:an?|a)))\s?(?P<hu>{_UNIT})|(?P<zn>{ZH}|\d+)个半\s?(?P<zu>{_UNIT})"
    rf"|(?P<m>[一二])米(?P<cm>[零一二三四五六七八九]{{1,2}}|\d\d)|(?P<n>{_ANY}|(?<=every )an?"
    rf"|(?<=takes )an?|(?<=after )an?|(?<=for )an?|(?<=lasts )an?|(?<=within )an?)(?:\s"
    rf"|-)?(?P<u>{_UNIT})"
)
def _quantity(m: Match) -> Fields | None:
    if m["m"]:
        rest = m["cm"] if m["cm"].isdigit() else shown(number(m["cm"]) or 0)
        height = (number(m["m"]) or 0) + float("0." + rest)
        return _amount(height, "length")
    if m["whole"] or m["more"]:
        return _and_a_half(m)
    count = 0.5 if m["half"] else (number(m["zn"]) or 0) + 0.5 if m["zn"] else number(m["n"])
    if count is None:
        return None
    unit = _metre_or(m["u"], count) or units().forms[(m["hu"] or m["zu"] or m["u"]).casefold()]
    return _amount(count * unit.factor, unit.dimension)


def _and_a_half(m: Match) -> Fields | None:
    """ "an hour and a half", "two and a half days"."""
    said = (m["whole"] or m["more"]).casefold()
    whole = 1.0 if said in {"a", "an"} else number(said)
    if whole is None:
        return None
    unit = units().forms[(m["wu"] or m["mu"]).casefold()]
    return _amount((whole + 0.5) * unit.factor, unit.dimension)


def _metre_or(written: str | None, count: float) -> Unit | None:
    """A bare small "m": metres after a fraction, minutes after a small whole number; else what the table says."""
    if written != "m":
        return None
    if count != int(count):
        return units().forms["meter"]
    return units().forms["minute"] if count < 64 else None


@AMOUNTS.shape(rf"百分之(?P<n>{ZH}|{DIGITS})|(?P<z>{ZH}|\d+)成(?![为本员立都功])")
def _share(m: Match) -> Fields | None:
    found = number(m["n"] or m["z"])
    return None if found is None else _amount(found * (1 if m["n"] else 10), "share")


@NUMBERS.shape(
    rf"(?:第)?{DIGITS}{_SUFFIX}(?:\s?(?:{'|'.join(units().classifiers)}))?|第?(?:{ZH})(?:{'|'.join(units().classifiers)})(?![起般直样旦些])"
    rf"|第(?:{ZH})|(?!万一|千万|十分|百分|一一)(?:[{_ZH_CHARS}]+[十百千万亿]|十[{_ZH_CHARS}]+|十万)[{_ZH_CHARS}十百千]*(?![分般])"
    rf"|(?<![A-Za-z0-9])(?:{EN}|twice|thrice|{_ORDINALS})(?![A-Za-z])"
)
def _number(m: Match) -> Fields | None:
    said = m[0].casefold().removeprefix("第").strip()
    found = _SPOKEN.get(said)
    while found is None and said:
        found = number(said)
        said = said[:-1]
    if found is None:
        return None
    ordinal = "no." if m[0].startswith("第") else ""
    counted = m[0].strip().endswith(units().classifiers)
    return {"type": ValueType.NUMBER, "norm": ordinal + shown(found), "number": found, "counted": counted}
