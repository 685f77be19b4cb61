"""How the words of jobs read on a page."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from governance.vocabulary import JobState

JOB_KINDS: Mapping[type[StrEnum], Mapping[str, Promise]] = {
    JobState: {
        JobState.WAITING: pgettext_lazy("job state", "waiting"),
        JobState.RUNNING: pgettext_lazy("job state", "running"),
        JobState.DONE: pgettext_lazy("job state", "done"),
        JobState.QUARANTINED: pgettext_lazy("job state", "in quarantine"),
    }
}
