"""Words of budget profiles, and of what reported usage taught, for readers."""

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from sessions.context.scripts import Script
from sessions.vocabulary import Learning, TextKind

type Words = Mapping[str, Promise]
type Path = tuple[str, ...]  # to a figure in the body of a profile

BUDGET_KINDS: Mapping[type[StrEnum], Words] = {
    Learning: {
        Learning.COLLECTING: pgettext_lazy("learning", "collecting"),
        Learning.UNSTEADY: pgettext_lazy("learning", "unsteady"),
        Learning.LEARNT: pgettext_lazy("learning", "learnt"),
    },
    TextKind: {
        TextKind.CHINESE: pgettext_lazy("kind of text", "Chinese"),
        TextKind.ENGLISH: pgettext_lazy("kind of text", "English"),
        TextKind.CODE: pgettext_lazy("kind of text", "code"),
    },
    Script: {
        Script.CAPITALS: pgettext_lazy("script", "capital letters"),
        Script.LETTERS: pgettext_lazy("script", "small letters"),
        Script.DIGITS: pgettext_lazy("script", "digits"),
        Script.PUNCTUATION: pgettext_lazy("script", "punctuation"),
        Script.SPACES: pgettext_lazy("script", "spaces"),
        Script.BREAKS: pgettext_lazy("script", "line ends and tabs"),
        Script.HAN: pgettext_lazy("script", "Han characters"),
        Script.MARKS: pgettext_lazy("script", "full-width and typographic signs"),
        Script.OTHER: pgettext_lazy("script", "other scripts and emoji"),
    },
}
STATES: Words = {
    Learning.COLLECTING: gettext_lazy("There are too few reports to learn from; what ships is used."),
    Learning.UNSTEADY: gettext_lazy("The reports do not agree with each other, so what ships goes on being used."),
    Learning.LEARNT: gettext_lazy("Figures learnt from reported usage are used."),
}
ITEM_NAMES: Mapping[str, Promise] = {
    "tool_result": pgettext_lazy("item cap", "one tool result"),
    "message": pgettext_lazy("item cap", "one message"),
    "action": pgettext_lazy("item cap", "one action"),
    "origin_goal": pgettext_lazy("item cap", "the original goal"),
    "excerpt": pgettext_lazy("item cap", "one cut to an excerpt"),
    "title": pgettext_lazy("item cap", "one cut to one line"),
}
COUNT_NAMES: Mapping[Path, Promise] = {
    ("counts", "memories", "min"): pgettext_lazy("count", "memories, at least"),
    ("counts", "memories", "max"): pgettext_lazy("count", "memories, at most"),
    ("counts", "handoff"): pgettext_lazy("count", "handoffs"),
    ("counts", "dialogue_items"): pgettext_lazy("count", "entries of the transcript"),
    ("counts", "next_steps"): pgettext_lazy("count", "next steps of the task"),
}
READS = pgettext_lazy("limit", "what a session reads by refs, in all")
OVERHEAD_NAMES: Mapping[str, Promise] = {
    "message": pgettext_lazy("overhead", "each message"),
    "tool": pgettext_lazy("overhead", "each tool"),
}
THRESHOLD_NAMES: Mapping[str, Promise] = {
    "soft": pgettext_lazy("threshold", "soft"),
    "hard": pgettext_lazy("threshold", "hard"),
}
