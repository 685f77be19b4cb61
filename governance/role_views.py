"""Pages of personas, roles, policies and profiles: what holds, what held, and the way to a change."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.contract_texts import to_markdown
from governance.errors import Clash, Forbidden, Invalid
from governance.exports import as_file
from governance.models import Revision
from governance.pages import Desk, done, project_page, refused, show
from governance.proposal_forms import RevertForm
from governance.proposal_words import ASKED, CONTRACT_KINDS
from governance.proposals import propose_revert
from governance.role_reading import contract_groups, find_revision, revision_page, under_way
from governance.scope import project_scope
from governance.vocabulary import ContractKind, Deed


@project_page
@require_safe
def roles(request: HttpRequest, desk: Desk) -> HttpResponse:
    """What holds in the project, by kind."""
    with project_scope(desk.acting, read_only=True):
        groups, waiting = contract_groups(), under_way()
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    return show(request, desk, "governance/roles.html", section="roles", groups=groups, under_way=waiting, above=above)


@project_page
@require_safe
def revision(request: HttpRequest, desk: Desk, *, kind: str, slug: str, number: str) -> HttpResponse:
    """One revision. `?with=` compares it with another one, `?as=markdown` is its export."""
    with project_scope(desk.acting, read_only=True):
        if request.GET.get("as") == "markdown":
            return _exported(find_revision(kind, slug, number))
        page = revision_page(kind, slug, number, compared=request.GET.get("with", ""))
    prj = desk.seat.public_id
    above = [(reverse("project", args=[prj]), desk.seat.project_name), (reverse("roles", args=[prj]), gettext("Roles"))]
    shown: dict[str, Any] = {"page": page, "above": above, "form": RevertForm()}
    return show(request, desk, "governance/role_revision.html", section="roles", **shown)


@require_POST
@project_page
def revert_revision(request: HttpRequest, desk: Desk, *, kind: str, slug: str, number: str) -> HttpResponse:
    """Ask for an older revision's text to hold again."""
    desk.check(Deed.PROPOSE_CONTRACT)
    here = reverse("revision", args=[desk.seat.public_id, kind, slug, number])
    rationale = request.POST.get("rationale", "")
    try:
        with project_scope(desk.acting):
            older = find_revision(kind, slug, number)
            named = {"kind": CONTRACT_KINDS[ContractKind][ContractKind(kind)], "slug": slug, "number": number}
            title = gettext("Back to revision %(number)s of %(kind)s %(slug)s") % named
            made = propose_revert(desk.acting, older, rationale=rationale, title=title, now=timezone.now())
    except (Clash, Forbidden, Invalid) as refusal:
        return refused(request, refusal, to=here)
    return done(request, ASKED, to=reverse("proposal", args=[desk.seat.public_id, made.public_id]))


def _exported(found: Revision) -> HttpResponse:
    name = f"{found.contract.kind}-{found.contract.slug}-{found.number}.md"
    return as_file(to_markdown(found), name, "text/markdown; charset=utf-8")
