"""Forms on a project itself."""

from django import forms
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm
from governance.names import LONGEST_NAME
from governance.projects import LARGEST_COUNT
from governance.vocabulary import Language

# Each language by its own name, as in the choice at the foot of every page.
LANGUAGES = [(Language.ZH_HANS.value, "简体中文"), (Language.EN.value, "English")]


class NewProjectForm(ConsoleForm):
    """A project that starts with contracts in one language."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the first contracts"),
        choices=LANGUAGES,
        help_text=gettext_lazy(
            "The project begins with a persona, a policy and the roles chief, dev, reviewer and tester. "
            "What agents and people write may be in any language."
        ),
    )


class SettingsForm(ConsoleForm):
    """What an owner sets for the whole project. `seen` marks what the form showed."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    max_input_tokens = forms.IntegerField(
        label=gettext_lazy("Most tokens of a packet"),
        required=False,
        min_value=1,
        max_value=LARGEST_COUNT,
        help_text=gettext_lazy(
            "No packet of this project holds more, whatever a request asks for. "
            "What is required and does not fit is refused, never cut. Empty: the profile alone decides."
        ),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
