"""Personal data with a pattern: numbers, addresses, dates of birth, and words that mark a text as private."""

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memories.screening import checkdigits
from memories.screening.findings import Category, Finding, Kind


@dataclass(frozen=True, slots=True)
class Pattern:
    """`check` sees the match (group `value`, else all of it) and may refuse it; None accepts.

    Where `needs` is given, one of its literals stands in every match, in lower case.
    """

    kind: Kind
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None
    certain: bool
    reason: str
    needs: tuple[str, ...]


def _pattern(
    kind: Kind,
    pattern: str,
    reason: str,
    *,
    check: Callable[[str], bool] | None = None,
    certain: bool = False,
    needs: str = "",
) -> Pattern:
    return Pattern(kind, re.compile(pattern, re.IGNORECASE), check, certain, reason, tuple(needs.split()))


def _digits(value: str) -> str:
    return "".join(filter(str.isdigit, value))


def _phone(value: str) -> bool:
    return 7 <= len(_digits(value)) <= 17 and not re.fullmatch(
        r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}\W*", value.strip()
    )


_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}"
    r"|(?:2131|1800|35\d{3})\d{11}|62\d{14,17}"
)


def _payment_card(value: str) -> bool:
    digits = _digits(value)
    return bool(_ISSUERS.fullmatch(digits)) and len(set(digits)) > 2 and checkdigits.luhn(digits)


def _card_number(value: str) -> bool:
    return 12 <= len(_digits(value)) <= 19 and len(set(_digits(value))) > 2


def _iban(value: str) -> bool:
    account = value.replace(" ", "").upper()
    return 15 <= len(account) <= 34 and checkdigits.iban(account)


_IBAN_LENGTHS = {
    "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28,
    "IE": 22, "IL": 23, "IS": 26, "IT": 27, "KZ": 20, "LT": 20, "LU": 20, "LV": 21, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "TR": 26, "UA": 29,
}  # fmt: skip
"""Characters of an account by country: tells an account with a typing slip from a product code."""


def _iban_by_length(value: str) -> bool:
    account = value.replace(" ", "").upper()
    return len(account) == _IBAN_LENGTHS.get(account[:2]) and sum(map(str.isdigit, account)) >= 10


def _public_address(value: str) -> bool:
    try:
        return ipaddress.ip_address(value).is_global
    except ValueError:
        return False


_EMAIL_NAMES = re.compile(
    r"(?:git|no-?reply|noreply|do-?not-?reply|mailer-daemon|postmaster)@|@(?:[a-z0-9-]{1,40}\.){0,3}example\.(?:com|org|net)$",
    re.IGNORECASE,
)


def _person_mail(value: str) -> bool:
    return not _EMAIL_NAMES.search(value)


_NO_DIGIT_BEFORE = r"(?<![A-Za-z0-9.])(?<!\d[-:/])"
_NO_DIGIT_AFTER = r"(?![A-Za-z0-9])(?![.:-]\d)"
_GROUPS = r"(?P<value>\+?\(?\d(?:[\d() ./\\-]{5,22}\d))(?:\s?(?:x|ext\.?|转)\s?\d{1,6})?(?!\d)"
_CALLING = (
    r"(?:tele)?phones?|mobile|cell|\btel\b|\bfax\b|\bdesk\b|whatsapp|\bcall(?:ed|ing)?\b|\bdial|\btext(?:ed|ing)? (?:me|him|her|us)\b|messages? to|answering at"
    r"|reach(?:ed)? (?:me|him|her|us|them)|contact (?:number|me|him|her|us)|hotline|电话|手机|座机|联系方式|联系号码|致电|拨打|传真|微信号"
)
_CARDS = r"\bcards?\b|\bcc\b|\bvisa\b|mastercard|\bamex\b|卡号|银行卡|信用卡|储蓄卡|借记卡|工资卡|账户号|银行账号"
_BORN = r"生日|出生日期|出生年月|出生于|(?<!发)生于|\bbirthday\b|\bdate of birth\b|\bdob\b|\bbirth ?date\b|\bborn\b"
_ACCOUNT = rf"(?<![A-Za-z0-9])(?-i:[A-Z]{{2}}\d{{2}}(?:[A-Z0-9]{{11,30}}|(?: [A-Z0-9]{{4}}){{2,7}}(?: [A-Z0-9]{{1,3}})?)){_NO_DIGIT_AFTER}"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DAY = (
    r"\d{1,4}\s?[年/.-]\s?\d{1,2}\s?[月/.-]\s?\d{1,4}|[0-9一二三四五六七八九十]{1,3}\s?月\s?(?:初)?[0-9一二三四五六七八九十]{1,3}"
    rf"|{_MONTH}\.? \d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|\d{{1,2}}/\d{{1,2}}"
)

