"""The form by which a human proposes a memory."""

import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from governance.forms import ConsoleForm
from governance.ids import new_id, parse_id
from governance.vocabulary import Audience, Sensitivity
from memories.memory_words import MEMORY_KINDS
from memories.vocabulary import KnowledgeStatus, MemoryKind, MemoryType, Origin, ScopeType
from memories.writes import EvidenceWish, MemoryWish
from threads.models import Thread
from threads.titles import one_line

LEAST_REFS, MOST_REFS = 2, 20
MOST_CHARACTERS, MOST_QUOTE = 20_000, 4_000
SHOWN = 90  # graphemes of a thread's title in the list


class StatementForm(ConsoleForm):
    """A text to remember, under a key by which a second sending is the same one."""

    key = forms.UUIDField(widget=forms.HiddenInput)

    def clean_key(self) -> uuid.UUID:
        key: uuid.UUID = self.cleaned_data["key"]
        if key.version != 7:
            raise ValidationError(gettext("Open the form anew and send it from there."))
        return key

    def clean_content(self) -> str:
        text: str = self.cleaned_data["content"].replace("\r\n", "\n").strip()
        if not text:
            raise ValidationError(gettext("Say something; spaces alone say nothing."))
        return text


class MemoryForm(StatementForm):
    """A memory to propose, with up to MOST_REFS refs that bear it out."""

    content = forms.CharField(
        label=gettext_lazy("What should be remembered"),
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy("One statement that is understood without the conversation it came from."),
    )
    type = forms.ChoiceField(label=gettext_lazy("Type"), choices=list(MEMORY_KINDS[MemoryType].items()))
    kind = forms.ChoiceField(label=gettext_lazy("Kind"), choices=list(MEMORY_KINDS[MemoryKind].items()))
    thread = forms.ChoiceField(label=gettext_lazy("Where it holds"), required=False)
    sensitivity = forms.ChoiceField(label=gettext_lazy("Sensitivity"), choices=list(MEMORY_KINDS[Sensitivity].items()))
    private = forms.BooleanField(label=gettext_lazy("Only I may see it"), required=False)
    confidence = forms.FloatField(
        label=gettext_lazy("How sure you are, from 0 to 1"), required=False, min_value=0, max_value=1
    )

    def __init__(self, *args: Any, threads: Sequence[Thread], refs: Sequence[str] = (), **options: Any) -> None:
        cited = {f"ref_{n}": ref for n, ref in enumerate(refs[:MOST_REFS])}
        shipped = {"key": new_id(), "type": MemoryType.SEMANTIC, "sensitivity": Sensitivity.WORK}
        options["initial"] = shipped | cited | options.get("initial", {})
        super().__init__(*args, **options)
        self.threads = {thread.public_id: thread for thread in threads}
        field = self.fields["thread"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above; tells the type checker
        whole = [("", gettext("In the whole project"))]
        field.choices = whole + [(name, one_line(thread.title, most=SHOWN)) for name, thread in self.threads.items()]
        self._cite(max(LEAST_REFS, min(len(cited) + 1, MOST_REFS), self._sent()))

    @property
    def evidence(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The fields of each ref and of the words in it, in pairs."""
        return [(self[f"ref_{n}"], self[f"quote_{n}"]) for n in range(self.cited)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        thread = self.threads.get(cleaned.get("thread", ""))
        if thread is not None and thread.audience == Audience.PRIVATE and not cleaned.get("private"):
            self.add_error("private", gettext("This thread is yours alone, so tick this, or choose the whole project."))
        for n in range(self.cited):
            if cleaned.get(f"quote_{n}") and not cleaned.get(f"ref_{n}"):
                self.add_error(f"ref_{n}", gettext("Say where these words stand, or leave them out."))
        return cleaned

    def wish(self) -> MemoryWish:
        """Return what the form asks for; it has to be valid."""
        said = self.cleaned_data
        thread = said["thread"]
        return MemoryWish(
            id=said["key"],
            content=said["content"],
            type=MemoryType(said["type"]),
            kind=MemoryKind(said["kind"]),
            scope_type=ScopeType.THREAD if thread else ScopeType.PROJECT,
            scope_id=parse_id("thr", thread, pointer="/thread") if thread else None,
            confidence=said["confidence"],
            origin=Origin.USER_EXPLICIT,
            knowledge_status=KnowledgeStatus.CONFIRMED,  # a person's own statement is no inference
            sensitivity=Sensitivity(said["sensitivity"]),
            private=said["private"],
            evidence=[EvidenceWish(ref=said[f"ref_{n}"], quote=said[f"quote_{n}"]) for n in self.filled()],
        )

    def filled(self) -> list[int]:
        """Return the numbers of the pairs that name a ref, in order."""
        return [n for n in range(self.cited) if self.cleaned_data[f"ref_{n}"]]

    def renew(self) -> None:
        """Give the form a fresh key, so that what it holds now can be stored beside what was sent before."""
        self.say_instead(key=str(new_id()))

    def _sent(self) -> int:
        return max((n + 1 for n in range(MOST_REFS) if f"ref_{n}" in self.data), default=0)

    def _cite(self, number: int) -> None:
        self.cited = number
        for n in range(number):
            told = {"number": n + 1}
            ref = forms.CharField(label=gettext("Ref %(number)s") % told, required=False, max_length=300)
            quote = forms.CharField(
                label=gettext("The words in it, %(number)s") % told,
                required=False,
                max_length=MOST_QUOTE,
                widget=forms.Textarea(attrs={"rows": 2}),
            )
            for name, field in ((f"ref_{n}", ref), (f"quote_{n}", quote)):
                field.widget.attrs["class"] = "form-control"
                self.fields[name] = field
