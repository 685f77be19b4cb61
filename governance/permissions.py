"""Which level of membership each deed of a human needs: one table, and the check that explains itself."""

from collections.abc import Mapping

from governance.errors import Forbidden
from governance.vocabulary import Deed, MembershipLevel, rank

# A viewer reads, so no deed stands at that level.
NEEDED: Mapping[Deed, MembershipLevel] = {
    Deed.SPEAK: MembershipLevel.MAINTAINER,
    Deed.RETIRE_CONSTRAINT: MembershipLevel.MAINTAINER,
    Deed.OPEN_THREAD: MembershipLevel.MAINTAINER,
    Deed.RENAME_THREAD: MembershipLevel.MAINTAINER,
    Deed.ARCHIVE_THREAD: MembershipLevel.MAINTAINER,
    Deed.MERGE_THREAD: MembershipLevel.MAINTAINER,
    Deed.EDIT_VISION: MembershipLevel.MAINTAINER,
    Deed.CHANGE_TASKS: MembershipLevel.MAINTAINER,
    Deed.PROPOSE_MEMORY: MembershipLevel.MAINTAINER,
    Deed.DECIDE_MEMORY: MembershipLevel.MAINTAINER,
    Deed.ERASE_MEMORY: MembershipLevel.OWNER,
    Deed.PROPOSE_CONTRACT: MembershipLevel.MAINTAINER,
    Deed.CHECK_LEDGER: MembershipLevel.MAINTAINER,
    Deed.RETRY_JOB: MembershipLevel.MAINTAINER,
    Deed.TRIAGE_INBOX: MembershipLevel.MAINTAINER,
    Deed.MANAGE_MEMBERS: MembershipLevel.OWNER,
    Deed.MANAGE_AGENTS: MembershipLevel.OWNER,
    Deed.MANAGE_KEYS: MembershipLevel.OWNER,
    Deed.MANAGE_PROJECT: MembershipLevel.OWNER,
}
DEED_WORDS: Mapping[Deed, str] = {
    Deed.SPEAK: "write into a thread",
    Deed.RETIRE_CONSTRAINT: "retire a constraint",
    Deed.OPEN_THREAD: "open a thread",
    Deed.RENAME_THREAD: "rename a thread",
    Deed.ARCHIVE_THREAD: "archive or reopen a thread",
    Deed.MERGE_THREAD: "merge or split threads, or undo it",
    Deed.EDIT_VISION: "edit a vision",
    Deed.CHANGE_TASKS: "change tasks",
    Deed.PROPOSE_MEMORY: "propose a memory",
    Deed.DECIDE_MEMORY: "decide what is remembered",
    Deed.ERASE_MEMORY: "erase what is remembered",
    Deed.PROPOSE_CONTRACT: "propose or discuss a change of a contract",
    Deed.CHECK_LEDGER: "check the whole ledger",
    Deed.RETRY_JOB: "let a job in quarantine run again",
    Deed.TRIAGE_INBOX: "claim or put off what waits in the inbox",
    Deed.MANAGE_MEMBERS: "manage members",
    Deed.MANAGE_AGENTS: "manage agents",
    Deed.MANAGE_KEYS: "manage keys",
    Deed.MANAGE_PROJECT: "change the project itself",
}


def check_can(level: MembershipLevel | None, deed: Deed) -> None:
    """Raise Forbidden (level_too_low), which names the level that is needed; `level` None is no member at all."""
    needed = NEEDED[deed]
    if level is None:
        message = f"only a member may {DEED_WORDS[deed]}, as {needed}; this actor is not a human member"
        raise Forbidden(message, code="level_too_low", extra={"needed": needed, "deed": deed})
    if rank(level) < rank(needed):
        message = f"to {DEED_WORDS[deed]} one must be {needed}, and you are {level}; ask an owner of the project"
        raise Forbidden(message, code="level_too_low", extra={"needed": needed, "deed": deed})


def can(level: MembershipLevel | None, deed: Deed) -> bool:
    """Return whether this level may do it."""
    return why_not(level, deed) is None


def why_not(level: MembershipLevel | None, deed: Deed) -> str | None:
    """Return why this level may not do it, in words, or None when it may."""
    try:
        check_can(level, deed)
    except Forbidden as refusal:
        return refusal.detail
    return None