PATTERNS = (
    _pattern(Kind.EMAIL, r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}+@(?:[A-Za-z0-9-]{1,63}+\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
             "a mail address of a person; robots and reserved example domains are none", check=_person_mail, certain=True, needs="@"),
    _pattern(Kind.PHONE_CN, rf"{_NO_DIGIT_BEFORE}(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{{4}}[- ]?\d{{4}}{_NO_DIGIT_AFTER}",
             "mainland mobile numbers: eleven digits from 13 to 19", certain=True),
    _pattern(Kind.PHONE_CN, rf"{_NO_DIGIT_BEFORE}(?:0(?:10|2\d)-?\d{{8}}|0[3-9]\d\d-\d{{7,8}}|400-?\d{{3}}-?\d{{4}}){_NO_DIGIT_AFTER}",
             "mainland area codes and service numbers"),
    _pattern(Kind.PHONE, rf"(?<![A-Za-z0-9.])\+\d{{1,3}}[ .-]?(?:\(0?\d{{0,4}}\)[ .-]?)?\d{{1,5}}(?:[ .-]?\d{{2,5}}){{1,4}}{_NO_DIGIT_AFTER}",
             "international numbers with their plus", check=_phone, needs="+"),
    _pattern(Kind.PHONE, rf"{_NO_DIGIT_BEFORE}(?:\(\d{{2,4}}\) ?\d{{3,4}}[-. ]\d{{3,4}}|(?:1[-.])?[2-9]\d\d([-. ])[2-9]\d\d\1\d{{4}})(?:x\d{{1,6}})?{_NO_DIGIT_AFTER}",
             "area code in brackets, and the North American 3-3-4"),
    _pattern(Kind.PHONE, rf"{_NO_DIGIT_BEFORE}\d{{2,3}}(?:[- ]\d{{2}}){{3,4}}{_NO_DIGIT_AFTER}", "pairs of digits, as Europe writes them", check=_phone),
    _pattern(Kind.PHONE, rf"(?:{_CALLING})[^\d\n]{{0,24}}\s{{0,3}}{_GROUPS}", "a number after a word of calling", check=_phone, needs="phone mobile cell tel fax desk whatsapp call dial text message answering reach contact hotline 电话 手机 座机 联系 致电 拨打 传真 微信"),
    _pattern(Kind.PHONE, rf"(?<![\w.]){_GROUPS}\s?-?\s?(?:office|fax|mobile|cell|home|work|tel)\b", "a number before the kind of its line", check=_phone, needs="office fax mobile cell home work tel"),
    _pattern(Kind.ID_CARD_CN, r"(?<![A-Za-z0-9])\d{17}[\dXx](?![A-Za-z0-9])", "eighteen characters with a birth date and a right check", check=checkdigits.id_card_cn, certain=True),
    _pattern(Kind.ID_CARD_CN, r"(?:身份证|id card)[^\d\n]{0,16}\d{15}(?:\d\d[\dx])?(?![A-Za-z0-9])", "named as identity card; a typing slip does not make it public", needs="身份证 card"),
    _pattern(Kind.PASSPORT, r"(?:passport|护照|通行证)[^\d\n]{0,20}?(?P<value>[a-z]{0,2}\d{6,9})(?![A-Za-z0-9])", "named as passport", needs="passport 护照 通行证"),
    _pattern(Kind.CREDIT_CARD, rf"{_NO_DIGIT_BEFORE}\d(?:[ -]?\d){{12,18}}{_NO_DIGIT_AFTER}", "an issuer's prefix, its length and a right Luhn digit",
             check=_payment_card, certain=True),
    _pattern(Kind.CREDIT_CARD, rf"(?:{_CARDS})[^\d\n]{{0,30}}(?P<value>\d(?:[ -]?\d){{11,18}})(?!\d)", "a long number after the word card", check=_card_number, needs="card cc visa amex 卡 账"),
    _pattern(Kind.BANK_CARD, r"(?:账号|账户|account(?: number| no\.?)?)[^\d\n]{0,12}(?P<value>\d(?:[ -]?\d){9,21})(?!\d)", "a bank account by name", needs="账 account"),
    _pattern(Kind.IBAN, _ACCOUNT, "two letters, two digits and a remainder of one", check=_iban, certain=True),
    _pattern(Kind.IBAN, r"\biban\b[^\n]{0,12}?(?P<value>[a-z]{2}\d{2}[a-z0-9 ]{11,30})", "named as IBAN; a typing slip does not make it public", needs="iban"),
    _pattern(Kind.IBAN, _ACCOUNT, "a country's own length, with a wrong check", check=_iban_by_length),
    _pattern(Kind.SSN_US, r"(?<![\w-])(?!000|666)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", "the form of a social security number"),
    _pattern(Kind.SSN_US, r"(?:\bssn\b|social security)[^\d\n]{0,20}\d{3}[ -]?\d{2}[ -]?\d{4}(?!\d)", "named as social security number", needs="ssn social"),
    _pattern(Kind.DRIVER_LICENSE, r"(?:driv\w{2,4}'?s? licen[cs]e|驾照|驾驶证)[^\d\n]{0,24}?(?P<value>[a-z]{0,3}\d[\da-z-]{4,20})", "named as driving licence", needs="driv 驾"),
    _pattern(Kind.IP_ADDRESS, r"(?<![\w.-])(?<!version )(?:\d{1,3}\.){3}\d{1,3}(?![\w-])(?!\.\d)", "a public address leads to a household", check=_public_address),
    _pattern(Kind.IP_ADDRESS, r"(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,5}(?![\w:])", "a public address leads to a household", check=_public_address),
    _pattern(Kind.BIRTHDAY, rf"(?:{_BORN})[^\d\n一二三四五六七八九十]{{0,14}}(?:{_DAY})", "a day of birth", needs="生日 出生 生于 birth dob born"),
    _pattern(Kind.POSTAL_CODE, r"(?:\bzip(?: ?code)?\b|\bpost(?:al)? ?code\b|邮编|邮政编码)[^\w\n]{0,4}(?:is|是|为)?[^\w\n]{0,3}(?P<value>\d{3,6}(?:[- ]?\d{2,4})?|[a-z]\d[a-z0-9] ?\d[a-z]{1,2}\d?)",
             "named as postal code", needs="zip post 邮"),
    _pattern(Kind.PRIVATE_MARKER, r"</?private>|\boff the record\b|\b(?:strictly|keep (?:this|it)) (?:private|confidential|between us)\b|\bfor your eyes only\b"
             r"|仅(?:自己|本人|我)可见|不要(?:告诉|外传|对外说)|别(?:告诉|跟)(?:别人|其他人|任何人)|私密内容|严格保密|注意保密|请(?:务必)?保密", "the writer says that it is private", needs="private record confidential between eyes 可见 告诉 外传 对外 别跟 私密 保密"),
)  # fmt: skip


_UNNUMBERED = frozenset([Kind.EMAIL, Kind.PRIVATE_MARKER, Kind.BIRTHDAY])
_DIGIT = re.compile(r"\d")


def find_personal(text: str) -> Iterator[Finding]:
    """Personal data in `text`, by pattern; street addresses come from `addresses`."""
    lowered, numbered = text.lower(), bool(_DIGIT.search(text))
    for pattern in PATTERNS:
        possible = not pattern.needs or any(literal in lowered for literal in pattern.needs)
        if possible and (numbered or pattern.kind in _UNNUMBERED):
            yield from _matches(pattern, text)


def _matches(pattern: Pattern, text: str) -> Iterator[Finding]:
    for match in pattern.pattern.finditer(text):
        value = match.groupdict().get("value") or match.group()
        if pattern.check is None or pattern.check(value):
            yield Finding(
                category=Category.PERSONAL,
                kind=pattern.kind,
                start=match.start(),
                end=match.end(),
                certain=pattern.certain,
            )
