"""Forms on proposals: what a reviewer decides, what a proposer writes."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import yaml
from django import forms
from django.utils.translation import gettext, gettext_lazy

from governance.contract_texts import from_yaml
from governance.decisions import DecisionWish
from governance.errors import FieldFault, Refusal
from governance.fault_words import why_of
from governance.forms import ConsoleForm
from governance.pages import blame
from governance.policy_rules import WORDS
from governance.proposal_texts import LONGEST_TEXT, LONGEST_TITLE, TextWish, worded
from governance.proposal_words import reason_choices, risk_choices
from governance.refusal_words import told
from governance.schemas import MOST_BYTES, fields_of
from governance.vocabulary import ContractKind, DecisionReason, DecisionVerb, Proposable, Risk

OF_THE_BODY = {
    "not_yaml",
    "no_markdown",
    "unknown_key",
    "invalid_body",
    "body_too_large",
    "contract_too_long",
    "body_missing",
}
BODY_HELP = gettext_lazy("YAML, one entry for each field. What is left out is empty.")


def as_yaml(body: Mapping[str, Any], kind: Proposable | None = None) -> str:
    """Return what is worded of a body as the text of a form, its fields in the order of their kind.

    `from_yaml` reads the same back with what the body says beside: every version keeps that.
    """
    order = {name: at for at, name in enumerate(fields_of(kind))} if kind else {}
    body = dict(sorted((worded(kind, body) if kind else body).items(), key=lambda item: order.get(item[0], len(order))))
    return yaml.safe_dump(body, allow_unicode=True, sort_keys=False, width=1_000_000)


def words_for(kind: Proposable) -> Mapping[str, Sequence[StrEnum]]:
    """Return which words which fields of a body take, to be shown beside its form."""
    return WORDS if kind == ContractKind.POLICY else {}


def _body_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("The text, whole"),
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false", "wrap": "soft"}),
        max_length=MOST_BYTES,
        strip=False,
        help_text=BODY_HELP,
    )


class DecisionForm(ConsoleForm):
    """What a reviewer decides. `version` and `seen_hash` say on what."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    seen_hash = forms.CharField(widget=forms.HiddenInput, max_length=100)
    verb = forms.ChoiceField(choices=[(verb.value, verb.value) for verb in DecisionVerb], widget=forms.HiddenInput)
    text = forms.CharField(
        label=gettext_lazy("What you say to it"),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=LONGEST_TEXT,
        required=False,
        help_text=gettext_lazy("Whoever asks for changes says which. Everybody in the project may read it."),
    )
    reason_code = forms.ChoiceField(
        label=gettext_lazy("Reason of a rejection"), choices=[("", "—"), *reason_choices()], required=False
    )
    next = forms.BooleanField(label=gettext_lazy("Then go to the next one that waits for me"), required=False)

    def wish(self, kind: Proposable, body: Mapping[str, Any]) -> DecisionWish:
        """Return what was decided of a proposal with this body; raises Invalid when the text of an edited one is none
        of its kind.
        """
        sent = self.cleaned_data
        return DecisionWish(
            verb=DecisionVerb(sent["verb"]),
            expected_version=sent["version"],
            seen_hash=sent["seen_hash"],
            reason_code=DecisionReason(sent["reason_code"]) if sent.get("reason_code") else None,
            text=sent["text"],
            body=from_yaml(sent["body"], kind, beside=body) if "body" in sent else None,
        )


class EditAndApproveForm(DecisionForm):
    """A reviewer's own text, approved as it is written."""

    body = _body_field()
    field_order = ("version", "seen_hash", "verb", "body", "text", "next")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        del self.fields["reason_code"]


class ProposalForm(ConsoleForm):
    """A change of a contract, or the next version of one. `version` is what it was written on."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    title = forms.CharField(label=gettext_lazy("What changes, in a line"), max_length=LONGEST_TITLE)
    body = _body_field()
    rationale = forms.CharField(
        label=gettext_lazy("Why"), widget=forms.Textarea(attrs={"rows": 4}), max_length=LONGEST_TEXT, required=False
    )
    risk = forms.ChoiceField(
        label=gettext_lazy("Risk"),
        choices=risk_choices(),
        help_text=gettext_lazy("What the changed fields weigh is the least it can be; you may say that it is more."),
    )

    def wish(self, kind: Proposable, body: Mapping[str, Any] | None = None) -> TextWish:
        """Return what was written, of a proposal with this body or of a new one; raises Invalid when it is no text of
        its kind.
        """
        sent = self.cleaned_data
        written = from_yaml(sent["body"], kind, beside=body)
        return TextWish(body=written, title=sent["title"], rationale=sent["rationale"], risk=Risk(sent["risk"]))


class CommentForm(ConsoleForm):
    """Something to say about a proposal without deciding it."""

    text = forms.CharField(
        label=gettext_lazy("Comment"), widget=forms.Textarea(attrs={"rows": 3}), max_length=LONGEST_TEXT
    )


class RevertForm(ConsoleForm):
    """Why an older text is to hold again."""

    rationale = forms.CharField(
        label=gettext_lazy("Why"), widget=forms.Textarea(attrs={"rows": 3}), max_length=LONGEST_TEXT, required=False
    )


class WithdrawForm(ConsoleForm):
    """Why a proposal is taken back."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500, required=False)


def blame_text(form: forms.Form, refusal: Refusal, *, field: str = "body") -> None:
    """Put a refusal beside the contract's text where it is about that, each fault with the field that it names."""
    if field not in form.fields or refusal.code not in OF_THE_BODY:
        blame(form, refusal)
        return
    if refusal.code == "contract_too_long":
        form.add_error(field, gettext("It needs %(needed)s tokens and may have %(allowed)s.") % dict(refusal.extra))
        return
    for fault in refusal.faults:
        form.add_error(field, _of_fault(fault))


def _of_fault(fault: FieldFault) -> str:
    if fault.code == "unknown_key":
        return gettext("There is no field “%(name)s” here.") % {"name": fault.pointer.partition("#")[2]}
    if fault.code == "invalid_body":
        name = fault.pointer.removeprefix("/body").strip("/").replace("/", ".")
        return gettext("The field “%(name)s” does not fit: %(why)s") % {"name": name, "why": why_of(fault)}
    return str(told(fault.code, fault.message))
