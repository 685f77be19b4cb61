"""Budget profiles as JSON, with the figures that their pages show."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from sessions.budget_reading import ProfileLine, ProfilePage


def profiles_json(lines: Sequence[ProfileLine]) -> bytes:
    """Return the list of profiles as indented JSON."""
    return _indented({"profiles": [_line(line) for line in lines]})


def profile_json(page: ProfilePage) -> bytes:
    """Return one profile as indented JSON: its text, its figures for a phase and a risk, and what was learnt."""
    budget = page.budget
    return _indented(
        {
            **_line(page.line),
            "body": page.line.body,
            "phase": budget.phase.value,
            "risk": budget.risk.value,
            "input_cap": budget.input_cap,
            "input_cap_origin": budget.origin.value,
            "reserves": dict(budget.reserves),
            "reserve_origins": {name: origin.value for name, origin in budget.reserve_origins.items()},
            "groups": {group.value: tokens for group, tokens in budget.groups.items()},
            "layers": [
                {"layer": one.layer.value, "floor": one.floor, "cap": one.cap, "origin": one.origin.value}
                for one in page.layers
            ],
            "learnt_versions": [one.as_json() for one in page.learnt],
        }
    )


def _line(line: ProfileLine) -> Mapping[str, Any]:
    profile, standing, effect = line.profile, line.standing, line.effect
    return {
        "profile": line.slug,
        "origin": "shipped" if line.revision is None else "approved",
        "version": line.version,
        "window": profile.window,
        "model_window": profile.model_window,
        "harness_window": profile.harness_window,
        "encoding": profile.encoding,
        "method": profile.method.value,
        "factor": profile.factor,
        "margin_share": round(profile.margin_share, 5),
        "room": profile.room,
        "reads": profile.read_budget,
        "item_caps": asdict(profile.item_caps),
        "counts": asdict(profile.counts),
        "thresholds": {"soft": line.soft, "hard": line.hard},
        "learning": {"state": standing.state.value, "taken": standing.taken, "implausible": standing.implausible},
        "learnt": standing.newest.as_json() if standing.newest else None,
        "recent_packets": {"packets": effect.packets, "refused": effect.refused, "mean_used_percent": effect.share},
    }


def _indented(content: Mapping[str, Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
