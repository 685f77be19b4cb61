"""Sentences and names of a packet's page that belong to no vocabulary: warnings, reserves, parts of sources."""

import re
from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from governance.proposal_words import CONTRACT_PARTS
from sessions.session_words import LOST

WARNINGS: Mapping[str, Promise] = {
    "no_vision": gettext_lazy(
        "The thread has no vision yet, so the packet cannot say what was wanted at first. The first request that an "
        "agent posts and vouches for becomes one, or a maintainer writes one."
    ),
    "private_thread": gettext_lazy(
        "Others read this channel along, so what was said in the private thread stayed out."
    ),
    "no_handoff": gettext_lazy("There was no handoff for this session; the slot was skipped."),
    "nothing_retrieved": gettext_lazy("Nothing retrieved could enter, so the session stands alone."),
    "found_by_words": gettext_lazy(
        "A model that compares meanings did not answer, so what was found shares words with the input."
    ),
    "unknown_profile": gettext_lazy(
        "The named model and harness are not known here; the most conservative profile was used."
    ),
    "newer_profile": gettext_lazy(
        "The named budget profile was approved after this attempt began; the next attempt has it, and this one used "
        "the most conservative profile."
    ),
    "unusable_profile": gettext_lazy(
        "The approved budget profile cannot be read by this version of the compiler; another one was used."
    ),
    "unusable_floors": gettext_lazy(
        "Some floors that the policy asks for cannot be kept by any budget; the profile’s own hold in their place."
    ),
    "have_unknown_packet": gettext_lazy(
        "The packet that the request says it holds is not one of this session, so this packet is whole."
    ),
    "have_window_gone": gettext_lazy(
        "What the request says it holds was in another window of the harness, so this packet is whole."
    ),
    "have_not_kept": gettext_lazy("What the named packet brought was not noted for a delta, so this packet is whole."),
    "have_mismatch": gettext_lazy(
        "The stable prefix that the request says it holds is another one, so this packet is whole."
    ),
}
GONE: Mapping[str, Promise] = {
    "content_no_longer_permitted": gettext_lazy(
        "Something this packet was made of was erased, changed or is not open to you, so its text is not shown. "
        "What was decided is still here."
    ),
    "packet_not_reproducible": gettext_lazy(
        "Today’s compiler no longer gives the bytes that were recorded, so the text is not shown. "
        "What was decided is still here."
    ),
    "profile_moved": gettext_lazy(
        "The budget profile has a newer version, so the text cannot be compiled again. What was decided is still here."
    ),
}
RESERVES: Mapping[str, Promise] = {
    "output": pgettext_lazy("reserve", "for the answer"),
    "tool_results": pgettext_lazy("reserve", "for tool results to come"),
    "protocol": pgettext_lazy("reserve", "for the protocol"),
    "harness": pgettext_lazy("reserve", "for the harness’s own prompt and tools"),
    "margin": pgettext_lazy("reserve", "safety margin"),
}
FOUND_FOR: Mapping[str, Promise] = {
    "close in meaning": gettext_lazy("close in meaning"),
    "of the time that was asked for": gettext_lazy("of the time that was asked for"),
    "in this thread": gettext_lazy("in this thread"),
    "in this project": gettext_lazy("elsewhere in the project"),
}
SCHEMES: Mapping[str, Promise] = {
    "event": pgettext_lazy("ref", "event"),
    "artifact": pgettext_lazy("ref", "artifact"),
    "memory": pgettext_lazy("ref", "memory"),
    "thread": pgettext_lazy("ref", "thread"),
    "vision": pgettext_lazy("ref", "vision"),
    "task": pgettext_lazy("ref", "task"),
    "session": pgettext_lazy("ref", "session"),
    "handoff": pgettext_lazy("ref", "handoff"),
    "summary": pgettext_lazy("ref", "work summary"),
    "revision": pgettext_lazy("ref", "contract"),
    "proposal": pgettext_lazy("ref", "proposal"),
    "request": pgettext_lazy("ref", "this request"),
    "greywind": pgettext_lazy("ref", "built in"),
    "profile": pgettext_lazy("ref", "budget profile"),
    "packet": pgettext_lazy("ref", "earlier packet"),
    "persona": pgettext_lazy("ref", "persona"),
    "role": pgettext_lazy("ref", "role contract"),
    "policy": pgettext_lazy("ref", "policy"),
    "self_profile": pgettext_lazy("ref", "self profile"),
}
PARTS: Mapping[str, Promise] = {
    "reading-note": pgettext_lazy("part", "how to read the prompt"),
    **CONTRACT_PARTS,
    "persona_role": pgettext_lazy("part", "what it is"),
    "boundaries": pgettext_lazy("part", "boundaries"),
    "origin_goal": pgettext_lazy("part", "original intent"),
    "done_when": pgettext_lazy("part", "done when"),
    "quality_bar": pgettext_lazy("part", "quality bar"),
    "user_priorities": pgettext_lazy("part", "priorities"),
    "non_goals": pgettext_lazy("part", "non-goals"),
    "title": pgettext_lazy("part", "title"),
    "summary": pgettext_lazy("part", "summary"),
    "tags": pgettext_lazy("part", "tags"),
    "next_steps": pgettext_lazy("part", "next steps"),
    "depends_on": pgettext_lazy("part", "depends on"),
    "later_steps": pgettext_lazy("part", "later steps"),
    "before_tasks": pgettext_lazy("part", "open tasks it waits for"),
    "freed_tasks": pgettext_lazy("part", "tasks that wait for it alone"),
    "ready_tasks": pgettext_lazy("part", "tasks that can be handed out"),
    "waiting_tasks": pgettext_lazy("part", "tasks that wait or are worked on"),
    "constraints": pgettext_lazy("part", "constraints"),
    "goals": pgettext_lazy("part", "goals"),
    "decisions": pgettext_lazy("part", "decisions"),
    "conclusions": pgettext_lazy("part", "conclusions"),
    "verification": pgettext_lazy("part", "verification results"),
    "open_questions": pgettext_lazy("part", "open questions"),
    "dissent": pgettext_lazy("part", "dissent"),
    "blockers": pgettext_lazy("part", "blockers"),
    "evidence": pgettext_lazy("part", "evidence"),
    "project_state": pgettext_lazy("part", "how its thread stands"),
    "screen": pgettext_lazy("part", "screen"),
    "interruptions": pgettext_lazy("part", "interruptions"),
    "resume_point": pgettext_lazy("part", "resume point"),
    "unfinished_items": pgettext_lazy("part", "unfinished"),
    "risks": pgettext_lazy("part", "risks"),
    "resume_suggestion": pgettext_lazy("part", "how to go on"),
    "next_actor": pgettext_lazy("part", "who is next"),
    "raw_text": pgettext_lazy("part", "the user’s words"),
    "attached_context": pgettext_lazy("part", "what the user attached"),
}
_AGO = re.compile(r"active (\d+) (min|h|d) ago")


