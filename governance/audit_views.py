"""The page of the ledger."""

from typing import Any, cast

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from governance.audit_reading import COLUMNS, AuditFilters, actor_names, audit_entries, audit_page, audit_rows
from governance.chain_checks import check_whole
from governance.exports import MOST, As, Row, export_asked, exported, exports_at
from governance.forms import ConsoleForm
from governance.pages import Desk, done, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed


class AuditForm(ConsoleForm):
    """What the ledger is narrowed to."""

    verb = forms.CharField(label=gettext_lazy("Verb, or how it begins"), max_length=64, required=False)
    actor = forms.ChoiceField(label=gettext_lazy("Actor"), required=False)
    target = forms.CharField(label=gettext_lazy("Object"), max_length=200, required=False)
    since = forms.DateField(
        label=gettext_lazy("From day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=gettext_lazy("To day"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, actors: dict[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        choice = cast("forms.ChoiceField", self.fields["actor"])
        choice.choices = [("", gettext_lazy("any")), *actors.items()]

    def filters(self) -> AuditFilters:
        """Return the filters; a field that does not fit narrows nothing, and says so beside itself."""
        self.is_valid()
        return AuditFilters(**{name: value for name, value in self.cleaned_data.items() if value})


@project_page
@require_safe
def audit(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """Who did what, when and why, and whether the chain holds. `?as=jsonl` and `?as=csv` are what fits, whole."""
    before = _before(request)
    with project_scope(desk.acting, read_only=True):
        actors = actor_names()
        form = AuditForm(request.GET, actors={name: actor.name for name, actor in actors.items()})
        filters = form.filters()
        if form_asked := export_asked(request):
            return _download(desk, filters, form_asked, before=before)
        page = audit_page(desk.acting.project_id, filters, before=before, actors=actors, now=timezone.now())
    above = [(reverse("project", args=[desk.seat.public_id]), desk.seat.project_name)]
    shown: dict[str, Any] = {"page": page, "form": form, "narrowed": filters.any, "above": above}
    shown |= {"older": _with(request, before=page.older) if page.older else "", "newest": before is None}
    shown["exports"] = exports_at(_with(request))
    return show(request, desk, "governance/audit.html", part="rows", section="audit", **shown)


@require_POST
@project_page
def verify_ledger(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Check the whole chain now, from its first entry."""
    desk.check(Deed.CHECK_LEDGER)
    with project_scope(desk.acting, read_only=True):
        state = check_whole(desk.acting.project_id, now=timezone.now())
    words = gettext("The whole chain was checked; what was found stands below.")
    to = reverse("audit", args=[desk.seat.public_id])
    return done(request, words if state.first_bad is None else gettext("The chain is broken."), to=to)


def _before(request: HttpRequest) -> int | None:
    text = request.GET.get("before", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404
    return int(text)


def _with(request: HttpRequest, **more: Any) -> str:
    query = request.GET.copy()
    for name, value in more.items():
        query[name] = str(value)
    return f"?{query.urlencode()}"


def _download(desk: Desk, filters: AuditFilters, form: As, *, before: int | None) -> StreamingHttpResponse:
    """Return the entries that fit, from `before` on; runs inside a scope, and opens others while it is read."""

    def read(after: Row | None, most: int) -> list[dict[str, Any]]:
        with project_scope(desk.acting, read_only=True):
            return audit_entries(filters, before=after["seq"] if after else before, most=most)

    cut = audit_rows(filters, before=before)[MOST : MOST + 1].exists()
    return exported("ledger", form, COLUMNS, read, cut=cut)
