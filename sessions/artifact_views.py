"""The viewer of artifacts, and the way from a ref to the page of what it names."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from governance import refs
from governance.errors import Invalid, NotThere
from governance.invisible import made_visible
from governance.pages import Desk, id_in_path, project_page, show
from governance.places import page_of_ref
from governance.scope import project_scope, record
from memories.feedback import note_opened
from sessions.artifacts import LINES_MOST, READ_MOST, Piece, part_of
from sessions.models import Artifact, Event
from sessions.session_views import entry_address
from sessions.text_finds import finds_in
from sessions.transcript_reading import whole_graphemes

LINES_SHOWN, TOKENS_SHOWN = 200, 2000
LINE_CHARACTERS = 2_000  # of one line; a longer one is read by tokens
MOST_SOURCES = 10
PLACE = ("ref", "as")  # what says which text is read, where the path does not


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its number, from 1; `left_out` counts the characters that are not shown."""

    number: int
    text: str
    left_out: int


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript entry that the content came from."""

    address: str
    ref: str


@project_page
@require_safe
def artifact(request: HttpRequest, desk: Desk, artifact_id: str) -> HttpResponse:
    """A bounded part of an artifact, by lines with anchors or by tokens, or the lines that hold some words.

    Reading it leaves a ledger entry.
    """
    with project_scope(desk.acting):
        kept = Artifact.objects.filter(pk=id_in_path("art", artifact_id)).first()
        if kept is None:
            raise NotThere
        part, told = _part(request, kept.content)
        record("evidence.read", kept.public_id, detail=told)
        sources = _sources(desk, kept)
    shown = part | {"artifact": kept, "sources": sources, "ref": f"artifact://{kept.public_id}"}
    return show(request, desk, "sessions/artifact.html", section="threads", **shown)


@project_page
@require_safe
def evidence(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The page of what a ref names; where it has none of its own, or `as=text` asks, its text as an artifact's."""
    ref = request.GET.get("ref", "")
    page = None if request.GET.get("as") == "text" else page_of_ref(desk.seat.public_id, ref)
    if page is not None:
        return HttpResponseRedirect(page)
    with project_scope(desk.acting):
        opened = refs.resolve(ref, desk.acting, pointer="?ref")
        part, told = _part(request, opened.text)
        note_opened(desk.acting, ref)
        record("evidence.read", ref[:200], detail=told)
    shown = part | {"ref": ref, "opened": opened, "page": page_of_ref(desk.seat.public_id, ref)}
    return show(request, desk, "sessions/evidence.html", section="threads", **shown)


def _part(request: HttpRequest, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is shown of a text, a search in it or a part of it, and what the ledger is told of that."""
    place = {name: request.GET[name] for name in PLACE if name in request.GET}
    if q := request.GET.get("q", "").strip():
        finds = finds_in(text, q, offset=_count(request, "offset", 0), place=place)
        return {"finds": finds, "place": place}, {"offset": finds.offset, "unit": "matches"}
    unit, offset, limit = _part_asked(request)
    piece = part_of(text, unit=unit, offset=offset, limit=limit)
    return _shown(piece) | _pages(request, piece, limit) | {"place": place}, {"offset": offset, "unit": unit}


def _part_asked(request: HttpRequest) -> tuple[str, int, int]:
    unit = "tokens" if request.GET.get("unit") == "tokens" else "lines"
    default, most = (TOKENS_SHOWN, READ_MOST) if unit == "tokens" else (LINES_SHOWN, LINES_MOST)
    return unit, _count(request, "offset", 0), min(_count(request, "limit", default) or default, most)


def _count(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(10**9)):
        raise Invalid.at(f"?{name}", "expected a whole number")
    return int(text)


def _sources(desk: Desk, kept: Artifact) -> list[Source]:
    rows = Event.objects.filter(artifact=kept).select_related("session").only("seq", "session__id")
    found = [(row.session.public_id, row.seq) for row in rows.order_by("created_at", "seq")[:MOST_SOURCES]]
    return [Source(entry_address(desk.seat.public_id, ses, seq), f"event://{ses}/{seq}") for ses, seq in found]


def _shown(piece: Piece) -> dict[str, Any]:
    if piece.unit == "tokens":
        return {"piece": piece, "text": made_visible(piece.text)}
    lines = [_line(piece.offset + n, text) for n, text in enumerate(_lines(piece.text), start=1)]
    return {"piece": piece, "lines": lines, "cut": any(line.left_out for line in lines)}


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _line(number: int, text: str) -> Line:
    kept = text if len(text) <= LINE_CHARACTERS else whole_graphemes(text[:LINE_CHARACTERS])
    return Line(number, made_visible(kept), len(text) - len(kept))


def _pages(request: HttpRequest, piece: Piece, limit: int) -> dict[str, Any]:
    """Return the addresses around this part, that of the beginning in the other unit, and how far the part reaches."""
    last = piece.next if piece.next is not None else piece.total
    other = "tokens" if piece.unit == "lines" else "lines"
    before = max(piece.offset - limit, 0) if piece.offset > 0 else None
    return {
        "previous": _part_at(request, piece.unit, before),
        "next": _part_at(request, piece.unit, piece.next),
        "by_other_unit": _part_at(request, other, 0),
        "first": min(piece.offset + 1, last),
        "last": last,
    }


def _part_at(request: HttpRequest, unit: str, offset: int | None) -> str:
    if offset is None:
        return ""
    kept = {name: request.GET[name] for name in PLACE if name in request.GET}
    if unit == request.GET.get("unit", "lines") and "limit" in request.GET:
        kept["limit"] = request.GET["limit"]
    return f"{request.path}?{urlencode({**kept, 'unit': unit, 'offset': offset})}"
