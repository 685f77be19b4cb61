"""The budget profiles that ship: six models in their harnesses, and the conservative default.

Windows are in tokens, as their makers state them for the API, and the lower figure where a harness gives less:
gpt-5 400,000, of which ChatGPT gives 128,000; Claude Sonnet and Opus 200,000; Gemini Pro 1,048,576; Qwen Max 262,144.
They are data: a maker that changes one is followed by a new version of its row. The harness reserve covers a system
prompt and tool schemas of that harness. Only OpenAI's models publish the vocabulary, so only their counts are exact;
the others are o200k_base counts times a factor that errs on the high side for Chinese, English and code.
"""

from typing import Any

from django.db import migrations

LAYERS = {
    "policy": {"floor": 0.02, "cap": 0.15},
    "role": {"floor": 0.02, "cap": 0.15},
    "persona": {"floor": 0.01, "cap": 0.1},
    "preferences": {"floor": 0.0, "cap": 0.05},
    "vision": {"floor": 0.02, "cap": 0.1},
    "thread": {"floor": 0.01, "cap": 0.05},
    "plan": {"floor": 0.02, "cap": 0.1},
    "constraints": {"floor": 0.02, "cap": 0.15},
    "summary": {"floor": 0.05, "cap": 0.2},
    "dialogue": {"floor": 0.2, "cap": 0.6},
    "tool_results": {"floor": 0.05, "cap": 0.3},
    "handoff": {"floor": 0.05, "cap": 0.15},
    "memories": {"floor": 0.05, "cap": 0.15},
    "input": {"floor": 0.02, "cap": 0.5},
}
GROUPS = {"policy": 0.15, "plan": 0.1, "self": 0.1, "evidence": 0.3}
COUNTS = {"memories": {"min": 2, "max": 5}, "handoff": 1}
ITEM_CAPS = {"tool_result": 2000, "message": 4000, "action": 64, "origin_goal": 400}
THRESHOLDS = {"soft": 0.7, "hard": 0.9}
# Planning reads more of what was learnt and less raw output; accepting reads results and leaves style aside.
PHASES = {
    "plan": {"layers": {"memories": {"floor": 0.1, "cap": 0.25}, "tool_results": {"floor": 0.0, "cap": 0.15}}},
    "accept": {"layers": {"tool_results": {"floor": 0.1, "cap": 0.4}, "preferences": {"floor": 0.0, "cap": 0.0}}},
}
# High risk: more room for rules, no recollection of taste.
RISKS = {"high": {"layers": {"policy": {"floor": 0.05, "cap": 0.25}, "preferences": {"floor": 0.0, "cap": 0.0}}}}


def _body(
    name: str,
    *,
    windows: tuple[int, int],
    reserves: tuple[int, int, int, int, int],
    factor: float,
    entries: int | None = None,
) -> dict[str, Any]:
    """Return a profile; `reserves` are output, tool results, protocol, harness and margin, in tokens.

    `entries` of a transcript are read; None means as many as the window is good for.
    """
    names = ("output", "tool_results", "protocol", "harness", "margin")
    return {
        "name": name,
        "model_window": windows[0],
        "harness_window": windows[1],
        "encoding": "o200k_base",
        "method": "exact" if factor == 1 else "estimate",
        "factor": factor,
        "reserves": dict(zip(names, reserves, strict=True)),
        "groups": GROUPS,
        "layers": LAYERS,
        "item_caps": ITEM_CAPS,
        # A larger window reads further back. Dialogue with tools comes to some 200 tokens an item, and half of a
        # window is for it.
        "counts": COUNTS | {"dialogue_items": entries or min(max(min(windows) // 400, 200), 2_000)},
        "thresholds": THRESHOLDS,
        "phases": PHASES,
        "risks": RISKS,
    }


PROFILES = [
    # The least window that a model which agents run on still has today. Everybody gets it who names no other, on every
    # turn: it reads back eighty entries, and what was said in the latest exchanges beyond them.
    _body(
        "default@conservative",
        windows=(128_000, 128_000),
        reserves=(8_000, 6_000, 500, 8_000, 2_500),
        factor=1,
        entries=80,
    ),
    _body("gpt-5@codex", windows=(400_000, 400_000), reserves=(128_000, 60_000, 500, 20_000, 11_500), factor=1),
    _body("gpt-5@chatgpt", windows=(400_000, 128_000), reserves=(32_000, 16_000, 500, 8_000, 3_500), factor=1),
    _body(
        "claude-sonnet@claude-code",
        windows=(200_000, 200_000),
        reserves=(32_000, 40_000, 500, 25_000, 6_500),
        factor=1.35,
    ),
    _body(
        "claude-opus@claude-code",
        windows=(200_000, 200_000),
        reserves=(32_000, 40_000, 500, 25_000, 6_500),
        factor=1.35,
    ),
    _body(
        "gemini-pro@gemini-cli",
        windows=(1_048_576, 1_048_576),
        reserves=(65_536, 200_000, 500, 20_000, 32_000),
        factor=1.25,
    ),
    _body("qwen-max@qwen-code", windows=(262_144, 262_144), reserves=(65_536, 50_000, 500, 20_000, 8_000), factor=1.25),
]


def insert(apps: Any, schema_editor: Any) -> None:
    """Insert version 1 of each profile."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    for body in PROFILES:
        profiles.create(slug=body["name"], version=1, body=body)


def delete(apps: Any, schema_editor: Any) -> None:
    """Delete what `insert` inserted."""
    profiles = apps.get_model("agent_sessions", "BudgetProfile").objects.using(schema_editor.connection.alias)
    profiles.filter(slug__in=[body["name"] for body in PROFILES], version=1).delete()


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0001_initial")]
    operations = [migrations.RunPython(insert, delete)]
