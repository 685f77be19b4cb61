"""The people of a project: who is in it, letting somebody in, and changing or ending a membership."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Clash, NotThere, Refusal
from governance.exports import Row, export_asked, exported_list, exports_at
from governance.forms import posted, status_of
from governance.marks import check_mark, mark_of
from governance.member_forms import InviteForm, LevelForm
from governance.pages import Desk, blame, done, id_in_path, project_page, refused, show
from governance.people import Invited, Member, invite, members, remove_member, reset_password, set_level
from governance.scope import project_scope
from governance.stepping import ask, fresh_enough, kept_form
from governance.vocabulary import Deed, MembershipLevel

COLUMNS = ("actor", "username", "level", "since", "last_login")


@project_page
@require_safe
def members_page(request: HttpRequest, desk: Desk) -> HttpResponseBase:
    """Everybody in the project; every member may see it. With `as` it is a file."""
    with project_scope(desk.acting, read_only=True):
        people = members()
    form = export_asked(request)
    if form is not None:
        return exported_list("members", form, COLUMNS, [_row(one) for one in people], cut=False)
    exports = exports_at("")
    return show(request, desk, "governance/members.html", section="members", people=people, exports=exports)


def _row(one: Member) -> Row:
    """Return a member as a file says it, as the list shows them."""
    moments = {"since": one.since.isoformat(), "last_login": one.last_login.isoformat() if one.last_login else None}
    return {"actor": one.actor.public_id, "username": one.username, "level": one.level.value} | moments


@project_page
def invite_member(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Let somebody in. The password of a new account is on this one answer and nowhere else."""
    desk.check(Deed.MANAGE_MEMBERS)
    if request.method == "POST" and not fresh_enough(request):
        return ask(request, back=request.path, keep=request.POST)
    form, status = InviteForm(posted(request), initial=kept_form(request)), None
    if form.is_valid():
        try:
            return _let_in(request, desk, _invite(desk, form))
        except Refusal as refusal:
            blame(form, refusal)
            status = refusal.status
    return show(
        request,
        desk,
        "governance/invite_member.html",
        status=status or status_of(form),
        section="members",
        form=form,
        asks_first=not fresh_enough(request),
    )


def _invite(desk: Desk, form: InviteForm) -> Invited:
    level = MembershipLevel(form.cleaned_data["level"])
    with project_scope(desk.acting):
        return invite(desk.acting, form.cleaned_data["username"], level, now=timezone.now())


def _let_in(request: HttpRequest, desk: Desk, invited: Invited) -> HttpResponse:
    if invited.password is None:
        words = gettext("%(name)s is in the project now, and finds it in their list after signing in as ever.")
        told = words % {"name": invited.user.username}
        return done(request, told, to=reverse("members", args=[desk.seat.public_id]))
    return _password_page(request, desk, username=invited.user.username, password=invited.password)


def _password_page(request: HttpRequest, desk: Desk, *, username: str, password: str) -> HttpResponse:
    sign_in = request.build_absolute_uri(reverse("sign_in"))
    return show(
        request,
        desk,
        "governance/password_made.html",
        section="members",
        username=username,
        password=password,
        sign_in=sign_in,
    )


@project_page
def member(request: HttpRequest, desk: Desk, actor_id: str) -> HttpResponse:
    """One member: another level, another password, or out of the project."""
    desk.check(Deed.MANAGE_MEMBERS)
    found = _member_at(desk, actor_id)
    if request.method == "POST" and not fresh_enough(request):
        return ask(request, back=request.path, keep=request.POST)
    form, status = LevelForm(posted(request), initial={"level": found.level, **kept_form(request)}), None
    if form.is_valid():
        try:
            _set_level(desk, actor_id, form)
        except Clash as refusal:
            blame(form, refusal, fields={"/username": "level"})
            status = 409
        else:
            words = gettext("The level is changed; it counts from the next page that they open.")
            return done(request, words, to=reverse("members", args=[desk.seat.public_id]))
    return show(
        request,
        desk,
        "governance/member.html",
        status=status or status_of(form),
        section="members",
        form=form,
        member=found,
        mark=mark_of(found.level),
        self=found.actor.pk == desk.acting.actor_id,
        asks_first=not fresh_enough(request),
    )


def _set_level(desk: Desk, actor_id: str, form: LevelForm) -> None:
    with project_scope(desk.acting):
        found = _among(members(), actor_id)
        check_mark(form.cleaned_data["seen"], found.level)
        set_level(desk.acting, found.actor, MembershipLevel(form.cleaned_data["level"]))


@require_POST
@project_page
def reset_member(request: HttpRequest, desk: Desk, actor_id: str) -> HttpResponse:
    """Give a member's account a new password for one use, shown on this answer alone."""
    desk.check(Deed.MANAGE_MEMBERS)
    found = _member_at(desk, actor_id)
    if not fresh_enough(request):
        return ask(request, back=reverse("member", args=[desk.seat.public_id, actor_id]))
    try:
        with project_scope(desk.acting):
            password = reset_password(desk.acting, _among(members(), actor_id).actor)
    except Refusal as refusal:
        return refused(request, refusal, to=reverse("member", args=[desk.seat.public_id, actor_id]))
    return _password_page(request, desk, username=found.username, password=password)


@require_POST
@project_page
def remove(request: HttpRequest, desk: Desk, actor_id: str) -> HttpResponse:
    """End a membership."""
    desk.check(Deed.MANAGE_MEMBERS)
    _member_at(desk, actor_id)
    if not fresh_enough(request):
        return ask(request, back=reverse("member", args=[desk.seat.public_id, actor_id]))
    try:
        with project_scope(desk.acting):
            found = _among(members(), actor_id)
            remove_member(desk.acting, found.actor)
    except Clash as refusal:
        return refused(request, refusal, to=reverse("member", args=[desk.seat.public_id, actor_id]))
    words = gettext("%(name)s is out of the project. What they wrote stays, under their name.")
    to = reverse("home") if found.actor.pk == desk.acting.actor_id else reverse("members", args=[desk.seat.public_id])
    return done(request, words % {"name": found.username}, to=to)


def _member_at(desk: Desk, actor_id: str) -> Member:
    with project_scope(desk.acting, read_only=True):
        return _among(members(), actor_id)


def _among(people: list[Member], actor_id: str) -> Member:
    wanted = id_in_path("act", actor_id)
    found = next((one for one in people if one.actor.pk == wanted), None)
    if found is None:
        raise NotThere
    return found
