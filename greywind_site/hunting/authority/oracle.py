"""Who may do what, written from the design alone: plain words, and nothing of the product is imported here."""

from dataclasses import dataclass

RISKS = ("low", "medium", "high")
DECIDING = ("approve", "reject", "request_changes")
WAITING = ("draft", "open", "changes_requested")


@dataclass(frozen=True, slots=True)
class Someone:
    """A human or an agent of one project. `behind` is the human who owns the agent; `here` is False for a human who
    was switched off, or whose account is closed.
    """

    name: str
    project: str
    kind: str
    level: str | None = None
    behind: str | None = None
    roles: tuple[str, ...] = ()
    here: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Whose a row is: its project and, within it, everybody, a role, or one actor alone."""

    project: str
    audience: str
    role: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """A proposal as it stands. `writers` wrote its texts, the proposer first; `humans` are those of the project;
    `approved` and `decided` name who approved this text and who said anything on it; `moved` says that something else
    holds by now than what it rests on; `bound` that whoever decides refers to what stands there.
    """

    project: str
    risk: str
    level: str
    writers: tuple[Someone, ...]
    humans: tuple[Someone, ...]
    two: bool = False
    state: str = "open"
    moved: bool = False
    bound: bool = True
    approved: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()


def reads(who: Someone | None, place: Place) -> bool:
    """Nobody reads without a scope; in it one's own project, and there what is everyone's, one's role's, one's own."""
    if who is None or who.project != place.project:
        return False
    if place.audience == "role":
        return place.role in who.roles
    return place.audience == "project" or place.owner == who.name


def writes(who: Someone | None, *places: Place) -> bool:
    """One writes what one reads: where a row lies, and where it is to lie."""
    return all(reads(who, place) for place in places)


def proposes(who: Someone) -> bool:
    """Agents propose, and humans from maintainer up; a viewer reads."""
    return who.kind == "agent" or who.level in ("maintainer", "owner")


def speaks(who: Someone, matter: Matter) -> bool:
    """Maintainers and owners write on every proposal, an agent on its own."""
    own = who.name == matter.writers[0].name
    return who.project == matter.project and (own if who.kind == "agent" else proposes(who))


def edits(who: Someone, matter: Matter) -> bool:
    """The text changes until the matter has ended."""
    return speaks(who, matter) and matter.state in WAITING


def is_proposers(who: Someone, matter: Matter) -> bool:
    """It is whoever's proposed it, or owns the agent that did."""
    return who.project == matter.project and who.name in (matter.writers[0].name, matter.writers[0].behind)


def opens(who: Someone, matter: Matter) -> bool:
    """A draft is put on the desk by those whose it is."""
    return is_proposers(who, matter) and matter.state == "draft"


def withdraws(who: Someone, matter: Matter) -> bool:
    """What has not ended is taken back by those whose it is."""
    return is_proposers(who, matter) and matter.state in WAITING


def deciders(matter: Matter) -> set[str]:
    """Maintainers and owners decide on a role and a persona, owners on everything that weighs more."""
    reaching = ("owner",) if matter.level == "owner" else ("maintainer", "owner")
    return {each.name for each in matter.humans if each.kind == "human" and each.here and each.level in reaching}


def is_own(who: Someone, matter: Matter) -> bool:
    """At medium and high risk it is one's own where one wrote any of it, or owns an agent that did."""
    authors = {writer.behind if writer.kind == "agent" else writer.name for writer in matter.writers}
    return matter.risk != "low" and who.name in authors


def decides(who: Someone, matter: Matter) -> bool | None:
    """Return None where one may not decide, else what the row says of self-approval: only the one there is may."""
    able = deciders(matter)
    stands = matter.state == "open" and matter.bound and not matter.moved
    if who.project != matter.project or who.name not in able or not stands or who.name in matter.decided:
        return None
    own = is_own(who, matter)
    return None if own and len(able) > 1 else own


def concludes(who: Someone, matter: Matter) -> bool:
    """In its project it is approved once enough approved what stands there: two where the policy asks and two may."""
    authors = {writer.behind if writer.kind == "agent" else writer.name for writer in matter.writers}
    free = deciders(matter) - (authors if matter.risk != "low" else set())
    needed = 2 if matter.two and len(free) > 1 else 1
    open_here = who.project == matter.project and matter.state == "open" and not matter.moved
    return open_here and len(matter.approved) >= needed
