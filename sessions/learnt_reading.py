"""What reported usage taught, as pages show it: factors by kind of text, how sure they are, and since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sessions.context.scripts import Mix, Script, mix_of
from sessions.context.tokens import Weights, exact_counter
from sessions.models import LearntFigures
from sessions.usage_fit import LEAST_USAGES
from sessions.vocabulary import Learning, TextKind

# A few lines of each kind, of our own: what weights come to in usual text.
USUAL: dict[TextKind, str] = {
    TextKind.CHINESE: (
        "用户昨天说过，下一版先不动登录流程，把导出功能做完再谈。测试在周三跑完，结果是三十二项通过，一项失败；"
        "失败的原因是时区换算少算了一个小时。我们约好周五之前给出修复，并且把原因写进交接说明。"
    ),
    TextKind.ENGLISH: (
        "Yesterday the user asked us to leave the login flow alone and to finish the export first. The tests ran on "
        "Wednesday: thirty-two passed and one failed, because the time zone was off by an hour. We agreed to mend it "
        "by Friday, and to write the cause down for whoever takes over.\n"
    ),
    TextKind.CODE: (
        "def layers_over(budget: Budget, *, used: dict[str, int]) -> list[str]:\n"
        '    """Return the layers whose tokens are above their cap."""\n'
        "    caps = {layer.name: layer.cap for layer in budget.layers}\n"
        "    return [name for name, tokens in used.items() if tokens > caps.get(name, 0)]\n\n"
        'if __name__ == "__main__":\n    print(layers_over(load("budget.json"), used={"policy": 1_204}))\n'
    ),
}


def per_cent(share: float) -> str:
    """Return a share as per cent with one decimal."""
    return f"{100 * share:.1f}"


@dataclass(frozen=True, slots=True)
class KindFactor:
    """What a token of the known vocabulary comes to in one kind of usual text."""

    kind: TextKind
    factor: float


@dataclass(frozen=True, slots=True)
class ScriptWeight:
    """Tokens that one character of a script adds."""

    script: Script
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntLine:
    """One version of what was learnt. Shares are of a prompt's tokens; `harness` is None where every report told it."""

    id: str
    version: int
    state: Learning
    encoding: str
    usages: int
    outliers: int
    reporters: int
    error: float
    spread: float
    undercount: float
    lift: float
    harness: int | None
    token: float | None
    weights: Sequence[ScriptWeight]
    factors: Sequence[KindFactor]
    since: datetime
    until: datetime
    at: datetime

    @property
    def error_percent(self) -> str:
        return per_cent(self.error)

    @property
    def spread_percent(self) -> str:
        return per_cent(self.spread)

    @property
    def undercount_percent(self) -> str:
        return per_cent(self.undercount)

    @property
    def lift_percent(self) -> str:
        return per_cent(self.lift)

    def as_json(self) -> dict[str, Any]:
        """Return the line as an export says it."""
        figures: dict[str, Any] = {name: getattr(self, name) for name in ("version", "usages", "outliers", "reporters")}
        figures |= {name: getattr(self, name) for name in ("error", "spread", "undercount", "lift", "harness", "token")}
        return {"id": self.id, "state": self.state.value, "encoding": self.encoding, **figures} | {
            "scripts": {one.script.value: one.weight for one in self.weights},
            "factors": {one.kind.value: one.factor for one in self.factors},
            "since": self.since.isoformat(),
            "until": self.until.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Standing:
    """How far learning about a profile has come: the newest version, and what has been reported at all."""

    newest: LearntLine | None
    taken: int
    implausible: int

    @property
    def state(self) -> Learning:
        return self.newest.state if self.newest else Learning.COLLECTING

    @property
    def missing(self) -> int:
        """Reports that are still needed before anything is learnt."""
        return max(LEAST_USAGES - self.taken, 0)


def learnt_line(row: LearntFigures) -> LearntLine:
    """Return a version as pages show it."""
    said = row.figures.get("weights")
    weights = Weights(said["token"], tuple(said["scripts"])) if said else None
    return LearntLine(
        id=row.public_id,
        version=row.version,
        state=Learning(row.state),
        encoding=row.encoding,
        usages=row.usages,
        outliers=row.outliers,
        reporters=row.reporters,
        error=row.error,
        spread=row.spread,
        undercount=row.undercount,
        lift=row.figures.get("lift", 0.0),
        harness=row.figures.get("harness"),
        token=weights.token if weights else None,
        weights=[ScriptWeight(*pair) for pair in zip(Script, weights.scripts, strict=True)] if weights else [],
        factors=[KindFactor(kind, factor_of(weights, kind, row.encoding)) for kind in TextKind] if weights else [],
        since=row.since,
        until=row.until,
        at=row.created_at,
    )


def factor_of(weights: Weights, kind: TextKind, encoding: str) -> float:
    """Return what the weights make of a token of `encoding` in usual text of a kind."""
    counted, mix = _usual(kind, encoding)
    return round(weights.tokens(counted, mix) / counted, 3)


@cache
def _usual(kind: TextKind, encoding: str) -> tuple[int, Mix]:
    return exact_counter(encoding).count(USUAL[kind]), mix_of(USUAL[kind])
