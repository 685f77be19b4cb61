"""Forms of the console: plain Django forms whose controls carry the house style."""

from datetime import date, datetime, time
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils import timezone


class ConsoleForm(forms.Form):
    """A form for templates/console/field.html: every control has its class, labels end without a colon."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", _class_of(field.widget))

    def say_instead(self, **said: str) -> None:
        """Let a form that was sent hold these values; everything else that was typed stays."""
        self.data = {**{name: self.data.get(name) for name in self.data}, **said}


def _class_of(widget: forms.Widget) -> str:
    match widget:
        case forms.CheckboxInput() | forms.CheckboxSelectMultiple() | forms.RadioSelect():
            return "form-check-input"
        case forms.Select() | forms.SelectMultiple():
            return "form-select"
        case _:
            return "form-control"


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what was sent with the form, or None when the page is only looked at."""
    return request.POST if request.method == "POST" else None


def status_of(form: forms.Form) -> int:
    """Return the status of a page that shows this form: 422 when something in it has to be put right."""
    return 422 if form.errors else 200


def midnight(day: date) -> datetime:
    """Return when a day begins, in the zone of whoever looks at the page."""
    return timezone.make_aware(datetime.combine(day, time()))
