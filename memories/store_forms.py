"""Forms that narrow the lists of memories and of what was proposed."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from governance.forms import ConsoleForm
from governance.vocabulary import Audience, Sensitivity
from memories.memory_words import MEMORY_KINDS
from memories.vocabulary import KnowledgeStatus, MemoryStatus, MemoryType, ScopeType

ANY = ("", gettext_lazy("any"))
MOST_WORDS = 200
FIRST_YEAR, LAST_YEAR = 1970, 2200  # of a day that can be asked for


class Used(StrEnum):
    """When a packet carried a memory last."""

    LATELY = "lately"
    BEFORE = "before"
    NEVER = "never"


class Expiry(StrEnum):
    """When a memory lapses."""

    SOON = "soon"
    OVER = "over"
    NONE = "none"


USED: Mapping[str, Promise] = {
    Used.LATELY: pgettext_lazy("used", "in the last 30 days"),
    Used.BEFORE: pgettext_lazy("used", "longer ago"),
    Used.NEVER: pgettext_lazy("used", "in no packet yet"),
}
EXPIRY: Mapping[str, Promise] = {
    Expiry.SOON: pgettext_lazy("expiry", "within 30 days"),
    Expiry.OVER: pgettext_lazy("expiry", "its time is over"),
    Expiry.NONE: pgettext_lazy("expiry", "without an end"),
}
KNOWLEDGE = {status: MEMORY_KINDS[KnowledgeStatus][status] for status in reversed(KnowledgeStatus)}  # surest first
READERS: Mapping[str, Promise] = {
    Audience.PROJECT: pgettext_lazy("audience", "the whole project"),
    Audience.ROLE: pgettext_lazy("audience", "holders of one role"),
    Audience.PRIVATE: gettext_lazy("only you"),
}


def _choices(words: Mapping[Any, Promise]) -> list[tuple[str, Promise]]:
    return [ANY, *((str(member), text) for member, text in words.items())]


class MemoryFilterForm(ConsoleForm):
    """What the list of memories is narrowed to. Every field may be left out; what is no choice narrows nothing."""

    q = forms.CharField(
        label=gettext_lazy("Search for"),
        required=False,
        max_length=MOST_WORDS,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    status = forms.ChoiceField(
        label=gettext_lazy("Status"), required=False, choices=_choices(MEMORY_KINDS[MemoryStatus])
    )
    type = forms.ChoiceField(label=gettext_lazy("Type"), required=False, choices=_choices(MEMORY_KINDS[MemoryType]))
    scope = forms.ChoiceField(
        label=gettext_lazy("Where it holds"), required=False, choices=_choices(MEMORY_KINDS[ScopeType])
    )
    sensitivity = forms.ChoiceField(
        label=gettext_lazy("Sensitivity"), required=False, choices=_choices(MEMORY_KINDS[Sensitivity])
    )
    knowledge = forms.ChoiceField(label=gettext_lazy("Knowledge"), required=False, choices=_choices(KNOWLEDGE))
    used = forms.ChoiceField(label=gettext_lazy("Last in a packet"), required=False, choices=_choices(USED))
    expiry = forms.ChoiceField(label=gettext_lazy("Lapses"), required=False, choices=_choices(EXPIRY))
    audience = forms.ChoiceField(label=gettext_lazy("Who may read it"), required=False, choices=_choices(READERS))
    day = forms.DateField(
        label=gettext_lazy("As of the end of"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def clean_day(self) -> date | None:
        day: date | None = self.cleaned_data["day"]
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValidationError(gettext("No memory is of that day."))
        return day
