"""Forms on the people of a project."""

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm
from governance.vocabulary import MembershipLevel

# What each level may do, as a form of choices says it.
LEVEL_WORDS: list[tuple[str, Promise]] = [
    (MembershipLevel.VIEWER.value, gettext_lazy("viewer: reads")),
    (MembershipLevel.MAINTAINER.value, gettext_lazy("maintainer: reads, and writes into threads, visions and tasks")),
    (MembershipLevel.OWNER.value, gettext_lazy("owner: all of it, and members, agents, keys and settings")),
]


class InviteForm(ConsoleForm):
    """Somebody to let in, by the name of their account."""

    username = forms.CharField(
        label=gettext_lazy("Account name"),
        max_length=150,
        help_text=gettext_lazy(
            "An account that is there already is let in as it is. Any other is made now, with a password for one use."
        ),
    )
    level = forms.ChoiceField(
        label=gettext_lazy("Level"),
        choices=LEVEL_WORDS,
        initial=MembershipLevel.MAINTAINER.value,
        widget=forms.RadioSelect,
    )


class LevelForm(ConsoleForm):
    """Another level for a member. `seen` marks the one that the form showed."""

    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVEL_WORDS, widget=forms.RadioSelect)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
