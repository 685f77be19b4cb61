"""The form by which a human agrees that a private memory is shared, and the one that says no."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from governance.forms import ConsoleForm
from governance.proposal_texts import LONGEST_TEXT, LONGEST_TITLE
from memories.offers import ConsentWish, Offering
from threads.titles import one_line

SHOWN = 60  # graphemes of the text that the title begins with


class ConsentForm(ConsoleForm):
    """Consent to one text, which `seen` names."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=100)
    title = forms.CharField(
        label=gettext_lazy("What it is about, in a line"),
        max_length=LONGEST_TITLE,
        help_text=gettext_lazy("It stands in the inbox of the project, beside your name."),
    )
    rationale = forms.CharField(
        label=gettext_lazy("Why the project should know it"),
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Everybody in the project may read it."),
    )
    named = forms.BooleanField(
        label=gettext_lazy("The shared memory may say whose private memory it was"), required=False
    )
    agrees = forms.BooleanField(
        label=gettext_lazy("I agree that everybody in this project may read the text above, as it stands there"),
        required=False,
    )

    def clean_agrees(self) -> bool:
        """Return consent; without the tick nothing is shared."""
        if not self.cleaned_data["agrees"]:
            raise ValidationError(gettext("Tick this if you agree. Without it nothing is shared."))
        return True

    def see(self, offering: Offering) -> None:
        """Let the form be about the text as it stands now; what was typed stays, and consent is asked anew."""
        self.initial.update({"seen": offering.seen, "title": one_line(offering.content, most=SHOWN)})
        if self.is_bound and self.data.get("seen") != offering.seen:
            self.say_instead(seen=offering.seen, agrees="")

    def wish(self) -> ConsentWish:
        """Return what was agreed to; the form has to be valid."""
        return ConsentWish(**self.cleaned_data)
