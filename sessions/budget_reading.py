"""Budget profiles as pages show them: what holds, where each figure comes from, what was learnt, and what it did."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q
from django.db.models.fields.json import KT
from django.utils.functional import Promise

from governance.errors import NotThere
from governance.invisible import made_visible
from governance.languages import language_of
from governance.models import Project, Proposal, Revision
from governance.proposal_reading import POLICY
from governance.proposals import EDITABLE
from governance.vocabulary import ContractKind, Phase, RevisionState, Risk
from sessions.budget_texts import Text, in_force, texts_of
from sessions.budget_words import COUNT_NAMES, ITEM_NAMES, READS, STATES, THRESHOLD_NAMES
from sessions.context.budget import Budget, Limit, build_budget
from sessions.context.floors import floors_of, raised
from sessions.context.profiles import WHOLE, Learnt, ModelProfile, Shares, with_learnt
from sessions.context.vocabulary import GROUP_OF, Group, Layer, LimitOrigin
from sessions.learnt_reading import LearntLine, Standing, learnt_line, per_cent
from sessions.models import BudgetProfile, ContextPacket, LearntFigures, UsageReport
from sessions.profiles import learnt_in
from sessions.vocabulary import UsageFate

LAST_PACKETS = 200  # of the project, whose effect the list of profiles sums up
OWN_PACKETS = 20  # of one profile, on its page
OF_PACKET = ("id", "created_at", "role", "used", "input_cap", "refused", "thread__title")
VERSIONS = 20


@dataclass(frozen=True, slots=True)
class Effect:
    """What recent packets under a profile came to; `share` is the mean use of the input cap in per cent."""

    packets: int
    refused: int
    share: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileLine:
    """A profile as it holds now, learnt figures included. `revision` is the number of an approved text, else None."""

    slug: str
    body: Mapping[str, Any]
    profile: ModelProfile
    version: int
    revision: int | None
    standing: Standing
    effect: Effect
    usual: bool

    @property
    def reserved(self) -> int:
        return sum(self.profile.reserves.values())

    @property
    def soft(self) -> int:
        return self.profile.room * self.profile.thresholds.soft // WHOLE

    @property
    def hard(self) -> int:
        return self.profile.room * self.profile.thresholds.hard // WHOLE


@dataclass(frozen=True, slots=True)
class LayerLine:
    """One layer under a phase and a risk: tokens of its floor and cap, and the shares in per cent they come from."""

    layer: Layer
    group: Group
    floor: int
    cap: int
    floor_share: float
    cap_share: float
    origin: LimitOrigin
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """A text that the profile has or had: a shipped version, or an approved revision with its address."""

    number: int
    shipped: bool
    holds: bool
    at: Any
    by: str = ""


@dataclass(frozen=True, slots=True)
class LimitLine:
    """A figure that limits single items: tokens or a count, and the share of the input cap that it comes from."""

    name: Promise
    value: int
    share: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePage:
    """All of one profile. `budget` is of the phase and risk that are looked at."""

    line: ProfileLine
    budget: Budget
    layers: Sequence[LayerLine]
    versions: Sequence[VersionLine]
    learnt: Sequence[LearntLine]
    packets: Sequence[Mapping[str, Any]]
    proposals: Sequence[Proposal]

    @property
    def state(self) -> Promise:
        """What the state of learning means for the next packet."""
        return STATES[self.line.standing.state]

    @property
    def margin_percent(self) -> str:
        return per_cent(self.line.profile.margin_share)

    @property
    def limits(self) -> Sequence[LimitLine]:
        """Caps of single items, counts, what may be read, and thresholds."""
        profile, cap = self.line.profile, self.budget.input_cap
        counts, thresholds = profile.counts, profile.thresholds
        numbers = (counts.memories_min, counts.memories_max, counts.handoff, counts.dialogue_items, counts.next_steps)
        return [
            *(LimitLine(name, getattr(profile.item_caps, key)) for key, name in ITEM_NAMES.items()),
            *(LimitLine(name, number) for name, number in zip(COUNT_NAMES.values(), numbers, strict=True)),
            LimitLine(READS, profile.read_budget),
            *(
                LimitLine(name, cap * share // WHOLE, f"{share / 100:g}")
                for name, share in zip(THRESHOLD_NAMES.values(), (thresholds.soft, thresholds.hard), strict=True)
            ),
        ]


def profile_lines(project: Project) -> list[ProfileLine]:
    """Return every profile that the project can name, as it holds, by name; in the open scope."""
    learnt = LearntFigures.objects.order_by("slug", "-version").distinct("slug")
    approved = in_force(ContractKind.BUDGET_PROFILE)
    return _lines(project, learnt=learnt, texts=texts_of(BudgetProfile.objects.newest(), approved))


def _lines(project: Project, *, learnt: Iterable[LearntFigures], texts: Mapping[str, Text]) -> list[ProfileLine]:
    """Return the profiles that ship or were approved, by their texts; `learnt` holds the newest of each name."""
    newest = {row.slug: row for row in learnt}
    standings, effects = _standings(newest), _effects()
    none, nothing = Effect(0, 0, None), Standing(None, 0, 0)
    return [
        ProfileLine(
            slug=slug,
            body=text.body,
            profile=with_learnt(text.profile, _learnt(newest.get(slug))),
            version=text.version,
            revision=text.revision,
            standing=standings.get(slug, nothing),
            effect=effects.get(slug, none),
            usual=slug == project.default_profile,
        )
        for slug, text in sorted(texts.items())
    ]


def profile_page(project: Project, slug: str, *, phase: Phase, risk: Risk) -> ProfilePage:
    """Return one profile under a phase and a risk, in the open scope; raises NotThere for a name that is none."""
    learnt = list(LearntFigures.objects.filter(slug=slug).order_by("-version")[:VERSIONS])
    shipped = list(BudgetProfile.objects.filter(slug=slug).order_by("-version"))
    approved = {
        (row.contract.kind, row.contract.slug): row
        for row in in_force(ContractKind.BUDGET_PROFILE, ContractKind.POLICY)
    }
    policy = approved.pop(POLICY, None)
    line = _of_name(_lines(project, learnt=learnt[:1], texts=texts_of(shipped[:1], approved.values())), slug)
    limits = [Limit(LimitOrigin.PROJECT, project.max_input_tokens)] if project.max_input_tokens else []
    floors = floors_of(policy.body if policy else None)
    budget = build_budget(line.profile, phase=phase, risk=risk, limits=limits, floors=floors)
    rows = ContextPacket.objects.filter(receipt__profile__0=slug).order_by("-created_at")[:OWN_PACKETS]
    asked = Proposal.objects.filter(kind=ContractKind.BUDGET_PROFILE, slug=slug, state__in=EDITABLE)
    return ProfilePage(
        line=line,
        budget=budget,
        layers=list(_layers(line.profile, budget, raised(line.profile.shares(phase, risk), floors))),
        versions=list(_versions(line, shipped)),
        learnt=[learnt_line(row) for row in learnt],
        packets=[_packet(row) for row in rows.select_related("thread").only(*OF_PACKET)],
        proposals=list(asked.order_by("-created_at")),
    )


def find_profile(project: Project, slug: str) -> ProfileLine:
    """Return a profile as it holds, in the open scope; raises NotThere for a name that is none."""
    return _of_name(profile_lines(project), slug)


def _of_name(lines: Iterable[ProfileLine], slug: str) -> ProfileLine:
    for line in lines:
        if line.slug == slug:
            return line
    raise NotThere.there("{profile}")


def _learnt(row: LearntFigures | None) -> Learnt | None:
    names = ("id", "encoding", "state", "figures")
    return learnt_in({name: getattr(row, name) for name in names} if row else None)


def _standings(newest: Mapping[str, LearntFigures]) -> dict[str, Standing]:
    lines = {slug: learnt_line(row) for slug, row in newest.items()}
    taken, odd = (Count("pk", filter=Q(fate=fate)) for fate in (UsageFate.TAKEN, UsageFate.IMPLAUSIBLE))
    counts = UsageReport.objects.values("slug").annotate(taken=taken, odd=odd)
    found = {row["slug"]: Standing(lines.get(row["slug"]), row["taken"], row["odd"]) for row in counts}
    return {slug: Standing(line, line.usages, 0) for slug, line in lines.items()} | found


def _effects() -> dict[str, Effect]:
    rows = ContextPacket.objects.order_by("-created_at").values_list(
        KT("receipt__profile__0"), "used", "input_cap", "refused"
    )[:LAST_PACKETS]
    by_name: defaultdict[str, list[tuple[int, int, bool]]] = defaultdict(list)
    for slug, used, cap, refused in rows:
        by_name[slug].append((used, cap, refused))
    return {slug: _effect(packets) for slug, packets in by_name.items()}


def _effect(packets: Sequence[tuple[int, int, bool]]) -> Effect:
    shares = [used / cap for used, cap, refused in packets if cap and not refused]
    mean = round(100 * sum(shares) / len(shares)) if shares else None
    return Effect(len(packets), sum(refused for *_, refused in packets), mean)


def _layers(profile: ModelProfile, budget: Budget, shares: Shares) -> Iterator[LayerLine]:
    own = profile.shares(budget.phase, budget.risk)
    for layer in Layer:
        share, figures = shares[layer], budget.layers[layer]
        yield LayerLine(
            layer=layer,
            group=GROUP_OF[layer],
            floor=figures.floor,
            cap=figures.cap,
            floor_share=share.floor / 100,
            cap_share=share.cap / 100,
            origin=figures.origin,
            differs=own[layer] != profile.layers[layer],
        )


def _versions(line: ProfileLine, shipped: Iterable[BudgetProfile]) -> Iterator[VersionLine]:
    there = Revision.objects.filter(contract__kind=ContractKind.BUDGET_PROFILE, contract__slug=line.slug)
    for row in there.exclude(state=RevisionState.DRAFT).select_related("proposed_by").order_by("-number")[:VERSIONS]:
        by = row.proposed_by.name if row.proposed_by else ""
        yield VersionLine(number=row.number, shipped=False, holds=row.number == line.revision, at=row.decided_at, by=by)
    for text in shipped:
        holds = line.revision is None and text.version == line.version
        yield VersionLine(number=text.version, shipped=True, holds=holds, at=text.created_at)


def _packet(row: ContextPacket) -> Mapping[str, Any]:
    share = round(100 * row.used / row.input_cap) if row.input_cap and not row.refused else None
    return {
        "id": row.public_id,
        "at": row.created_at,
        "thread": made_visible(row.thread.title),
        "language": language_of(row.thread.title),
        "role": row.role,
        "used": None if row.refused else row.used,
        "cap": row.input_cap,
        "share": share,
        "refused": row.refused,
    }
