"""Pages of context packets: the list, one packet with an account of every token, and the small ones around it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from governance.pages import Desk, addresses, id_in_path, project_page, show
from governance.scope import project_scope
from sessions.context.vocabulary import Layer
from sessions.packet_compare import compared
from sessions.packet_json import packet_json
from sessions.packet_layers import MOST_ITEMS
from sessions.packet_list import filters_in, packet_list
from sessions.packet_reading import head_of, layer_part, open_packet, packet_page, why_lines
from sessions.packet_sentences import LOST_RULES, VERDICTS
from sessions.replay import explain
from sessions.vocabulary import CompileResult

MOST_SHOWN = 200_000  # characters of JSON on a page; a longer one is downloaded
MOST_REF = 400
SECTION = "contexts"


@project_page
@require_safe
def contexts(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Packets, newest first, as far as the filters in the address let them through."""
    filters = filters_in(request.GET)
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
    """Why something was in the packet, was left out, or was never considered: the API's own answer, in words."""
    ref = request.GET.get("ref", "").strip()[:MOST_REF]
    key = id_in_path("pkt", packet_id)
    with project_scope(desk.acting, read_only=True):
        opened = open_packet(key)
        told = explain(desk.acting, key, ref) if ref else None
    return show(
        request,
        desk,
        "sessions/context_why.html",
        section=SECTION,
        head=head_of(opened),
        ref=ref,
        told=told,
        layer=Layer(told["layer"]) if told and told["layer"] else None,
        verdict=VERDICTS[told["verdict"]] if told else "",
        rule=LOST_RULES.get(told.get("rule", ""), "") if told else "",
        lines=why_lines(opened, told["items"]) if told else (),
    )


@project_page
@require_safe
def context_json(request: HttpRequest, desk: Desk, packet_id: str) -> HttpResponse:
    """The packet as JSON, as far as the reader may see it: on a page, or as a file."""
    with project_scope(desk.acting, read_only=True):
        opened = open_packet(id_in_path("pkt", packet_id))
    head, text = head_of(opened), packet_json(opened)
    if "download" in request.GET:
        name = f'attachment; filename="{head.id}.json"'
        return HttpResponse(text, content_type="application/json", headers={"Content-Disposition": name})
    shown = text if len(text) <= MOST_SHOWN else ""
    return show(request, desk, "sessions/context_json.html", section=SECTION, head=head, text=shown)


@project_page
@require_safe
def compare_contexts(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Two packets on one scale, and what changed between them; without two ids, the form that asks for them."""
    first, second = (request.GET.get(name, "").strip() for name in ("a", "b"))
    both = compared(desk.acting, id_in_path("pkt", first), id_in_path("pkt", second)) if first and second else None
    return show(request, desk, "sessions/context_compare.html", section=SECTION, both=both, first=first, second=second)


def _start(request: HttpRequest) -> int:
    """Return from which item on a layer is shown; what is no number is the beginning."""
    asked = request.GET.get("from", "")
    return int(asked) if asked.isdecimal() and asked.isascii() and len(asked) < 9 else 0
