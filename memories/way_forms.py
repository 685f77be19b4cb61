"""Forms about a memory that is there: moving it, saying it otherwise, and saying what one thinks of it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from governance.forms import ConsoleForm
from governance.ids import new_id
from governance.vocabulary import Sensitivity
from memories.forms import MOST_CHARACTERS, StatementForm
from memories.models import Memory
from memories.store_words import STORE_KINDS, Way
from memories.vocabulary import FeedbackKind, KnowledgeStatus, MemoryKind, MemoryType, Origin, WriteAction
from memories.wishes import MemoryWish

MOST_REASON, MOST_NOTE = 300, 1000
NEEDS_NO_REASON = (Way.ADMIT, Way.RECHECK)


class WayForm(ConsoleForm):
    """What is done about a memory, why, and which state of it was seen."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    status = forms.CharField(widget=forms.HiddenInput, max_length=20)
    inbox = forms.BooleanField(widget=forms.HiddenInput, required=False)  # whether the inbox's next matter comes then
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=MOST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("It stands in the ledger; of what is private only a fingerprint does."),
    )
    missing = forms.CharField(
        label=gettext_lazy("Which evidence would help"),
        required=False,
        max_length=MOST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Its proposer reads this."),
    )

    def __init__(self, *args: Any, way: Way, **options: Any) -> None:
        super().__init__(*args, **options)
        if way is not Way.REFUSE:
            del self.fields["missing"]
        if way in NEEDS_NO_REASON:
            self.fields["reason"].required = False

    def see(self, memory: Memory) -> None:
        """Let the form be about the memory as it stands now; what was typed stays."""
        seen = {"version": str(memory.version), "status": str(memory.status)}
        self.initial.update(seen)
        if self.is_bound:
            self.say_instead(**seen)


class DecideForm(WayForm):
    """What is decided about a memory that waits, on its own page: one reason for whichever button is pressed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, way=Way.REFUSE, **options)
        self.fields["reason"].required = False
        self.fields["reason"].help_text = gettext_lazy(
            "Only a refusal needs it. It stands in the ledger; of what is private only a fingerprint does."
        )


class EditForm(StatementForm):
    """Another text for a memory, for the version that was seen."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    content = forms.CharField(
        label=gettext_lazy("What should be remembered instead"),
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=MOST_REASON, required=False)

    def see(self, memory: Memory, *, text: str) -> None:
        """Let the form be about the memory as it stands now, under a fresh key; it begins with `text`, and what was
        typed stays.
        """
        seen = {"version": str(memory.version), "key": str(new_id())}
        self.initial.update(seen)
        if self.is_bound:
            self.say_instead(**seen)
        else:
            self.initial["content"] = text

    def wish(self, memory: Memory) -> MemoryWish:
        """Return the change that the form asks for; it has to be valid."""
        said = self.cleaned_data
        return MemoryWish(
            id=said["key"],
            content=said["content"],
            action=WriteAction.UPDATE,
            target_id=memory.pk,
            expected_version=said["version"],
            type=MemoryType(memory.type),
            kind=MemoryKind(memory.kind),
            importance=memory.importance,
            origin=Origin.USER_EXPLICIT,
            knowledge_status=KnowledgeStatus.CONFIRMED,  # a person's own statement is no inference
            sensitivity=Sensitivity(memory.sensitivity),
            retention_days=memory.retention_days,
            change_reason=said["reason"],
        )


class FeedbackForm(ConsoleForm):
    """What a person says of a memory, and of which packet that carried it, if of one."""

    packet = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    kind = forms.ChoiceField(label=gettext_lazy("What you say of it"), choices=list(STORE_KINDS[FeedbackKind].items()))
    note = forms.CharField(
        label=gettext_lazy("In your words"),
        required=False,
        max_length=MOST_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
