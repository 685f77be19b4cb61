"""Forms that merge threads, split one, or undo either: what to move, and then why."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from governance.forms import ConsoleForm
from governance.invisible import made_visible
from sessions.lineage_facts import Holdings
from sessions.splitting import Part
from threads.forms import TextField
from threads.models import Thread

STAYS, FIRST, SECOND = "", "1", "2"


class WordForm(ConsoleForm):
    """Why something is done to a thread, and the version of it that was seen."""

    reason = TextField(
        label=gettext_lazy("Why"),
        rows=2,
        help_text=gettext_lazy("The ledger keeps it, and both threads show it."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)


class IntoForm(ConsoleForm):
    """Which thread another one is to become part of."""

    into = forms.ChoiceField(
        label=gettext_lazy("The thread that stays"),
        help_text=gettext_lazy("Its title and its readers stay; sessions, tasks, channels and memories come to it."),
    )

    def __init__(self, *args: Any, others: Sequence[Thread], **options: Any) -> None:
        super().__init__(*args, **options)
        named = [(row.public_id, made_visible(row.title)) for row in others]
        self.fields["into"].choices = [("", gettext("Choose a thread")), *named]  # type: ignore[attr-defined]  # it is a ChoiceField


class MergeForm(WordForm):
    """The merge that was looked at."""

    into = forms.CharField(widget=forms.HiddenInput)
    into_version = forms.IntegerField(widget=forms.HiddenInput)


class PartsForm(ConsoleForm):
    """Where each task, and each session without one, is to go: a field for each, named by its public id."""

    title_1 = forms.CharField(
        label=gettext_lazy("Title of the new thread"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    title_2 = forms.CharField(
        label=gettext_lazy("Title of a second new thread"),
        required=False,
        help_text=gettext_lazy("Only where the thread is to be divided. What neither takes stays here."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, held: Holdings, **options: Any) -> None:
        self.held = held
        super().__init__(*args, **options)
        for name, label in _things(held).items():
            self.fields[name] = forms.ChoiceField(label=label, required=False, choices=_places(), widget=forms.Select)
            self.fields[name].widget.attrs["class"] = "form-select"

    @property
    def things(self) -> list[Any]:
        """The fields of what can go, for the template."""
        return [self[name] for name in _things(self.held)]

    def parts(self) -> list[Part]:
        """Return what a valid form asks for; a second part only where it has a title or takes something."""
        found = [self._part(FIRST)]
        second = self._part(SECOND)
        return [*found, second] if second.title or second.tasks or second.sessions else found

    def _part(self, place: str) -> Part:
        chosen = [name for name in _things(self.held) if self.cleaned_data.get(name) == place]
        return Part(
            title=self.cleaned_data[f"title_{place}"],
            sessions=[name for name in chosen if name.startswith("ses_")],
            tasks=[name for name in chosen if name.startswith("tsk_")],
        )


def _places() -> list[tuple[str, Any]]:
    return [
        (STAYS, gettext_lazy("stays here")),
        (FIRST, gettext_lazy("to the new thread")),
        (SECOND, gettext_lazy("to the second new thread")),
    ]


def _things(held: Holdings) -> Mapping[str, str]:
    """Return what can be chosen by its public id: a task goes with its sessions, a session without one by itself."""
    tasks = {row.public_id: gettext("Task: %(title)s") % {"title": made_visible(row.title)} for row in held.tasks}
    alone = [row for row in held.sessions if row.task_id is None]
    told = gettext("Session of %(role)s, entries: %(count)s")
    return tasks | {row.public_id: told % {"role": row.role, "count": row.head_seq} for row in alone}
