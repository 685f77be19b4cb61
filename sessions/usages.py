"""Usage that a provider counted, as an agent reports it for a packet: checked, kept, and learnt from once it suffices.

Only packets that the whole project may read teach, since what is learnt is the project's. A report may be wrong or
hostile: `usage_fit` follows the majority and stays within bounds, and one packet is reported on once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governance.actors import Acting
from governance.errors import Gone
from governance.scope import record
from governance.vocabulary import Audience
from sessions.context.profiles import ModelProfile
from sessions.context.scripts import Mix, Script, mix_of
from sessions.context.tokens import exact_counter
from sessions.context.vocabulary import CountMethod
from sessions.models import ContextPacket, LearntFigures, UsageReport
from sessions.profiles import again
from sessions.replay import decisions_in, recompile
from sessions.usage_fit import LEAST_USAGES, MOST_USAGES, Fit, Known, Usage, learn, plausible
from sessions.usage_reports import LARGEST, harness_tokens, input_tokens
from sessions.vocabulary import UsageFate

EARLY, LATER, SETTLED = 10, 25, 200  # a new version every ten reports, from two hundred on every twenty-five
HARNESS_SHARE = 4  # a quarter of the window is the most that is learnt to be a harness's own


@dataclass(frozen=True, slots=True)
class Counted:
    """A prompt as it was counted here."""

    tokens: int
    mix: Mix


def take_usage(acting: Acting, packet: ContextPacket, usage: Mapping[str, Any], *, now: datetime) -> UsageFate | None:
    """Keep what a provider counted for a packet, and learn from it when it is time; in the open scope of a mutation.

    Returns what became of the report: None where there is nothing to compare, because it names no input tokens, the
    packet was refused, is not everybody's, only a delta or no longer there, or has been reported on.
    """
    reported = input_tokens(usage)
    if reported is None or not _comparable(packet):
        return None
    counted = None if UsageReport.objects.filter(packet_id=packet.pk).exists() else _counted(packet)
    if counted is None:
        return None
    budget, told = packet.decisions["budget"], harness_tokens(usage)
    told = packet.receipt.get("client_tokens") if told is None else told
    usable = plausible(Usage(counted.tokens, counted.mix, reported, told), window=budget["window"])
    row = UsageReport(
        project_id=acting.project_id,
        packet=packet,
        actor_id=acting.actor_id,
        slug=packet.receipt["profile"][0],
        encoding=budget["encoding"],
        fate=UsageFate.TAKEN if usable else UsageFate.IMPLAUSIBLE,
        counted=counted.tokens,
        mix=list(counted.mix),
        reported=min(reported, LARGEST),
        harness_told=told,
        created_at=now,
    )
    # The same report twice at once: one of them is kept.
    UsageReport.objects.bulk_create([row], ignore_conflicts=True)
    if usable:
        _learn_when_due(acting, packet, row, now=now)
    return UsageFate(row.fate)


def _comparable(packet: ContextPacket) -> bool:
    """Whether what a provider counted is the packet's prompt and a constant: not so where it held a part already."""
    return not packet.refused and packet.audience == Audience.PROJECT and not packet.receipt.get("held")


def _counted(packet: ContextPacket) -> Counted | None:
    """Count the prompt that was given; None where it can no longer be made. An exact count is the packet's own."""
    budget = packet.decisions["budget"]
    if budget["method"] == CountMethod.EXACT:
        return Counted(packet.used, (0,) * len(Script))
    try:
        prompt = recompile(packet, decisions_in(packet)).prompt
    except Gone:
        return None
    return (
        None if prompt is None else Counted(exact_counter(budget["encoding"]).count(prompt.text), mix_of(prompt.text))
    )


def _learn_when_due(acting: Acting, packet: ContextPacket, row: UsageReport, *, now: datetime) -> None:
    last = LearntFigures.objects.filter(project_id=acting.project_id, slug=row.slug).order_by("-version").first()
    taken = UsageReport.objects.filter(
        project_id=acting.project_id, slug=row.slug, encoding=row.encoding, fate=UsageFate.TAKEN
    )
    fresh = taken.filter(created_at__gt=last.until).count() if last else taken.count()
    step = LEAST_USAGES if last is None else LATER if last.usages >= SETTLED else EARLY
    if fresh < step:
        return
    newest = list(taken.order_by("-created_at", "-id")[:MOST_USAGES])[::-1]
    profile = again(*packet.receipt["profile"][:3])
    fit = learn([Usage(one.counted, tuple(one.mix), one.reported, one.harness_told) for one in newest], _known(profile))
    if fit is not None:
        _keep(acting, fit, newest, version=last.version + 1 if last else 1, now=now)


def _known(profile: ModelProfile) -> Known:
    return Known(
        factor=profile.factor,
        exact=profile.method is CountMethod.EXACT,
        margin=profile.margin_share,
        most_harness=max(profile.window // HARNESS_SHARE, profile.reserves["harness"]),
    )


def _keep(acting: Acting, fit: Fit, rows: list[UsageReport], *, version: int, now: datetime) -> None:
    """Store a version of what was learnt, with its ledger entry, unless another report has just done so."""
    weights = {"token": fit.weights.token, "scripts": list(fit.weights.scripts)} if fit.weights else None
    learnt = LearntFigures(
        project_id=acting.project_id,
        slug=rows[-1].slug,
        version=version,
        encoding=rows[-1].encoding,
        state=fit.state,
        figures={"weights": weights, "harness": fit.harness, "lift": fit.lift},
        usages=fit.usages,
        outliers=fit.outliers,
        reporters=len({row.actor_id for row in rows}),
        error=fit.error,
        spread=fit.spread,
        undercount=fit.undercount,
        since=rows[0].created_at,
        until=rows[-1].created_at,
        created_at=now,
    )
    LearntFigures.objects.bulk_create([learnt], ignore_conflicts=True)
    if LearntFigures.objects.filter(pk=learnt.pk).exists():
        detail = {"profile": learnt.slug, "version": version, "state": fit.state.value, "usages": fit.usages}
        record("profile.learn", learnt.public_id, detail=detail)
