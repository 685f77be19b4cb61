"""Forms on tasks."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from governance.errors import Invalid
from governance.forms import ConsoleForm
from governance.ids import parse_id
from governance.refusal_words import told
from governance.vocabulary import Phase, Risk
from threads.dag import TaskWish
from threads.forms import LinesField, TextField, as_lines
from threads.models import Task
from threads.task_reading import TaskName, TaskPage
from threads.thread_words import KINDS, choices_of
from threads.titles import LONGEST_TITLE, checked_title
from threads.vocabulary import TaskState

COLUMNS = ("title", "brief", "phase", "risk", "next_steps")


class TaskForm(ConsoleForm):
    """What a task says and what it waits for. `others` are the tasks that it may wait for."""

    title = forms.CharField(label=gettext_lazy("Title"), widget=forms.TextInput(attrs={"autocomplete": "off"}))
    brief = TextField(
        label=gettext_lazy("Brief"),
        required=False,
        help_text=gettext_lazy("What is to be done, and how one sees that it is."),
    )
    phase = forms.ChoiceField(
        label=gettext_lazy("Phase"), help_text=gettext_lazy("Planning, doing and accepting get different packets.")
    )
    risk = forms.ChoiceField(
        label=gettext_lazy("Risk"), help_text=gettext_lazy("At higher risk less certain memories stay out of packets.")
    )
    next_steps = LinesField(
        label=gettext_lazy("Next steps"),
        required=False,
        help_text=gettext_lazy("One a line, the first one first. Packets for this task carry them."),
    )
    depends_on = forms.MultipleChoiceField(
        label=gettext_lazy("Waits for"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, others: Sequence[TaskName], **options: Any) -> None:
        super().__init__(*args, **options)
        choices: dict[str, Any] = {"phase": choices_of(Phase), "risk": choices_of(Risk)}
        choices["depends_on"] = [(name.id, _label(name)) for name in others]
        for name, offered in choices.items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]  # each is a ChoiceField

    def clean_title(self) -> str:
        """Return the title; one that is already there is kept as it is, however an agent wrote it."""
        title = str(self.cleaned_data["title"])
        if title == str(self.initial.get("title", "")).strip():
            return str(self.initial["title"])
        try:
            return checked_title(title, pointer="/title", most=LONGEST_TITLE)
        except Invalid as refusal:
            raise ValidationError(str(told(refusal.code, refusal.detail))) from refusal

    def wish(self) -> TaskWish:
        """Return what a valid form for a new task asks for."""
        return TaskWish(**self._columns(), depends_on=self.after())

    def after(self) -> list[Any]:
        """Return the ids of what it is to wait for."""
        return [parse_id("tsk", chosen, pointer="/depends_on") for chosen in self.cleaned_data["depends_on"]]

    def changes(self, task: Task) -> dict[str, Any]:
        """Return the columns in which a valid form differs from the task."""
        return {name: value for name, value in self._columns().items() if value != getattr(task, name)}

    def _columns(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in COLUMNS}


class TaskChangeForm(TaskForm):
    """A task that is there. `version` is the one that was seen."""

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, data: Any, *, page: TaskPage) -> None:
        task = page.task
        initial = {name: getattr(task, name) for name in (*COLUMNS, "version")}
        initial |= {"next_steps": as_lines(task.next_steps), "depends_on": [name.id for name in page.line.waits_for]}
        super().__init__(data, others=page.others, initial=initial)
        self.fields["next_steps"].was = task.next_steps  # type: ignore[attr-defined]  # it is a LinesField


class MoveForm(ConsoleForm):
    """A button that moves a task. `version` is the one that was seen."""

    to = forms.ChoiceField(choices=[(state.value, state.value) for state in TaskState])
    version = forms.IntegerField()


class SendBackForm(ConsoleForm):
    """Why a task under review goes back. `version` is the one that was seen."""

    reason = TextField(
        label=gettext_lazy("What is still to be done"),
        rows=3,
        help_text=gettext_lazy("It becomes the first next step, so the next packet for the task carries it."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        # It stands on one page with the form that changes the task, which has a version of its own.
        super().__init__(*args, auto_id="back_%s", **options)


def _label(name: TaskName) -> Any:
    return format_lazy("{} · {}", name.title, KINDS[TaskState][name.state])
