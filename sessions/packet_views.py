"""Pages of context packets: the list, one packet with an account of every token, and the small ones around it."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.exports import as_file, export_asked, exports_at
from governance.pages import Desk, addresses, id_in_path, project_page, show
from governance.scope import project_scope
from sessions.context.vocabulary import Layer, Trigger
from sessions.explaining import explanation
from sessions.packet_compare import comparison, readable_sides
from sessions.packet_forms import ComparisonForm
from sessions.packet_json import packet_json
from sessions.packet_layers import MOST_ITEMS
from sessions.packet_list import filters_in, packet_list, packets_export
from sessions.packet_opening import head_of, open_packet
from sessions.packet_reading import layer_part, packet_page
from sessions.packet_refs import Namer
from sessions.packet_why import replay_told, why_told
from sessions.vocabulary import CompileResult

MOST_SHOWN = 200_000  # characters of JSON on a page; a longer one is downloaded
MOST_REF = 400
SECTION = "contexts"


@project_page
@require_safe
def contexts(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """Packets, newest first, as far as the filters in the address let them through."""
    filters = filters_in(request.GET)
    if form := export_asked(request):
        return packets_export(desk.acting, filters, form)
    found = packet_list(desk.acting, filters, cursor=request.GET.get("cursor") or None)
    around = addresses(request, found.page)
    return show(
        request,
        desk,
        "sessions/contexts.html",
        part="rows",
        section=SECTION,
        filters=filters,
        found=found,
        outcomes=list(CompileResult),
        layers=list(Layer),
        triggers=list(Trigger),
        exports=exports_at(request.GET.urlencode()),
        newer=around["newer"],
        older=around["older"],
    )


@project_page
@require_safe
def context(request: HttpRequest, desk: Desk, packet_id: str) -> HttpResponse:
    """One packet: what every token of it is, where it came from, and what stayed out."""
    page = packet_page(desk.acting, id_in_path("pkt", packet_id))
    return show(request, desk, "sessions/context.html", section=SECTION, page=page, head=page.head)


@project_page
@require_safe
def context_layer(request: HttpRequest, desk: Desk, packet_id: str, layer: str) -> HttpResponse:
    """The items of one layer, for the layers that hold more than the packet's page shows."""
    if layer not in set(Layer):
        raise Http404
    start = _start(request)
    line, head = layer_part(desk.acting, id_in_path("pkt", packet_id), Layer(layer), start=start)
    further = max(line.more_items, line.more_dropped) > 0
    return show(
        request,
        desk,
        "sessions/context_layer.html",
        section=SECTION,
        line=line,
        head=head,
        start=start,
        newer=f"?from={max(start - MOST_ITEMS, 0)}" if start else "",
        older=f"?from={start + MOST_ITEMS}" if further else "",
    )


@project_page
@require_safe
def context_why(request: HttpRequest, desk: Desk, packet_id: str) -> HttpResponse:
    """Why something was in the packet, was cut, not eligible or never considered: the API's own answer, in words."""
    ref = request.GET.get("ref", "").strip()[:MOST_REF]
    with project_scope(desk.acting, read_only=True):
        opened = open_packet(id_in_path("pkt", packet_id))
        told = why_told(opened, explanation(opened.packet, opened.decisions, ref)) if ref else None
    return show(request, desk, "sessions/context_why.html", section=SECTION, head=head_of(opened), ref=ref, told=told)


@project_page
@require_safe
def context_replay(request: HttpRequest, desk: Desk, packet_id: str) -> HttpResponse:
    """The packet compiled once more from what was recorded: the same bytes, or the parts that are gone."""
    with project_scope(desk.acting, read_only=True):
        opened = open_packet(id_in_path("pkt", packet_id))
        told = replay_told(opened.replayed, Namer.of(opened.packet))
    return show(request, desk, "sessions/context_replay.html", section=SECTION, head=head_of(opened), told=told)


@project_page
@require_safe
def context_json(request: HttpRequest, desk: Desk, packet_id: str) -> HttpResponse:
    """The packet as JSON, as far as the reader may see it: on a page, or as a file."""
    with project_scope(desk.acting, read_only=True):
        opened = open_packet(id_in_path("pkt", packet_id))
    head, text = head_of(opened), packet_json(opened)
    if "download" in request.GET:
        return as_file(text, f"{head.id}.json", "application/json")
    shown = text if len(text) <= MOST_SHOWN else ""
    return show(request, desk, "sessions/context_json.html", section=SECTION, head=head, text=shown)


@project_page
@require_safe
def compare_contexts(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Two packets or three on one scale, and what changed between them; without ids, the form that asks for them."""
    form = ComparisonForm.asked(request.GET)
    named = form.packets()
    sides = readable_sides(desk.acting, set(named.values())) if named else {}
    form.miss(sides)
    chosen = [sides[packet] for packet in named.values() if packet in sides]
    both = None
    if len(chosen) > 1 and not form.errors:
        both = comparison(chosen, project_id=desk.acting.project_id)
    shown: dict[str, Any] = {"both": both, "form": form, "chosen": len(request.GET.getlist("of"))}
    return show(request, desk, "sessions/context_compare.html", status=form.status, section=SECTION, **shown)


def _start(request: HttpRequest) -> int:
    """Return from which item on a layer is shown; what is no number is the beginning."""
    asked = request.GET.get("from", "")
    return int(asked) if asked.isdecimal() and asked.isascii() and len(asked) < 9 else 0
