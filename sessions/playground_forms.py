"""The form of the playground: what is asked for, and what is to be otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy

from governance.contract_texts import from_yaml
from governance.errors import Invalid
from governance.forms import ConsoleForm
from governance.ids import parse_id
from governance.input import LARGEST_COUNT
from governance.proposal_forms import blame_text
from governance.schemas import MOST_BYTES, checked_body
from governance.vocabulary import ContractKind, Phase, Risk
from sessions.asking import ContextAsk
from sessions.context.material import InputFact
from sessions.context.vocabulary import Dialect, Layer
from sessions.packet_words import KINDS
from sessions.playground import WhatIf
from threads.titles import one_line

ALL_PHASES = "all"
MOST_INPUT = 500_000  # characters: never more bytes than a text field may hold
SHOWN = 60  # graphemes of a title in a list of choices


@dataclass(frozen=True, slots=True)
class Offered:
    """What the form may choose from: threads as (id, title), roles and budget profiles by name."""

    threads: Sequence[tuple[str, str]]
    roles: Sequence[str]
    profiles: Sequence[str]


class PlaygroundForm(ConsoleForm):
    """One dry run. `caps` are per cent of the input cap, one field for each layer; left empty, the profile's hold."""

    raw_text = forms.CharField(
        label=gettext_lazy("What the user says"),
        max_length=MOST_INPUT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"))
    thread = forms.ChoiceField(
        label=gettext_lazy("Thread"),
        required=False,
        help_text=gettext_lazy("Left open, it is found by the words, as for an agent."),
    )
    phase = forms.ChoiceField(label=gettext_lazy("Phase"), required=False)
    risk = forms.ChoiceField(label=gettext_lazy("Risk"), required=False)
    profile = forms.ChoiceField(label=gettext_lazy("Budget profile"), required=False)
    dialect = forms.ChoiceField(
        label=gettext_lazy("Shape of the prompt"), choices=[(one.value, KINDS[Dialect][one]) for one in Dialect]
    )
    max_input_tokens = forms.IntegerField(
        label=gettext_lazy("Most input tokens"),
        required=False,
        min_value=1,
        max_value=LARGEST_COUNT,
        help_text=gettext_lazy("It can lower the cap and never raise it."),
    )
    text_of = forms.ChoiceField(
        label=gettext_lazy("Another text of"),
        required=False,
        choices=[
            ("", gettext_lazy("nothing")),
            (ContractKind.ROLE.value, gettext_lazy("the role contract")),
            (ContractKind.POLICY.value, gettext_lazy("the policy")),
        ],
    )
    body = forms.CharField(
        label=gettext_lazy("That text, whole"),
        required=False,
        strip=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text=gettext_lazy("YAML, one entry for each field."),
    )

    def __init__(self, *args: Any, offered: Offered, **options: Any) -> None:
        super().__init__(*args, **options)
        by_words = ("", gettext_lazy("found by the words"))
        self._offer("thread", [by_words, *((pk, one_line(title, most=SHOWN)) for pk, title in offered.threads)])
        self._offer("role", [(role, role) for role in offered.roles])
        self._offer("profile", [("", gettext_lazy("the project’s")), *((name, name) for name in offered.profiles)])
        asked = ("", gettext_lazy("as the task says"))
        phases = [(one.value, KINDS[Phase][one]) for one in Phase]
        self._offer("phase", [asked, *phases, (ALL_PHASES, gettext_lazy("all three, side by side"))])
        self._offer("risk", [asked, *((one.value, KINDS[Risk][one]) for one in Risk)])
        for layer in Layer:
            self.fields[cap_field(layer)] = _cap(layer)

    @property
    def caps(self) -> list[forms.BoundField]:
        """The fields of the layers' caps."""
        return [self[cap_field(layer)] for layer in Layer]

    @property
    def has_caps(self) -> bool:
        """Whether one of them was sent or is at fault."""
        return any(field.value() not in (None, "") for field in self.caps)

    @property
    def phases(self) -> list[Phase | None]:
        """The phases to compile in; None is the task's own."""
        said = self.cleaned_data["phase"]
        return list(Phase) if said == ALL_PHASES else [Phase(said) if said else None]

    def clean(self) -> dict[str, Any]:
        """Read the text that is to hold instead, and say beside it what is wrong with it."""
        said = super().clean() or self.cleaned_data
        if said.get("text_of") and said.get("body", "").strip():
            kind = ContractKind(said["text_of"])
            try:
                said["text"] = checked_body(kind, from_yaml(said["body"], kind))
            except Invalid as refusal:
                blame_text(self, refusal)
        return said

    def ask(self) -> ContextAsk:
        """Return what is asked for."""
        said = self.cleaned_data
        return ContextAsk(
            user_input=InputFact(raw_text=said["raw_text"].replace("\r\n", "\n")),
            thread_id=parse_id("thr", said["thread"], pointer="/thread") if said["thread"] else None,
            role=said["role"],
            risk=Risk(said["risk"]) if said["risk"] else None,
            profile=said["profile"] or None,
            max_input_tokens=said["max_input_tokens"],
            dialect=Dialect(said["dialect"]),
        )

    def what_if(self) -> WhatIf:
        """Return what is to be otherwise."""
        said = self.cleaned_data
        caps = {layer: float(cap) for layer in Layer if (cap := said[cap_field(layer)]) is not None}
        kind = ContractKind(said["text_of"]) if said["text_of"] else None
        return WhatIf(kind=kind, body=said.get("text"), caps=caps)

    def _offer(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = list(choices)


def cap_field(layer: Layer) -> str:
    """Return the name of the field of a layer's cap."""
    return f"cap_{layer.value}"


def _cap(layer: Layer) -> forms.DecimalField:
    widget = forms.NumberInput(attrs={"class": "form-control", "step": "0.01"})
    options: Mapping[str, Any] = {"min_value": 0, "max_value": 100, "decimal_places": 2, "required": False}
    return forms.DecimalField(label=str(KINDS[Layer][layer]), widget=widget, **options)
