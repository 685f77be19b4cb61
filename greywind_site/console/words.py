"""How stored words read on a page, in the reader's language."""

from enum import StrEnum

from django import template
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from governance.vocabulary import MembershipLevel
from greywind_site.console.look import FOLLOW_SYSTEM
from sessions.context.vocabulary import CountMethod
from threads.vocabulary import ThreadType

register = template.Library()

WORDS: dict[StrEnum | str, Promise] = {
    MembershipLevel.VIEWER: pgettext_lazy("level", "viewer"),
    MembershipLevel.MAINTAINER: pgettext_lazy("level", "maintainer"),
    MembershipLevel.OWNER: pgettext_lazy("level", "owner"),
    ThreadType.WORK: pgettext_lazy("thread type", "work"),
    ThreadType.SMALL_TALK: pgettext_lazy("thread type", "small talk"),
    ThreadType.PERSONAL: pgettext_lazy("thread type", "personal"),
    CountMethod.EXACT: pgettext_lazy("count", "exact"),
    CountMethod.PROVIDER: pgettext_lazy("count", "by the provider"),
    CountMethod.ESTIMATE: pgettext_lazy("count", "estimate"),
    FOLLOW_SYSTEM: pgettext_lazy("look", "As the system"),
    "light": pgettext_lazy("look", "Light"),
    "dark": pgettext_lazy("look", "Dark"),
}


@register.filter
def word(value: StrEnum | str) -> Promise:
    """The reader's word for a member of a vocabulary; raises KeyError for one that has none."""
    return WORDS[value]
