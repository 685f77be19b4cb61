"""The form by which a matter of the inbox is put off."""

from datetime import date, datetime

from django import forms
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm, midnight


class SnoozeForm(ConsoleForm):
    """Until when a matter is put off. A day begins at midnight of the reader's zone."""

    until = forms.DateField(
        label=gettext_lazy("Until the day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    on_evidence = forms.BooleanField(label=gettext_lazy("Or until there is new evidence"), required=False)

    def moment(self) -> datetime | None:
        """Return when the chosen day begins."""
        day: date | None = self.cleaned_data["until"]
        return midnight(day) if day else None
