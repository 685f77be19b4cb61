"""Forms on threads and their intent, and the fields that they share with those on tasks."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from governance.errors import Refusal
from governance.forms import ConsoleForm
from governance.proposal_texts import LONGEST_TEXT
from threads.lifecycle import ThreadWish
from threads.models import Thread, Vision
from threads.thread_words import choices_of
from threads.visions import VisionWish, wish_of
from threads.vocabulary import ThreadState, ThreadType

LONGEST_TAG, MOST_TAGS = 64, 100
MOST_LINES = 200


class TextField(forms.CharField):
    """A text as it was written. Browsers end lines with two characters; one is stored."""

    def __init__(self, *, rows: int = 4, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": rows}))
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n")
        return text if text.strip() else ""

    def validate(self, value: str) -> None:
        super().validate(value)
        most = settings.GREYWIND.max_text_bytes
        if len(value.encode()) > most:
            raise ValidationError(gettext("This text is too long: at most %(most)s bytes.") % {"most": f"{most:,}"})


class LinesField(TextField):
    """A list, one line each; empty lines are left out.

    An unchanged field gives back the list that it was drawn from (`was`), which may hold line ends of its own.
    """

    was: Sequence[str] = ()

    def clean(self, value: Any) -> list[str]:
        text = super().clean(value)
        if text == as_lines(self.was):
            return list(self.was)
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        if len(lines) > MOST_LINES:
            raise ValidationError(gettext("At most %(most)s lines.") % {"most": MOST_LINES})
        return lines


def as_lines(items: Sequence[str]) -> str:
    """Return a list as the text that a LinesField shows."""
    return "\n".join(item.replace("\r\n", "\n").replace("\r", "\n") for item in items)


class TagsField(forms.CharField):
    """Tags between commas of either language; each once."""

    def clean(self, value: Any) -> list[str]:
        text = super().clean(value)
        tags = [" ".join(tag.split()) for tag in text.replace("，", ",").replace("、", ",").split(",")]
        found = list(dict.fromkeys(tag for tag in tags if tag))
        long = next((tag for tag in found if len(tag) > LONGEST_TAG), None)
        if long is not None:
            raise ValidationError(gettext("A tag has at most %(most)s characters.") % {"most": LONGEST_TAG})
        if len(found) > MOST_TAGS:
            raise ValidationError(gettext("At most %(most)s tags.") % {"most": MOST_TAGS})
        return found


class TitleForm(ConsoleForm):
    """A new title. `version` is the one that was seen."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        help_text=gettext_lazy("At most 60 characters. A title that a person gave stays: no agent replaces it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)


class ThreadForm(ConsoleForm):
    """A new thread."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        help_text=gettext_lazy("At most 60 characters. A title that a person gave stays: no agent replaces it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    type = forms.ChoiceField(label=gettext_lazy("Type"), initial=ThreadType.WORK.value)
    tags = TagsField(
        label=gettext_lazy("Tags"),
        required=False,
        help_text=gettext_lazy("Between commas. Requests are matched by them."),
    )
    private = forms.BooleanField(
        label=gettext_lazy("Only for me"),
        required=False,
        help_text=gettext_lazy("Nobody else sees it, owners and your agents included. This cannot be changed later."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["type"].choices = choices_of(ThreadType)  # type: ignore[attr-defined]  # it is a ChoiceField

    def wish(self) -> ThreadWish:
        """Return what a valid form asks for."""
        chosen = self.cleaned_data
        return ThreadWish(
            title=chosen["title"], type=ThreadType(chosen["type"]), tags=chosen["tags"], private=chosen["private"]
        )


class VisionForm(ConsoleForm):
    """The original intent. `version` is the one that was seen, 0 where there was none; a proposal says why as well."""

    origin_goal = TextField(
        label=gettext_lazy("Goal"),
        rows=5,
        help_text=gettext_lazy("The goal in the user’s own words. Every packet of the thread carries it."),
    )
    done_when = LinesField(label=gettext_lazy("Done when"), required=False, help_text=gettext_lazy("One a line."))
    non_goals = LinesField(
        label=gettext_lazy("Non-goals"),
        required=False,
        help_text=gettext_lazy("One a line. They hold as constraints: every packet carries them."),
    )
    user_priorities = LinesField(
        label=gettext_lazy("Priorities"),
        required=False,
        help_text=gettext_lazy("One a line, the first one first."),
    )
    quality_bar = TextField(label=gettext_lazy("Quality bar"), required=False, rows=3)
    why = forms.CharField(
        label=gettext_lazy("Why"),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=LONGEST_TEXT,
        required=False,
        help_text=gettext_lazy("Whoever decides it reads this."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, base: Vision | None, proposes: bool, **options: Any) -> None:
        options.setdefault("initial", _initial(base))
        super().__init__(*args, **options)
        if not proposes:
            del self.fields["why"]
        for name, field in self.fields.items():
            if isinstance(field, LinesField) and base is not None:
                field.was = getattr(base, name)

    def wish(self) -> VisionWish:
        """Return what a valid form asks for."""
        return wish_of(self.cleaned_data)


class ThreadFilter(ConsoleForm):
    """Which threads a list shows."""

    q = forms.CharField(label=gettext_lazy("Title or tag"), required=False, max_length=200)
    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)
    type = forms.ChoiceField(label=gettext_lazy("Type"), required=False)
    mine = forms.BooleanField(label=gettext_lazy("Mine"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        anything = ("", gettext_lazy("All"))
        for name, kind in (("state", ThreadState), ("type", ThreadType)):
            self.fields[name].choices = [anything, *choices_of(kind)]  # type: ignore[attr-defined]  # a ChoiceField


def title_form(data: Any, thread: Thread) -> TitleForm:
    """Return the form that renames a thread."""
    return TitleForm(data, initial={"title": thread.title, "version": thread.version})


def seen_now(form: forms.Form, version: int) -> None:
    """Let a form that is shown again carry the version that the page shows now; its writer's text stays."""
    sent = cast("QueryDict", form.data).copy()
    sent["version"] = str(version)
    form.data = sent


def status_after(refusal: Refusal) -> int:
    """Return the status of a page that shows its form again after a verb refused: 409 where the matter had moved."""
    return 409 if is_stale(refusal) else 422


def is_stale(refusal: Refusal) -> bool:
    """Return whether a verb refused because somebody else was faster."""
    return refusal.code in ("version_moved", "moved_meanwhile")


def _initial(base: Vision | None) -> dict[str, Any]:
    if base is None:
        return {"version": 0}
    lists = {name: as_lines(getattr(base, name)) for name in ("done_when", "non_goals", "user_priorities")}
    return {"origin_goal": base.origin_goal, "quality_bar": base.quality_bar, "version": base.version, **lists}
