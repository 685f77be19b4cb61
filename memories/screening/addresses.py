"""Street addresses. Without a gazetteer only those that look like one: a number and a word of streets, boxes and flats."""

import re
from collections.abc import Iterator

from memories.screening.findings import Category, Finding, Kind

_NAME = r"(?:[A-ZÀ-ÞĀ-ŽΑ-Ω][\w'.-]{0,24}+)"
_STREET = (
    r"(?:[Ss]treet|[Ss]t\b|[Aa]venue|[Aa]ve\b|[Rr]oad|[Rr]d\b|[Ll]ane|[Ll]n\b|[Dd]rive|[Bb]oulevard|[Bb]lvd|[Cc]ourt|[Ss]quare|[Tt]errace|[Cc]rescent|[Cc]lose"
    r"|[Pp]arkway|[Hh]ighway|[Tt]urnpike|\w{2,24}(?:strasse|straße|straat|gatan|gata|gade|vej|vegen|veien|katu|laan|weg|gasse|platz|plein))"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,? "
ADDRESSES = (
    (re.compile(rf"(?<![\w.])\d{{1,6}}(?:[ ,]{{1,2}}\d{{1,6}})?[ ,]{{1,2}}(?:{_NAME} ){{0,4}}{_STREET}(?!\w)"), "number before the street"),
    (re.compile(rf"\b(?:{_NAME} ){{0,3}}{_STREET} \d{{1,5}}(?!\d)"), "number behind the street"),
    (re.compile(r"\b(?:apt\.?|suite|unit|ste\.?) #?\d{1,5}\b[^\n]{0,40}[,\n]|\bp\.? ?o\.? box \d{1,6}|\b(?:psc|unit) \d{1,5},? box \d|\b[afd]po,? (?:aa|ae|ap)\b", re.IGNORECASE),
     "flats, post boxes and field post"),
    (re.compile(r"\b(?:lives? (?:at|on)|address(?: is|:)|located at|taxi to|office is at|offices are (?:located )?at|restaurant is (?:located )?at|arrived at|meet me at|corner of|return to)\s{1,6}(?:the )?(?:[\w,'. -]{0,40}?(?-i:[A-ZÀ-Ž])[\w'.-]{2,24} \d{1,5}\b|\d{1,6},? [\w,'. -]{0,12}?(?-i:[A-ZÀ-Ž])\w)", re.IGNORECASE),
     "a place with a number after a word of living or sending"),
    (re.compile(rf"(?<![\w.])\d{{1,6}} (?:\d{{1,6}} )?(?!{_MONTH})(?:{_NAME} ){{1,4}}\d{{1,5}}\b"), "house and street between two numbers"),
    (re.compile(r"[\u4e00-\u9fff]{2,16}(?:路|街|巷|弄|大道|胡同|村)\s?[0-9０-９一二三四五六七八九十百]{1,6}\s?(?:弄|号|栋|幢)"), "路 … 号"),
    (re.compile(r"[0-9]{1,4}(?:号楼|栋|幢|单元)\s?[0-9一二三四五六七八九十]{0,4}(?:单元)?\s?[0-9]{2,5}室?"), "… 号楼 … 室"),
    (re.compile(r"(?:家住|住在|住址|地址|收货地址)[是为在:：]{0,2}[\u4e00-\u9fff]{2,30}\d{1,5}(?:号|室|栋|幢|弄)"), "住址 … 号"),
)  # fmt: skip


_DIGIT = re.compile(r"[\d一二三四五六七八九十]")


def find_addresses(text: str) -> Iterator[Finding]:
    """Street addresses in `text`; never certain."""
    if not _DIGIT.search(text):
        return
    for pattern, _reason in ADDRESSES:
        for match in pattern.finditer(text):
            yield Finding(
                category=Category.PERSONAL,
                kind=Kind.STREET_ADDRESS,
                start=match.start(),
                end=match.end(),
                certain=False,
            )
