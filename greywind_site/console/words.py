"""How stored words read on a page, in the reader's language."""

from datetime import datetime
from enum import StrEnum

from django import template
from django.utils.functional import Promise
from django.utils.timesince import timesince
from django.utils.translation import pgettext_lazy

from governance.job_words import JOB_KINDS
from governance.proposal_words import CONTRACT_KINDS
from governance.vocabulary import KeyState, MembershipLevel
from greywind_site.console.inbox_words import INBOX_KINDS
from greywind_site.console.look import FOLLOW_SYSTEM
from greywind_site.console.policy_words import POLICY_KINDS
from memories.conflict_words import CONFLICT_KINDS
from memories.memory_words import MEMORY_KINDS
from memories.store_words import STORE_KINDS
from sessions.budget_words import BUDGET_KINDS
from sessions.packet_words import KINDS as PACKET_KINDS
from sessions.session_words import SESSION_KINDS
from threads.speech import TITLE_GRAPHEMES
from threads.thread_words import KINDS as THREAD_KINDS
from threads.titles import one_line

register = template.Library()
KINDS = {
    **BUDGET_KINDS,
    **CONFLICT_KINDS,
    **CONTRACT_KINDS,
    **INBOX_KINDS,
    **JOB_KINDS,
    **MEMORY_KINDS,
    **PACKET_KINDS,
    **POLICY_KINDS,
    **SESSION_KINDS,
    **STORE_KINDS,
    **THREAD_KINDS,
}

WORDS: dict[StrEnum | str, Promise] = {
    MembershipLevel.VIEWER: pgettext_lazy("level", "viewer"),
    MembershipLevel.MAINTAINER: pgettext_lazy("level", "maintainer"),
    MembershipLevel.OWNER: pgettext_lazy("level", "owner"),
    KeyState.LIVE: pgettext_lazy("key", "live"),
    KeyState.LAPSED: pgettext_lazy("key", "lapsed"),
    KeyState.REVOKED: pgettext_lazy("key", "revoked"),
    KeyState.AGENT_INACTIVE: pgettext_lazy("key", "agent is off"),
    FOLLOW_SYSTEM: pgettext_lazy("look", "As the system"),
    "light": pgettext_lazy("look", "Light"),
    "dark": pgettext_lazy("look", "Dark"),
}


@register.filter
def word(value: StrEnum | str) -> Promise:
    """The reader's word for a member of a vocabulary; raises KeyError for one that has none."""
    named = KINDS.get(type(value)) if isinstance(value, StrEnum) else None
    return WORDS[value] if named is None else named[value]


@register.filter
def brief(text: str) -> str:
    """A text of somebody's as a title: one line of at most 60 graphemes, fit to be shown."""
    return one_line(text, most=TITLE_GRAPHEMES)


@register.filter
def figure(number: int | None) -> str:
    """A count with its thousands set apart; a dash for one that is not known."""
    return "—" if number is None else f"{number:,}"


@register.filter
def age(moment: datetime) -> str:
    """How long ago a moment was, in the largest unit that it fills."""
    return timesince(moment, depth=1)
