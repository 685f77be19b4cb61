"""Forms of the console: plain Django forms whose controls carry the house style."""

from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict


class ConsoleForm(forms.Form):
    """A form for templates/console/field.html: every control has its class, labels end without a colon."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs.setdefault("class", _class_of(field.widget))


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
