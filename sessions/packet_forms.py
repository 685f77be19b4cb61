"""The form that asks which packets are compared."""

import uuid
from collections.abc import Container, Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from governance.errors import Invalid
from governance.forms import ConsoleForm, status_of
from governance.ids import parse_id

# One sentence, whether the text is no id or the packet is another's: it tells nobody what there is.
NOT_HERE = gettext_lazy("No such packet can be read here. Give another id, or choose in the list of packets.")
MISSED = "not_here"


class ComparisonForm(ConsoleForm):
    """Two packets or three, by their ids, from the older one on."""

    a = forms.CharField(label=gettext_lazy("First packet"))
    b = forms.CharField(label=gettext_lazy("Second packet"))
    c = forms.CharField(label=gettext_lazy("Third packet"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs.update(maxlength=64, autocomplete="off", spellcheck="false")

    @classmethod
    def asked(cls, said: QueryDict) -> "ComparisonForm":
        """Return the form as an address fills it in: field by field, or as chosen in the list with `of`."""
        # The list stands newest first, and what changed is told from the older one on.
        picked = dict(zip(cls.base_fields, reversed(said.getlist("of")[: len(cls.base_fields)]), strict=False))
        named = {name: said.get(name, picked.get(name, "")).replace("\0", "").strip() for name in cls.base_fields}
        form = cls(named if any(named.values()) else None)
        form.full_clean()
        return form

    def clean(self) -> dict[str, Any]:
        for name, text in list(self.cleaned_data.items()):
            try:
                self.cleaned_data[name] = parse_id("pkt", text, pointer=f"?{name}") if text else None
            except Invalid:
                self.add_error(name, forms.ValidationError(str(NOT_HERE), code=MISSED))
        return self.cleaned_data

    def packets(self) -> Mapping[str, uuid.UUID]:
        """Return the packets that are named, by field."""
        return {name: found for name, found in self.cleaned_data.items() if found} if self.is_bound else {}

    @property
    def status(self) -> int:
        """The status of a page that shows the form."""
        return 404 if any(self.has_error(name, MISSED) for name in self.fields) else status_of(self)

    def miss(self, readable: Container[uuid.UUID]) -> None:
        """Put beside its field each packet that is not among the readable ones."""
        for name, packet in list(self.packets().items()):
            if packet not in readable:
                self.add_error(name, forms.ValidationError(str(NOT_HERE), code=MISSED))
