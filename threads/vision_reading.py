"""A version of the original intent as a page sets it beside what somebody wrote."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from governance.invisible import made_visible
from threads.forms import as_lines
from threads.models import Vision
from threads.vocabulary import VisionSource


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionNow:
    """What the newest version says, part by part, and whose it is."""

    version: int
    source: VisionSource
    author: str
    at: datetime
    parts: Sequence[tuple[Promise, str]]


def vision_now(vision: Vision) -> VisionNow:
    """Return a version fit to be shown; its author has been read with it."""
    said = [
        (gettext_lazy("Goal"), vision.origin_goal),
        (gettext_lazy("Done when"), as_lines(vision.done_when)),
        (gettext_lazy("Non-goals"), as_lines(vision.non_goals)),
        (gettext_lazy("Priorities"), as_lines(vision.user_priorities)),
        (gettext_lazy("Quality bar"), vision.quality_bar),
    ]
    return VisionNow(
        version=vision.version,
        source=VisionSource(vision.source),
        author=made_visible(vision.author.name),
        at=vision.created_at,
        parts=[(label, made_visible(text)) for label, text in said],
    )
