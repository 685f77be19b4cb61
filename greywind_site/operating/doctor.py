"""`manage.py doctor`: one examination after the other, each with one line, all of them whatever the first ones say."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.operating import examining
from greywind_site.operating.command import Told
from greywind_site.operating.examining import START, Ill

type Examination = Callable[[], str]

# In this order, because each leans on those before it.
EXAMINATIONS: Sequence[Examination] = (
    examining.python,
    examining.vocabularies,
    examining.locale,
    examining.disk,
    examining.account,
    examining.database,
    examining.migrations,
    examining.isolation,
    examining.broker,
    examining.worker,
    examining.web,
    examining.ledger,
    examining.transcripts,
    examining.vectors,
    examining.clock,
    examining.canary,
)
LEANS_ON: Mapping[str, Sequence[str]] = {
    "migrations": ("database",),
    "isolation": ("database", "migrations"),
    "worker": ("broker",),
    "ledger": ("database", "migrations"),
    "transcripts": ("database", "migrations"),
    "vectors": ("database", "migrations"),
    "clock": ("database",),
    "canary": ("database", "migrations"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one examination found: `told` is what is well or what is wrong, `remedy` is None when all is well."""

    name: str
    ok: bool
    told: str
    remedy: str | None = None


def examine() -> Told:
    """Run every examination; what leans on one that failed is not tried."""
    findings: dict[str, Finding] = {}
    for examination in EXAMINATIONS:
        name = examination.__name__
        broken = next((findings[other] for other in LEANS_ON.get(name, ()) if not findings[other].ok), None)
        findings[name] = _not_tried(name, broken) if broken else _examined(name, examination)
    well = all(finding.ok for finding in findings.values())
    facts = {"ok": well, "findings": [asdict(finding) for finding in findings.values()]}
    return Told(facts=facts, shown=_shown(findings.values()), ok=well)


def _examined(name: str, examination: Examination) -> Finding:
    try:
        return Finding(name=name, ok=True, told=examination())
    except Ill as fault:
        return Finding(name=name, ok=False, told=str(fault), remedy=fault.remedy)
    except Exception as fault:  # noqa: BLE001 - whatever breaks an examination is what it found
        told = f"{type(fault).__name__}: {' '.join(str(fault).split())[:200]}"
        return Finding(name=name, ok=False, told=told, remedy=START)


def _not_tried(name: str, broken: Finding) -> Finding:
    return Finding(name=name, ok=False, told=f"not tried, because {broken.name} failed", remedy=broken.remedy)


def _shown(findings: Iterable[Finding]) -> RenderableType:
    return Group(*map(_line, findings))


def _line(finding: Finding) -> Text:
    line = Text(f"{finding.name:<13}")
    line.append("ok     " if finding.ok else "FAILED ", style="green" if finding.ok else "bold red")
    line.append(finding.told)
    return line if finding.remedy is None else line.append(f" → {finding.remedy}")
