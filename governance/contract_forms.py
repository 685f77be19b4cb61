"""Forms that begin a contract: what it is to be, and the file or text that it is taken from."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from governance.contract_imports import FileForm, slug_in
from governance.errors import Invalid
from governance.forms import ConsoleForm
from governance.proposal_forms import blame_text
from governance.proposal_words import CONTRACT_KINDS
from governance.schemas import MOST_BYTES, SCHEMAS, checked_slug
from governance.vocabulary import ContractKind

FORMS = [
    ("", gettext_lazy("as it looks")),
    (FileForm.MARKDOWN, gettext_lazy("Markdown (AGENTS.md, CLAUDE.md)")),
    (FileForm.YAML, "YAML"),
]
# What a field that has to be written begins with; the others have a default of their own.
BLANKS: dict[str, Any] = {"name": "", "duties": [], "encoding": "o200k_base", "method": "exact"}


class ContractForm(ConsoleForm):
    """A contract that is to be, or to change: written from nothing, or taken from a file or a pasted text."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind"), choices=list(CONTRACT_KINDS[ContractKind].items()))
    slug = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=64,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "a–z, 0–9, _ and -, a letter first. Left empty: the name that an exported file carries, else default."
        ),
    )
    upload = forms.FileField(
        label=gettext_lazy("File"), required=False, help_text=gettext_lazy("AGENTS.md, CLAUDE.md or YAML, up to 64 KB.")
    )
    text = forms.CharField(
        label=gettext_lazy("Or its text"),
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        max_length=MOST_BYTES,
        required=False,
        strip=False,
    )
    form = forms.ChoiceField(label=gettext_lazy("Written as"), choices=FORMS, required=False)

    def clean_upload(self) -> str:
        """Return the file's text."""
        sent = self.cleaned_data["upload"]
        if not isinstance(sent, UploadedFile):
            return ""
        if (sent.size or 0) > MOST_BYTES:
            raise forms.ValidationError(gettext("This is too large: what is proposed may hold 64 KB."))
        try:
            text: str = sent.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(gettext("This file is no text in UTF-8.")) from error
        return text

    def clean(self) -> dict[str, Any]:
        """Settle the name, and which of the two texts counts."""
        sent = super().clean() or {}
        sent["source"] = sent.get("upload") or sent.get("text", "")
        if "kind" in sent:
            kind = ContractKind(sent["kind"])
            sent["slug"] = sent.get("slug") or slug_in(sent["source"], kind) or "default"
            try:
                checked_slug(kind, sent["slug"])
            except Invalid as refusal:
                blame_text(self, refusal)
        return sent


def blank_body(kind: ContractKind, slug: str) -> dict[str, Any]:
    """Return the fields of a contract that says nothing yet, in their order."""
    body: dict[str, Any] = {}
    for name, field in SCHEMAS[kind].model_fields.items():
        if field.is_required():
            body[name] = slug if name in ("slug", "self_id") else BLANKS.get(name, {})
        else:
            default = field.get_default(call_default_factory=True)
            body[name] = default.model_dump(mode="json") if hasattr(default, "model_dump") else default
    return body
