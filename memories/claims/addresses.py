"""Shapes of names and places in machines: addresses, paths, versions, licences and identifiers."""

import re

from memories.claims.readers import Fields, Match, Shapes
from memories.claims.units import units
from memories.claims.vocabulary import ValueType

ADDRESSES, CODES, IDENTIFIERS = Shapes[Fields](), Shapes[Fields](), Shapes[Fields]()


@ADDRESSES.shape(r"[A-Za-z0-9][\w.+'-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
def _email(m: Match) -> Fields:
    return {"type": ValueType.EMAIL, "norm": m[0].casefold().rstrip(".")}


@ADDRESSES.shape(r'"[^"]{1,60}"|(?<![A-Za-z0-9])#[A-Za-z][A-Za-z0-9_-]*')
def _quoted(m: Match) -> Fields:
    """What is quoted, or marked as a channel, is a name as it stands."""
    return {"type": ValueType.IDENTIFIER, "norm": m[0].casefold().strip('" ')}


@ADDRESSES.shape(r"https?://[^\s,;\"'<>)\u3400-\u9fff]+")
def _url(m: Match) -> Fields:
    return {"type": ValueType.URL, "norm": m[0].casefold().rstrip("./")}


@ADDRESSES.shape(
    r"(?<![A-Za-z0-9_/.])(?:~|\.{1,2})?/[\w@%+.-]*[A-Za-z0-9_](?:/[\w@%+.-]+)*/?"
    r"|[A-Z]:\\[\w\\.-]+|(?<![A-Za-z0-9_/.])(?=[A-Za-z_.-]*[\d_-]?[\w.-]*/)[A-Za-z][\w.-]*(?:/[\w.-]+)+(?<![.])"
)
def _path(m: Match) -> Fields | None:
    said = m[0]
    if said[0].isalpha() and ":\\" not in said:
        parts = said.casefold().split("/")
        if any(part in units().forms or part in {"or", "and", "o", "off"} for part in parts) or not re.search(
            r"[\d._-]|^(feature|fix|release|hotfix|origin|src|docs|test|app|lib)", said.casefold()
        ):
            return None
    return {"type": ValueType.PATH, "norm": said.rstrip("/.") or "/"}


@ADDRESSES.shape(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:/\d+)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}")
def _address(m: Match) -> Fields:
    return {"type": ValueType.IDENTIFIER, "norm": m[0].casefold()}


@CODES.shape(r"(?:Apache|GPL|MPL|LGPL|AGPL|BSD|EPL|TLS|HTTP|OAuth|SAML|IPv)[ -]?v?\d(?:\.\d)?(?:-clause)?(?![\w.]\d)")
def _standard(m: Match) -> Fields:
    """Licences and protocols whose number is part of the name."""
    name, _, figure = re.sub(r"[ -]?v?(?=\d)", " ", m[0].casefold(), count=1).partition(" ")
    return {"type": ValueType.IDENTIFIER, "norm": f"{name} {figure}"}


@CODES.shape(
    r"(?<![A-Za-z0-9_+])(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"
    r"|(?<![A-Za-z0-9_+])\+\d[\d ()-]{6,}\d|(?<![A-Za-z0-9_+-])\d{3,4}-(?:\d{3,4}-\d{4}|\d{7,8})(?![\d-])"
)
def _phone(m: Match) -> Fields:
    digits = re.sub(r"\D", "", m[0])
    return {"type": ValueType.PHONE, "norm": digits.removeprefix("86") if len(digits) == 13 else digits}


@CODES.shape(
    r"(?<![A-Za-z0-9_.])(?:v(?:ersion)?[ ]?)\d+(?:\.\d+)*(?:[-.]?(?:rc|alpha|beta"
    r"|b|a)[.-]?\d*)?(?![\w])|(?<![A-Za-z0-9_.])\d+\.\d+\.[\dx]+(?:[.-]\w+)*|(?<![A-Za-z0-9_.])\d+(?:\.\d+)*\.x\b"
)
def _version(m: Match) -> Fields:
    return {"type": ValueType.VERSION, "norm": re.sub(r"^v(ersion)?\s?", "", m[0].casefold())}


@IDENTIFIERS.shape(r"(?<![A-Za-z0-9])[a-z]{2}[-_][A-Z]{2}(?![A-Za-z0-9_-])")
def _locale(m: Match) -> Fields | None:
    """ "en-GB"; by its case, for "on-it" is no language."""
    language, country = m[0][:2], m[0][3:]
    if not (language.islower() and country.isupper()):
        return None
    return {"type": ValueType.IDENTIFIER, "norm": f"{language}-{country}".casefold()}


@IDENTIFIERS.shape(r"(?<![A-Za-z0-9])[A-Z] ?(?:区|栋|座|单元)")
def _block(m: Match) -> Fields:
    """A part of a building or a site, by its letter."""
    return {"type": ValueType.IDENTIFIER, "norm": m[0].casefold().replace(" ", "")}


@IDENTIFIERS.shape(
    r"(?<![A-Za-z0-9])--?[A-Za-z][\w-]+(?<=\w)(?<!\w-)|#\d+|(?<![A-Za-z0-9])(?:[A-Za-z]+(?:_[A-Za-z0-9]+)+"
    r"|[a-z0-9-]+(?:\.[a-z0-9-]+)+\.?(?<=[a-z])|(?=[A-Za-z-]*\d)[A-Za-z][A-Za-z0-9]*(?:[-_.:][A-Za-z0-9]+)*"
    r"|(?=\d+[A-Za-z])\d+[A-Za-z][\w-]*|[A-Z]{2,}-\d+|[a-z]+(?:-[a-z]+)*-\d[\w-]*)(?![A-Za-z0-9])"
)
def _identifier(m: Match) -> Fields:
    return {"type": ValueType.IDENTIFIER, "norm": m[0].casefold().strip(".")}
