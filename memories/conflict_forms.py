"""The forms of the conflict desk: settling, putting off, and taking a settlement back."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.utils.translation import gettext, gettext_lazy

from governance.forms import ConsoleForm, midnight
from governance.ids import parse_id
from governance.inbox_forms import SnoozeForm
from governance.proposal_words import risk_choices
from memories.conflict_list import ConflictFilters
from memories.conflict_reading import ConflictPage
from memories.conflict_sides import Side
from memories.conflict_words import CONFLICT_KINDS
from memories.conflicts import SettleWish
from memories.forms import MOST_CHARACTERS, SHOWN
from memories.settling import Period, ScopeChange
from memories.vocabulary import ConflictState, ScopeType, SettlementVerb
from threads.models import Thread
from threads.titles import one_line

ANY = gettext_lazy("any")
MOST_REASON = 500
PROJECT = "project"


class ConflictFilterForm(ConsoleForm):
    """What the list of conflicts is narrowed to; what is no choice narrows nothing."""

    q = forms.CharField(
        label=gettext_lazy("Words in it"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    risk = forms.ChoiceField(label=gettext_lazy("Risk"), choices=[("", ANY), *risk_choices()], required=False)
    suggestion = forms.ChoiceField(
        label=gettext_lazy("What the rules suggest"),
        required=False,
        choices=[("", ANY), *CONFLICT_KINDS[SettlementVerb].items()],
    )

    def filters(self) -> ConflictFilters:
        """Return the filters; what is no choice narrows nothing."""
        self.is_valid()
        return ConflictFilters(**self.cleaned_data)


class DecisionForm(ConsoleForm):
    """How a conflict is settled, bound to what was seen. For each side that can hold it asks where and when it does."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    seen_hash = forms.CharField(widget=forms.HiddenInput, max_length=80)
    way = forms.ChoiceField(
        label=gettext_lazy("What shall hold"), error_messages={"required": gettext_lazy("Choose one of the ways.")}
    )
    text = forms.CharField(
        label=gettext_lazy("The text that takes their place"),
        required=False,
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    reason = forms.CharField(label=gettext_lazy("Why"), required=False, max_length=MOST_REASON)
    next = forms.BooleanField(label=gettext_lazy("Then show me the next matter"), required=False)

    def __init__(
        self, *args: Any, page: ConflictPage, threads: Sequence[Thread] = (), next_wanted: bool = False, **options: Any
    ) -> None:
        self.page = page
        seen = {"version": page.conflict.version, "seen_hash": page.seen_hash, "next": next_wanted}
        newest = {"text": page.newest.memory.content} if page.newest else {}
        options["initial"] = newest | seen | options.get("initial", {})
        super().__init__(*args, **options)
        ways = [(option.value, option.value) for option in page.options if not option.barred]
        cast("forms.ChoiceField", self.fields["way"]).choices = ways
        self.threads = {thread.public_id: thread for thread in threads}
        for side in page.sides:
            self._ask_of(side)

    @property
    def places(self) -> list[tuple[Side, list[forms.BoundField]]]:
        """Each side with the fields that ask where and when it holds."""
        return [(side, [self[name] for name in _names(side)]) for side in self.page.sides]

    @property
    def chosen(self) -> str:
        """The way that is marked as the page is shown; '' for none."""
        return str(self["way"].value() or "")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("way") == SettlementVerb.MERGE and not cleaned.get("text", "").strip():
            self.add_error("text", gettext("Write the text that takes their place."))
        for side in self.page.sides:
            _, begins, ends = (cleaned.get(name) for name in _names(side))
            if begins and ends and ends < begins:
                self.add_error(f"until_{side.letter}", gettext("This day lies before the one on which it begins."))
        return cleaned

    def bind_to_now(self) -> None:
        """Let the form speak of what the page shows now; what was typed stays."""
        self.say_instead(version=str(self.page.conflict.version), seen_hash=self.page.seen_hash)

    def wish(self) -> SettleWish:
        """Return what the form decides; it has to be valid."""
        said = self.cleaned_data
        verb, _, side = said["way"].partition(":")
        placing = verb == SettlementVerb.BOTH_VALID
        return SettleWish(
            verb=SettlementVerb(verb),
            expected_version=said["version"],
            seen_hash=said["seen_hash"],
            text=said["text"].replace("\r\n", "\n").strip() if verb == SettlementVerb.MERGE else "",
            reason=said["reason"],
            chosen=parse_id("mem", side, pointer="/way") if side else None,
            scopes=self._scopes() if placing else (),
            periods=self._periods() if placing else (),
        )

    def _ask_of(self, side: Side) -> None:
        scope, begins, ends = _names(side)
        told = {"letter": side.letter}
        places = [("", gettext("as now")), (PROJECT, gettext("in the whole project"))]
        places += [(name, one_line(thread.title, most=SHOWN)) for name, thread in self.threads.items()]
        day = {"type": "date", "class": "form-control"}
        self.fields[scope] = forms.ChoiceField(
            label=gettext("Where %(letter)s holds") % told,
            required=False,
            choices=places,
            widget=forms.Select(attrs={"class": "form-select"}),
        )
        for name, words in (
            (begins, gettext("%(letter)s from")),
            (ends, gettext("%(letter)s until, that day included")),
        ):
            self.fields[name] = forms.DateField(
                label=words % told, required=False, widget=forms.DateInput(attrs=day, format="%Y-%m-%d")
            )

    def _scopes(self) -> list[ScopeChange]:
        chosen = [(side, self.cleaned_data[_names(side)[0]]) for side in self.page.sides]
        return [_scope(side.memory.pk, place) for side, place in chosen if place]

    def _periods(self) -> list[Period]:
        periods = []
        for side in self.page.sides:
            _, begins, ends = (self.cleaned_data[name] for name in _names(side))
            if begins or ends:
                first = midnight(begins) if begins else side.memory.valid_from
                last = midnight(ends + timedelta(days=1)) if ends else side.memory.valid_to
                periods.append(Period(memory_id=side.memory.pk, valid_from=first, valid_to=last))
        return periods


class PutOffForm(SnoozeForm):
    """Until when a conflict is put off, as it was seen."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class UndoForm(ConsoleForm):
    """Why a settlement is taken back."""

    settlement = forms.CharField(widget=forms.HiddenInput, max_length=80)
    reason = forms.CharField(label=gettext_lazy("Why"), required=False, max_length=MOST_REASON)


def state_in(asked: str) -> ConflictState:
    """Return the tab that an address asks for; what waits, where it names none."""
    return ConflictState(asked) if asked in set(ConflictState) else ConflictState.OPEN


def _names(side: Side) -> tuple[str, str, str]:
    return f"scope_{side.letter}", f"from_{side.letter}", f"until_{side.letter}"


def _scope(memory_id: uuid.UUID, place: str) -> ScopeChange:
    if place == PROJECT:
        return ScopeChange(memory_id=memory_id, scope_type=ScopeType.PROJECT)
    thread = parse_id("thr", place, pointer="/scopes")
    return ScopeChange(memory_id=memory_id, scope_type=ScopeType.THREAD, scope_id=thread)
