"""Forms on keys, and what each scope of a key is for."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, override

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from governance.agent_forms import PRESETS
from governance.forms import ConsoleForm
from governance.names import LONGEST_NAME
from governance.vocabulary import PRESET_SCOPES, KeyPreset, KeyScope

SCOPE_WORDS: Mapping[KeyScope, Promise] = {
    KeyScope.CONTEXT_COMPILE: gettext_lazy("Ask for context, and ask why something was in it or not."),
    KeyScope.SESSION_WRITE: gettext_lazy("Write threads, tasks, sessions, transcripts and artifacts."),
    KeyScope.EVENT_ATTEST: gettext_lazy(
        "Vouch that a human said something. Such words count as a user’s own, so give it to harnesses only."
    ),
    KeyScope.MEMORY_READ: gettext_lazy("Search and read memories."),
    KeyScope.MEMORY_PROPOSE: gettext_lazy("Propose memories. None is learnt before a human admits it."),
    KeyScope.EVIDENCE_READ: gettext_lazy("Read the sources behind memories and packets."),
    KeyScope.PROPOSAL_CREATE: gettext_lazy("Propose changes of personas, roles and policies."),
    KeyScope.CAPSULE_ISSUE: gettext_lazy("Hand a chosen part of the context to agents outside this project."),
}
CHOSEN = "chosen"
NEVER = "never"
DAYS = [
    ("30", gettext_lazy("30 days")),
    ("90", gettext_lazy("90 days")),
    ("365", gettext_lazy("365 days")),
    (NEVER, gettext_lazy("Never")),
]


class KeyForm(ConsoleForm):
    """A new key of an agent. `seen` marks the keys that the form was drawn beside."""

    name = forms.CharField(
        label=gettext_lazy("What it is for"),
        max_length=LONGEST_NAME,
        required=False,
        help_text=gettext_lazy("For example the machine or the program that will hold it."),
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("What it opens"),
        choices=[*PRESETS, (CHOSEN, gettext_lazy("Only what is ticked below"))],
        initial=KeyPreset.HARNESS.value,
        widget=forms.RadioSelect,
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Scopes"),
        choices=[(scope.value, words) for scope, words in SCOPE_WORDS.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    expires = forms.ChoiceField(
        label=gettext_lazy("Ends after"),
        choices=DAYS,
        initial="90",
        help_text=gettext_lazy(
            "A key without an end opens the project until somebody revokes it, lost copies included."
        ),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    @override
    def clean(self) -> dict[str, Any]:
        """Refuse ticks that would be passed over."""
        cleaned = super().clean() or {}
        if cleaned.get("scopes") and cleaned.get("preset", CHOSEN) != CHOSEN:
            self.add_error(
                "preset", gettext("Scopes are ticked below: choose “Only what is ticked below”, or untick them.")
            )
        return cleaned

    @property
    def wanted(self) -> frozenset[str]:
        """The scopes that were asked for."""
        preset = self.cleaned_data["preset"]
        return frozenset(self.cleaned_data["scopes"] if preset == CHOSEN else PRESET_SCOPES[KeyPreset(preset)])

    @property
    def lifetime(self) -> timedelta | None:
        """How long the key lives; None for one without an end."""
        days = self.cleaned_data["expires"]
        return None if days == NEVER else timedelta(days=int(days))


class RotateForm(ConsoleForm):
    """How long the old key goes on beside the new one."""

    overlap = forms.ChoiceField(
        label=gettext_lazy("The old key goes on for"),
        choices=[
            ("0", gettext_lazy("It ends at once")),
            ("1", gettext_lazy("1 hour")),
            ("24", gettext_lazy("1 day")),
            ("168", gettext_lazy("7 days")),
        ],
        initial="24",
        help_text=gettext_lazy("Time to put the new key where the old one is. After a leak, end it at once."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    @property
    def hours(self) -> timedelta:
        """The overlap."""
        return timedelta(hours=int(self.cleaned_data["overlap"]))


class RevokeForm(ConsoleForm):
    """Why a key ends."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        help_text=gettext_lazy("It stays in the ledger for every member to read: write no secret into it."),
    )
