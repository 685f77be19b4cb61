"""How `manage.py bench_estimates` is told: errors by provider and kind of text, before and after learning."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from greywind_site.benching.estimate_texts import PROVIDERS, Halves, Kind, halves, provider, texts_in
from greywind_site.benching.estimates import HARNESS, Checked, Estimates, bench_provider, miscounted
from greywind_site.benching.rows import Tell
from greywind_site.hunting.scratch import scratch_database
from greywind_site.hunting.telling import quiet
from greywind_site.operating.command import Told, lines, table

MOST_ERROR = 0.03
COLUMNS = ("packets", "mean", "p95", "over", "under", "beyond margin")


def tell_estimates(folders: Sequence[Path], tell: Tell, *, usages: int, unseen: int, only: Sequence[str]) -> Told:
    """Measure in a database made for it and dropped afterwards. Not ok where a mean error is above MOST_ERROR, a count
    is too low beyond the margin, or an exact one differs.

    Raises Refused for a folder that is not of the form.
    """
    texts = halves(texts_in(folders))
    for kind in set(Kind) - set(texts.kinds):
        tell(f"NO TEXTS of {kind}: nothing is said of it; name a folder whose corpus.jsonl holds some")
    with scratch_database("bench_estimates"), quiet():
        exact = miscounted(texts, each=max(unseen // 4, 1))
        found = dict(_measured(texts, tell, usages=usages, unseen=unseen, only=only))
    ok = not exact["packets_wrong"] and not exact["counts_wrong"] and all(_good(one) for one in found.values())
    facts = {
        "usages": usages,
        "harness": HARNESS,
        "exact": exact,
        "providers": {k: figures(v) for k, v in found.items()},
    }
    return Told(facts=facts, shown=Group(*_shown(exact, found)), ok=ok)


def _measured(
    texts: Halves, tell: Tell, *, usages: int, unseen: int, only: Sequence[str]
) -> Iterator[tuple[str, Estimates]]:
    for name in PROVIDERS:
        if not only or name in only:
            tell(f"{name}: {usages} usages, then {unseen} unseen packets of each kind")
            yield name, bench_provider(provider(name), texts, mark=name, usages=usages, unseen=unseen)


def figures(found: Estimates) -> dict[str, Any]:
    """Return the learning state and, before and after it, errors by kind as shares of the provider's count."""
    learnt = found.learnt
    state = {name: getattr(learnt, name) for name in ("version", "state", "usages", "outliers", "error", "undercount")}
    return {
        "margin": round(found.margin, 5),
        "learnt": state | dict(learnt.figures) if learnt else None,
        "before": by_kind(found.before, found.margin),
        "after": by_kind(found.after, found.margin),
    }


def by_kind(checked: Sequence[Checked], margin: float) -> dict[str, dict[str, float]]:
    """Return for each kind and for all: packets, mean and 95th percentile error, the most too high and too low."""
    kinds = {
        kind.value: [one for one in checked if one.kind is kind] for kind in dict.fromkeys(c.kind for c in checked)
    }
    return {name: _errors(ones, margin) for name, ones in {**kinds, "all": checked}.items()}


def _errors(checked: Sequence[Checked], margin: float) -> dict[str, float]:
    errors = [one.error for one in checked]
    sizes = sorted(abs(error) for error in errors)
    return {
        "packets": len(errors),
        "mean": round(fmean(sizes), 5),
        "p95": round(quantiles(sizes, n=20)[-1] if len(sizes) > 1 else sizes[0], 5),
        "over": round(max(*errors, 0.0), 5),
        "under": round(max(*(-error for error in errors), 0.0), 5),
        "beyond margin": sum(one.beyond(margin) for one in checked),
    }


def _good(found: Estimates) -> bool:
    after = by_kind(found.after, found.margin)
    return all(one["mean"] <= MOST_ERROR and not one["beyond margin"] for one in after.values())


def _shown(exact: Mapping[str, int], found: Mapping[str, Estimates]) -> Iterator[RenderableType]:
    yield Text("exact counts against the vocabulary itself", style="bold")
    yield lines(exact)
    for name, one in found.items():
        said = figures(one)
        yield Text(f"\n{name} plays the provider", style="bold")
        yield lines({"margin": _percent(one.margin), **(said["learnt"] or {"learnt": "nothing"})})
        rows = [[when, kind, *_cells(row)] for when in ("before", "after") for kind, row in said[when].items()]
        yield table("", "texts", *COLUMNS, rows=rows)


def _cells(row: Mapping[str, float]) -> list[str]:
    return [str(row[name]) if name in ("packets", "beyond margin") else _percent(row[name]) for name in COLUMNS]


def _percent(share: float) -> str:
    return f"{share * 100:.2f} %"
