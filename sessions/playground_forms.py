"""The form of the playground: what is asked for, and what is to be otherwise."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

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
from sessions.playground import OtherText, WhatIf
from threads.titles import one_line

ALL_PHASES = "all"
MOST_INPUT = 500_000  # characters: never more bytes than a text field may hold
SHOWN = 60  # graphemes of a title in a list of choices


OLDER: Mapping[ContractKind, Promise] = {
    ContractKind.ROLE: gettext_lazy("Revision of the role contract"),
    ContractKind.POLICY: gettext_lazy("Revision of the policy"),
    ContractKind.BUDGET_PROFILE: gettext_lazy("Revision of the budget profile"),
}

type Choice = tuple[str, str]  # an id, and what it is called


@dataclass(frozen=True, slots=True)
class Offered:
    """What the form may choose from: roles and budget profiles by name, the rest by id.

    `tasks` are None where no thread is chosen. `older` are revisions that held once; a contract that none was ever
    approved of is not in it.
    """

    threads: Sequence[Choice]
    roles: Sequence[str]
    profiles: Sequence[str]
    tasks: Sequence[Choice] | None = None
    older: Mapping[ContractKind, Sequence[Choice]] = field(default_factory=dict)


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
    task = forms.ChoiceField(label=gettext_lazy("Task"), required=False)
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
        self._offer("thread", [by_words, *_short(offered.threads)])
        self._offer("role", [(role, role) for role in offered.roles])
        if not offered.roles:
            self.fields["role"].help_text = gettext_lazy("No role contract holds yet: one has to be approved first.")
        self._offer("profile", [("", gettext_lazy("the project’s")), *((name, name) for name in offered.profiles)])
        asked = ("", gettext_lazy("as the task says"))
        phases = [(one.value, KINDS[Phase][one]) for one in Phase]
        self._offer("phase", [asked, *phases, (ALL_PHASES, gettext_lazy("all three, side by side"))])
        self._offer("risk", [asked, *((one.value, KINDS[Risk][one]) for one in Risk)])
        self._offer_task(offered.tasks)
        for kind in OLDER:
            self.fields[older_field(kind)] = _older(kind, offered.older.get(kind))
        for layer in Layer:
            self.fields[cap_field(layer)] = _cap(layer)

    @property
    def revisions(self) -> list[forms.BoundField]:
        """The fields of older revisions."""
        return [self[older_field(kind)] for kind in OLDER]

    @property
    def caps(self) -> list[forms.BoundField]:
        """The fields of the layers' caps."""
        return [self[cap_field(layer)] for layer in Layer]

    @property
    def has_caps(self) -> bool:
        """Whether one of them, or the cap of the whole, was sent or is at fault."""
        return any(field.value() not in (None, "") for field in (self["max_input_tokens"], *self.caps))

    @property
    def has_unused_text(self) -> bool:
        """Whether a text was sent and not what it is of, so that it was not tried."""
        return bool(self["body"].value() and not self["text_of"].value())

    @property
    def phases(self) -> list[Phase | None]:
        """The phases to compile in; None is the task's own."""
        said = self.cleaned_data["phase"]
        return list(Phase) if said == ALL_PHASES else [Phase(said) if said else None]

    def clean(self) -> dict[str, Any]:
        """Read the text that is to hold instead, and say beside it what is wrong with it."""
        said = super().clean() or self.cleaned_data
        if said.get("text_of") and "body" in said:
            self._read_text(ContractKind(said["text_of"]), said["body"])
        return said

    def _read_text(self, kind: ContractKind, written: str) -> None:
        if self.cleaned_data.get(older_field(kind)):
            self.add_error(older_field(kind), gettext("Another text of it is given below; choose one of the two."))
        if not written.strip():
            self.add_error("body", gettext("Write the text that is to hold, or bring the one that holds."))
            return
        try:
            self.cleaned_data["text"] = checked_body(kind, from_yaml(written, kind))
        except Invalid as refusal:
            blame_text(self, refusal)

    def ask(self) -> ContextAsk:
        """Return what is asked for."""
        said = self.cleaned_data
        return ContextAsk(
            user_input=InputFact(raw_text=said["raw_text"].replace("\r\n", "\n")),
            thread_id=parse_id("thr", said["thread"], pointer="/thread") if said["thread"] else None,
            task_id=parse_id("tsk", said["task"], pointer="/task_id") if said["task"] else None,
            role=said["role"],
            risk=Risk(said["risk"]) if said["risk"] else None,
            profile=said["profile"] or None,
            max_input_tokens=said["max_input_tokens"],
            dialect=Dialect(said["dialect"]),
        )

    def older(self) -> dict[ContractKind, uuid.UUID]:
        """Return which older revisions are to hold, by kind."""
        sent = {kind: self.cleaned_data[older_field(kind)] for kind in OLDER}
        return {kind: parse_id("rev", text, pointer=f"/{kind}") for kind, text in sent.items() if text}

    def what_if(self, older: Mapping[ContractKind, OtherText]) -> WhatIf:
        """Return what is to be otherwise, with the texts of the `older` revisions."""
        said = self.cleaned_data
        caps = {layer: float(cap) for layer in Layer if (cap := said[cap_field(layer)]) is not None}
        written = {ContractKind(said["text_of"]): OtherText(said["text"])} if "text" in said else {}
        return WhatIf(texts={**older, **written}, caps=caps)

    def _offer_task(self, tasks: Sequence[Choice] | None) -> None:
        self._offer("task", [("", gettext_lazy("as for an agent")), *_short(tasks or ())])
        task = self.fields["task"]
        if tasks is None:
            task.help_text = gettext_lazy("A task belongs to a thread: choose one first.")
        elif not tasks:
            task.help_text = gettext_lazy("This thread has no open task.")
        task.error_messages["invalid_choice"] = gettext_lazy("This is no open task of that thread; choose another one.")

    def _offer(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = list(choices)


def cap_field(layer: Layer) -> str:
    """Return the name of the field of a layer's cap."""
    return f"cap_{layer.value}"


def older_field(kind: ContractKind) -> str:
    """Return the name of the field of a contract's older revision."""
    return f"{kind.value}_revision"


def _short(choices: Sequence[Choice]) -> list[Choice]:
    return [(pk, one_line(title, most=SHOWN)) for pk, title in choices]


def _older(kind: ContractKind, revisions: Sequence[Choice] | None) -> forms.ChoiceField:
    """Return the field of a contract's older revisions, which says why there is none; None: it never had any."""
    why = gettext_lazy("No revision of it was ever approved.") if revisions is None else ""
    if revisions is not None and not revisions:
        why = gettext_lazy("It has no older revision than the one in force.")
    choices = [("", gettext_lazy("the one in force")), *(revisions or ())]
    made = forms.ChoiceField(
        label=str(OLDER[kind]),
        choices=choices,
        required=False,
        help_text=why,
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    made.error_messages["invalid_choice"] = gettext_lazy("This is no older revision of that contract; choose another.")
    return made


def _cap(layer: Layer) -> forms.DecimalField:
    widget = forms.NumberInput(attrs={"class": "form-control", "step": "0.01"})
    options: Mapping[str, Any] = {"min_value": 0, "max_value": 100, "decimal_places": 2, "required": False}
    return forms.DecimalField(label=str(KINDS[Layer][layer]), widget=widget, **options)
