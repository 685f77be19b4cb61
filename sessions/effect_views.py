"""The page on which a proposal's effect is worked out, which the proposal's own page can load in place."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.invisible import made_visible
from governance.pages import Desk, project_page, show
from governance.proposal_views import version_asked
from governance.scope import project_scope
from sessions.effect_reading import MOST_PACKETS, effect_of, text_weighed


@project_page
@require_safe
def proposal_effect(request: HttpRequest, desk: Desk, proposal_id: str) -> HttpResponse:
    """What a proposal would do to the last packets of its contract, as far as the reader may see them."""
    version = version_asked(request)
    with project_scope(desk.acting, read_only=True):
        text = text_weighed(proposal_id, version=version)
        effect = effect_of(text)
    prj = desk.seat.public_id
    above = [
        (reverse("project", args=[prj]), desk.seat.project_name),
        (reverse("proposal", args=[prj, proposal_id]), made_visible(text.title)),
    ]
    shown: dict[str, Any] = {"effect": effect, "text": text, "above": above, "most": MOST_PACKETS}
    return show(request, desk, "sessions/proposal_effect.html", part="effect", section="inbox", **shown)
