"""What a ref in a packet is called on a page, and which page opens it."""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext

from governance.ids import public_id
from governance.places import page_of_ref
from sessions.models import ContextPacket
from sessions.packet_sentences import PARTS, SCHEMES

OF_ITSELF = frozenset(("request", "greywind", "profile"))  # what the request itself brought, and what is built in
EVENT = re.compile(r"event://(ses_[0-9a-f]{32})/(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Source:
    """A ref with the reader's name for it. `href` is empty for what the request brought or the compiler holds."""

    ref: str
    kind: Promise | str
    part: Promise | str
    href: str


@dataclass(frozen=True, slots=True)
class Namer:
    """Names the refs of one packet. `contracts` says which contract a revision's ref is of."""

    project: str
    contracts: Mapping[str, str]

    @classmethod
    def of(cls, *packets: ContextPacket) -> "Namer":
        """Return what names the refs of packets of one project."""
        contracts = {ref: kind for packet in packets for kind, ref in packet.receipt["revisions"].items()}
        return cls.naming(packets[0].project_id, contracts)

    @classmethod
    def naming(cls, project_id: uuid.UUID, contracts: Mapping[str, str]) -> "Namer":
        """Return what names refs in a project; `contracts` as above."""
        return cls(public_id("prj", project_id), contracts)

    def source(self, ref: str) -> Source:
        """Return what `ref` is called and where it leads."""
        whole, _, part = ref.partition("#")
        scheme, _, rest = whole.partition("://")
        if event := EVENT.fullmatch(whole):
            return Source(ref, SCHEMES["event"], _span(event[2], event[3]), self._page(whole))
        if scheme in OF_ITSELF:
            return Source(ref, SCHEMES[scheme], _part(rest), "")
        kind = self.contracts.get(whole, scheme)
        return Source(ref, SCHEMES.get(kind, kind), _part(part), self._page(whole))

    def _page(self, ref: str) -> str:
        return evidence_page(self.project, ref)


def packet_page(project: str, packet_id: str) -> Source:
    """Return what an earlier packet is called, leading to its page."""
    return Source(packet_id, SCHEMES["packet"], "", reverse("context", args=[project, packet_id]))


def evidence_page(project: str, ref: str) -> str:
    """Return the address at which a ref is opened: its own page, or that of its text in bounded parts."""
    return page_of_ref(project, ref) or f"{reverse('evidence', args=[project])}?ref={quote(ref, safe='')}"


def _part(text: str) -> Promise | str:
    """Name a fragment: its word, and the number of the entry where it has one."""
    name, _, number = text.partition("/")
    word = PARTS.get(name, name.replace("_", " "))
    return f"{word} {int(number) + 1}" if number.isdecimal() else word


def _span(first: str, last: str | None) -> str:
    if last is None:
        return f"#{first}"
    return gettext("#%(first)s to #%(last)s") % {"first": first, "last": last}