def warning_words(code: str, message: str) -> Promise | str:
    """Return a warning as the reader's sentence; its own message where nobody has put it into words yet."""
    return WARNINGS.get(code, message)


def candidate_reason(reason: str) -> str:
    """Return why a thread was looked at, in the reader's language; the resolver's own words where it has new ones."""
    if reason == "bound":
        return gettext("named by the request or its channel")
    if reason == "never active":
        return gettext("never used yet")
    if ago := _AGO.fullmatch(reason):
        return _used(int(ago[1]), ago[2])
    return found_reason(reason)


def found_reason(reason: str) -> str:
    """Return why a passage was found, in the reader's language; the search's own words where it has new ones."""
    parts = [_part_of_reason(part) for part in reason.split("; ")]
    return " · ".join(parts)


def _part_of_reason(part: str) -> str:
    if part.startswith("shares "):
        return gettext("shares “%(terms)s”") % {"terms": part.removeprefix("shares ")}
    if part.startswith("said by "):
        return gettext("said by %(name)s") % {"name": part.removeprefix("said by ")}
    return str(FOUND_FOR.get(part, part))


def missing_words(names: Sequence[str]) -> list[Promise | str]:
    """Return what could not be brought back, in the reader's words."""
    return [LOST.get(name, name) for name in names]


def _used(number: int, unit: str) -> str:
    match unit:
        case "min":
            form = ngettext("last used %(n)d minute before", "last used %(n)d minutes before", number)
        case "h":
            form = ngettext("last used %(n)d hour before", "last used %(n)d hours before", number)
        case _:
            form = ngettext("last used %(n)d day before", "last used %(n)d days before", number)
    return form % {"n": number}
