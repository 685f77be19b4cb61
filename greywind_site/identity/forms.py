"""Forms around showing who one is."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm
from greywind_site.identity.factors import LONGEST_NAME

WRONG_CODE = gettext_lazy("This code does not fit, or was used already. Wait for the next one, then type that.")
WRONG_PASSKEY = gettext_lazy("This passkey did not open the account. Try again, or use another way.")
WRONG_PASSWORD = gettext_lazy("This is not the password of the account. Capital letters count.")


class CodeForm(ConsoleForm):
    """A code of the authenticator app, or one of the recovery codes."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}),
        help_text=gettext_lazy("Six digits from your authenticator app, or one of your recovery codes of eight."),
    )

    def __init__(self, *args: Any, autofocus: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["code"].widget.attrs["autofocus"] = autofocus


class AppForm(ConsoleForm):
    """The first code of an app that is being added."""

    code = forms.CharField(
        label=gettext_lazy("Code that the app shows"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}),
    )


class PasskeyForm(ConsoleForm):
    """A name for a passkey; the browser fills in the rest."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        help_text=gettext_lazy("By which you will know it again, for example the device that it is on."),
    )
    credential = forms.CharField(widget=forms.HiddenInput, required=False)


class ConfirmForm(ConsoleForm):
    """The password, once more."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=4096,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
