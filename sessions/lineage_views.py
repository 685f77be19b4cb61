"""Pages that merge threads, split one, and undo either: first what would move, then the button that moves it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from governance.errors import NotThere, Refusal
from governance.forms import posted, status_of
from governance.pages import Desk, blame, done, project_page, show
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.lineage_facts import holdings_of
from sessions.lineage_forms import IntoForm, MergeForm, PartsForm, WordForm
from sessions.lineage_reading import barriers, moves, others_of
from sessions.merging import MergeWish, merge, plan_merge
from sessions.splitting import SplitWish, plan_split, split
from sessions.thread_lines import Words
from sessions.undoing import UndoWish, plan_undo, undo
from threads.api import thread_here
from threads.forms import status_after
from threads.lineage import Moved
from threads.models import Thread
from threads.places import above, thread_address

type Act = Callable[[], str]


@dataclass(slots=True)
class Shown:
    """What a page shows, and with which status."""

    values: dict[str, Any] = field(default_factory=dict)
    status: int = 200


@project_page
def merge_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Choose the thread that another becomes part of, look at what would move, and merge."""
    desk.check(Deed.MERGE_THREAD)
    form = MergeForm(posted(request))

    def act() -> str:
        source, chosen = thread_here(thread_id), form.cleaned_data
        into = thread_here(chosen["into"], pointer="/into_thread_id")
        wish = MergeWish(
            source=source,
            into=into,
            reason=chosen["reason"],
            seen=chosen["version"],
            seen_into=chosen["into_version"],
        )
        merge(desk.acting, wish, now=timezone.now())
        return thread_address(desk, into)

    words = gettext("Merged. The work of both goes on here; the page of either thread undoes it.")
    answer, shown = _acted(request, desk, form, act, words=words)
    if answer is not None:
        return answer
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        asked = request.POST if request.method == "POST" else request.GET
        choice = IntoForm(asked if "into" in asked else None, others=others_of(thread))
        shown.values |= _merge_preview(desk, thread, choice, form)
    return _page(request, desk, thread, shown, template="sessions/thread_merge.html")


@project_page
def split_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Choose what becomes a thread of its own, look at what would move, and split."""
    desk.check(Deed.MERGE_THREAD)
    form = WordForm(posted(request))
    with project_scope(desk.acting, read_only=True):
        asked = request.POST if request.method == "POST" else request.GET
        parts = PartsForm(asked if "title_1" in asked else None, held=holdings_of(thread_here(thread_id)))

    def act() -> str:
        wish = SplitWish(
            thread=thread_here(thread_id),
            parts=parts.parts(),
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["version"],
        )
        return thread_address(desk, split(desk.acting, wish, now=timezone.now())[0].target)

    words = gettext("Split off. This is the new thread; undoing gives back to the other one what it took.")
    answer, shown = _acted(request, desk, form, act, words=words, also=parts)
    if answer is not None:
        return answer
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        shown.values |= {
            "parts": parts,
            "form": form if form.is_bound else WordForm(initial={"version": thread.version}),
        }
        _split_preview(desk, thread, parts, shown)
    return _page(request, desk, thread, shown, template="sessions/thread_split.html")


@project_page
def undo_thread(request: HttpRequest, desk: Desk, thread_id: str) -> HttpResponse:
    """Look at what undoing a merge or a split would give back, and undo it."""
    desk.check(Deed.MERGE_THREAD)
    form = WordForm(posted(request))

    def act() -> str:
        thread, chosen = thread_here(thread_id), form.cleaned_data
        wish = UndoWish(thread=thread, reason=chosen["reason"], seen=chosen["version"])
        return thread_address(desk, undo(desk.acting, wish, now=timezone.now())[0].source)

    answer, shown = _acted(request, desk, form, act, words=gettext("Undone. What had gone along is back here."))
    if answer is not None:
        return answer
    with project_scope(desk.acting, read_only=True):
        thread = thread_here(thread_id)
        shown.values["form"] = form if form.is_bound else WordForm(initial={"version": thread.version})
        shown.values |= _undo_preview(desk, thread)
    return _page(request, desk, thread, shown, template="sessions/thread_undo.html")


def _acted(
    request: HttpRequest, desk: Desk, form: WordForm, act: Act, *, words: str, also: PartsForm | None = None
) -> tuple[HttpResponse | None, Shown]:
    """Do what a valid form asks for; returns the way onward, or what the page has to show because it was refused."""
    if not form.is_bound or not form.is_valid() or (also is not None and not also.is_valid()):
        return None, Shown(status=status_of(form))
    try:
        with project_scope(desk.acting):
            to = act()
    except NotThere:
        raise
    except Refusal as refusal:
        blame(form, refusal)
        return None, Shown(status=status_after(refusal))
    return done(request, words, to=to), Shown()


def _merge_preview(desk: Desk, thread: Thread, choice: IntoForm, form: MergeForm) -> dict[str, Any]:
    values: dict[str, Any] = {"choice": choice, "form": form}
    if not choice.is_valid():
        return values
    into = thread_here(choice.cleaned_data["into"])
    plan = plan_merge(thread, into)
    if not form.is_bound:
        seen = {"into": into.public_id, "version": thread.version, "into_version": into.version}
        values["form"] = MergeForm(initial=seen)
    return values | {
        "into": {"id": into.public_id, "title": Words.of(into.title)},
        "moves": moves(plan.source, plan.moved),
        "stays": [row.public_id for row in plan.stays],
        "goal": Words.of(plan.vision.origin_goal) if plan.vision else None,
        "barriers": barriers(desk.seat.public_id, plan.hindrances),
    }


def _split_preview(desk: Desk, thread: Thread, parts: PartsForm, shown: Shown) -> None:
    if not parts.is_bound or not parts.is_valid():
        return
    wanted = parts.parts()
    try:
        plan = plan_split(thread, wanted)
    except Refusal as refusal:
        fields = {f"/parts/{n}/title": f"title_{n + 1}" for n in range(len(wanted))}
        blame(parts, refusal, fields=fields)
        shown.status = 422
        return
    shown.values |= {
        "previews": [
            (Words.of(one.title), moves(plan.held, moved)) for one, moved in zip(wanted, plan.moved, strict=True)
        ],
        "whole": plan.whole,
        "barriers": barriers(desk.seat.public_id, plan.hindrances),
    }


def _undo_preview(desk: Desk, thread: Thread) -> dict[str, Any]:
    plan = plan_undo(thread)
    if not plan.rows:
        return {"nothing": True}
    backs = [
        (row, Words.of(row.source.title), moves(held, Moved.of(row)))
        for row, held in zip(plan.rows, plan.held, strict=True)
    ]
    return {"backs": backs, "barriers": barriers(desk.seat.public_id, plan.hindrances)}


def _page(request: HttpRequest, desk: Desk, thread: Thread, shown: Shown, *, template: str) -> HttpResponse:
    named = {"id": thread.public_id, "title": Words.of(thread.title)}
    values = {"thread": named, "above": above(desk, thread), **shown.values}
    return show(request, desk, template, status=shown.status, section="threads", **values)
