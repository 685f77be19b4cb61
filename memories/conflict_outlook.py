"""What packets may carry while a conflict is open, and after each way of settling it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from governance.policies import PolicyRules
from governance.vocabulary import Phase, Risk, Sensitivity
from memories.entering import Fact, spots_of
from memories.vocabulary import KnowledgeStatus, MemoryStatus, SettlementVerb, SourceRank, WriteAction


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A side as far as what follows from it is concerned. `letter` names it on the page."""

    letter: str
    status: MemoryStatus
    sensitivity: Sensitivity
    source: SourceRank
    before: KnowledgeStatus
    takes_away: bool = False

    @property
    def vouched(self) -> bool:
        """Whether its words stand beside those it disputes: what nobody vouches for disputes, and is not carried."""
        return self.source is not SourceRank.UNTRUSTED_EXTERNAL and self.sensitivity is not Sensitivity.SECRET


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A text that packets may carry: that of a side, or the merged one (letter ''), and the phases and risks it enters.

    `beside` are the sides whose words stand with it as what disputes it.
    """

    letter: str
    knowledge: KnowledgeStatus
    beside: Sequence[str]
    enters: Mapping[Phase, Sequence[Risk]]
    everywhere: bool

    @property
    def nowhere(self) -> bool:
        return not self.enters


def takes_away(action: str) -> bool:
    """Return whether a proposal asks that another memory leave use, so that it has no text of its own to carry."""
    return action == WriteAction.DELETE


def carried_now(sides: Sequence[Standing], rules: PolicyRules) -> list[Carried]:
    """Return what packets may carry while the conflict is unsettled: what is in use, as disputed."""
    in_use = [side for side in sides if side.status is MemoryStatus.ACTIVE]
    return [
        _carried(
            side.letter,
            KnowledgeStatus.DISPUTED,
            side.sensitivity,
            rules,
            beside=[one.letter for one in sides if one is not side and one.vouched],
        )
        for side in in_use
    ]


def carried_after(
    verb: SettlementVerb, sides: Sequence[Standing], rules: PolicyRules, *, chosen: str = ""
) -> list[Carried]:
    """Return what packets may carry once it is settled so; `chosen` is the letter of the side that holds."""
    match verb:
        case SettlementVerb.NEEDS_EVIDENCE:
            return carried_now(sides, rules)
        case SettlementVerb.NEITHER:
            return []
        case SettlementVerb.MERGE:
            level = max((side.sensitivity for side in sides), key=list(Sensitivity).index)
            return [_carried("", KnowledgeStatus.CONFIRMED, level, rules)]
        case SettlementVerb.BOTH_VALID:
            held = sides
        case _:
            held = [side for side in sides if side.letter == chosen]
    return [_carried(side.letter, side.before, side.sensitivity, rules) for side in held if not side.takes_away]


def _carried(
    letter: str, knowledge: KnowledgeStatus, level: Sensitivity, rules: PolicyRules, *, beside: Sequence[str] = ()
) -> Carried:
    rows = spots_of(Fact(sensitivity=level, knowledge=knowledge), rules)
    enters = {row[0].phase: [spot.risk for spot in row if spot.enters] for row in rows}
    return Carried(
        letter=letter,
        knowledge=knowledge,
        beside=beside,
        enters={phase: risks for phase, risks in enters.items() if risks},
        everywhere=all(spot.enters for row in rows for spot in row),
    )
