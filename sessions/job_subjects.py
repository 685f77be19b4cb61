"""What the jobs of sessions are about, in words."""

from collections.abc import Collection, Mapping

from governance.ids import public_id
from governance.places import BARE
from sessions.models import Session
from threads.titles import one_line

MOST_TITLE = 60  # graphemes


def named_sessions(subjects: Collection[str]) -> Mapping[str, str]:
    """Return thread and role of those sessions that the open scope may read, by public id, in one statement."""
    wanted = [subject.removeprefix(f"{Session.PREFIX}_") for subject in subjects if BARE.fullmatch(subject)]
    rows = Session.objects.filter(pk__in=wanted).values_list("pk", "thread__title", "role")
    return {public_id(Session.PREFIX, pk): f"{_short(title)} · {_short(role)}" for pk, title, role in rows}


def _short(text: str) -> str:
    return one_line(text, most=MOST_TITLE)
