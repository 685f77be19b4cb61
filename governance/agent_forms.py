"""Forms on agents."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm
from governance.names import LONGEST_NAME
from governance.vocabulary import KeyPreset

PRESETS = [
    (
        KeyPreset.HARNESS.value,
        gettext_lazy("For a harness such as Claude Code: it also vouches for what its user typed"),
    ),
    (KeyPreset.AGENT.value, gettext_lazy("For an agent’s own program: it speaks for itself alone")),
]
NO_KEY = ""
USUAL_ROLE = "dev"  # what most agents are connected for; the project's own roles are in alphabetical order


class AgentForm(ConsoleForm):
    """An agent's name and its roles. `seen` marks what the form showed."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        help_text=gettext_lazy("As it shows in threads and in the ledger. Once in a project."),
    )
    first_role = forms.ChoiceField(
        label=gettext_lazy("Acts as"),
        help_text=gettext_lazy("The role that it takes when a request names none."),
    )
    other_roles = forms.MultipleChoiceField(
        label=gettext_lazy("May also act as"), required=False, widget=forms.CheckboxSelectMultiple
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, roles: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("first_role", "other_roles"):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = [(role, role) for role in roles]
        if USUAL_ROLE in roles:
            self.fields["first_role"].initial = USUAL_ROLE

    @property
    def held(self) -> list[str]:
        """The chosen roles, the default one first."""
        return list(dict.fromkeys([self.cleaned_data["first_role"], *self.cleaned_data["other_roles"]]))


class NewAgentForm(AgentForm):
    """A new agent, with or without its first key."""

    key = forms.ChoiceField(
        label=gettext_lazy("Its key"),
        choices=[*PRESETS, (NO_KEY, gettext_lazy("No key yet"))],
        initial=KeyPreset.HARNESS.value,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("The key lasts 90 days and is shown once, on the next page."),
    )
