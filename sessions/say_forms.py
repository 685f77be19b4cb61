"""Forms by which a human speaks into a thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from governance.forms import ConsoleForm
from governance.ids import new_id
from sessions.models import Session
from sessions.reading import Standing
from sessions.session_words import SESSION_KINDS
from sessions.vocabulary import EventKind, SessionState
from threads.titles import one_line

MOST_CHARACTERS = 500_000  # of one entry: never more bytes than a text field may hold
SHOWN = 90  # graphemes of a demand in a list of choices
FOR_ROLE = "role:"
KIND_CHOICES: list[tuple[str, Promise]] = [
    (EventKind.MESSAGE.value, gettext_lazy("Message: the session reads it as part of its dialogue")),
    (EventKind.CORRECTION.value, gettext_lazy("Correction: something said or decided before was wrong")),
    (
        EventKind.CONSTRAINT.value,
        gettext_lazy("Constraint: every packet of this thread carries it, whole, until somebody retires it"),
    ),
]


@dataclass(frozen=True, slots=True)
class Audience:
    """Who could hear it: the thread's live sessions, roles that have none, and the demands that hold there."""

    live: Sequence[Session]
    roles: Sequence[str]
    standing: Sequence[Standing]


def fresh_client_id() -> str:
    """Return an id for one thing to say; a form that is sent twice sends the same one."""
    return f"console-{new_id().hex}"


class _OnceForm(ConsoleForm):
    """A form whose hidden id makes a second sending the same one."""

    client_id = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, **options: Any) -> None:
        options["initial"] = {"client_id": fresh_client_id(), **options.get("initial", {})}
        super().__init__(*args, **options)

    def renew(self) -> None:
        """Give the form a fresh id, so that what it holds now can be stored beside what was sent before."""
        self.say_instead(client_id=fresh_client_id())


class SayForm(_OnceForm):
    """Words of a human for a thread. Who hears it and what it retires is checked by the verb, against what is then."""

    kind = forms.ChoiceField(label=gettext_lazy("What it is"), choices=KIND_CHOICES, widget=forms.RadioSelect)
    text = forms.CharField(
        label=gettext_lazy("Your words"),
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy("They are stored as you write them and cannot be edited later."),
    )
    hearer = forms.CharField(
        label=gettext_lazy("Who hears it"),
        widget=forms.Select,
        help_text=gettext_lazy("The session with the latest entry comes first. A constraint reaches all of them."),
    )
    retires = forms.CharField(
        label=gettext_lazy("The constraint that it takes back"),
        widget=forms.Select,
        required=False,
        help_text=gettext_lazy("Only for a correction. The constraint then leaves every packet of the thread."),
    )

    def __init__(self, *args: Any, audience: Audience, **options: Any) -> None:
        super().__init__(*args, **options)
        self.live = {session.public_id: session for session in audience.live}
        self._offer("hearer", _hearers(audience))
        nothing = [("", gettext("none"))]
        self._offer("retires", nothing + [(row.ref, one_line(row.text, most=SHOWN)) for row in audience.standing])
        if not audience.standing and not self.data.get("retires"):
            del self.fields["retires"]

    def clean_text(self) -> str:
        return _as_written(self.cleaned_data["text"])

    def clean_hearer(self) -> str:
        hearer: str = self.cleaned_data["hearer"]
        if hearer not in self.live and not hearer.startswith(FOR_ROLE):
            raise ValidationError(gettext("This session takes no more entries. Choose another one."))
        return hearer

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("retires") and cleaned.get("kind") != EventKind.CORRECTION:
            self.add_error("retires", gettext("Only a correction takes a constraint back. Choose “Correction” above."))
        return cleaned

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        widget = self.fields[name].widget
        assert isinstance(widget, forms.Select)  # noqa: S101 - declared above; tells the type checker
        widget.choices = choices


class RetireForm(_OnceForm):
    """Why a constraint is taken back."""

    reason = forms.CharField(
        label=gettext_lazy("Why it is taken back"),
        strip=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("It is stored as a correction, in your name, and agents read it."),
    )

    def clean_reason(self) -> str:
        return _as_written(self.cleaned_data["reason"])


def _hearers(audience: Audience) -> list[tuple[str, Any]]:
    live = [(session.public_id, _described(session)) for session in audience.live]
    roles = [(f"{FOR_ROLE}{role}", role) for role in audience.roles]
    groups: list[tuple[str, Any]] = [(gettext("Sessions that are open"), live)] if live else []
    return groups + ([(gettext("Open a session for a role"), roles)] if roles else [])


def _described(session: Session) -> str:
    state = SESSION_KINDS[SessionState][session.state]
    task = [one_line(session.task.title, most=SHOWN)] if session.task else []
    count = gettext("entries: %(count)s") % {"count": f"{session.head_seq:,}"}
    return " · ".join([session.role, str(state), *task, count, session.public_id[-6:]])


def _as_written(text: str) -> str:
    """Return the text with the line ends that its writer typed: browsers send two characters for one."""
    if not text.strip():
        raise ValidationError(gettext("Say something; spaces alone say nothing."))
    return text.replace("\r\n", "\n")
