"""Which budget profile is chosen: the approved text before the shipped row, and never one that cannot be read."""

import json
import uuid
from typing import Any

import pytest

from governance.errors import Invalid
from sessions.contract_gauges import check_profile
from sessions.profiles import CONSERVATIVE, choose
from tests.context.cast import PROFILES

NAME = "gpt-5@codex"
REVISION = uuid.UUID(int=7)


def row(slug: str, *, revision: uuid.UUID | None = None, version: int = 1, **changes: Any) -> dict[str, Any]:
    approved = str(revision) if revision else None
    body = json.dumps(PROFILES[slug] | changes)
    return {"slug": slug, "version": version, "body": body, "revision": approved, "learnt": None}


SHIPPED = [row(CONSERVATIVE), row(NAME)]


def test_a_shipped_profile_says_that_it_ships() -> None:
    chosen = choose(NAME, SHIPPED)
    assert (chosen.origin, chosen.revision, chosen.place) == ("shipped gpt-5@codex@1", None, [NAME, 1])


@pytest.mark.parametrize("order", [1, -1])
def test_the_approved_text_stands_above_the_shipped_row(order: int) -> None:
    chosen = choose(NAME, [*SHIPPED, row(NAME, revision=REVISION, version=3, model_window=300_000)][::order])
    assert (chosen.profile.window, chosen.origin, chosen.warning) == (300_000, "profile gpt-5@codex@3", None)
    assert chosen.place == [NAME, 3, f"rev_{REVISION.hex}"]


def test_the_approved_conservative_one_serves_who_names_an_unknown_model() -> None:
    own = row(CONSERVATIVE, revision=REVISION, version=2, model_window=90_000)
    chosen = choose("no-such@harness", [*SHIPPED, own])
    assert (chosen.profile.window, chosen.origin) == (90_000, "profile default@conservative@2")
    assert str(chosen.warning).startswith("unknown_profile: ")


@pytest.mark.parametrize("changes", [{"factor": 0.1}, {"name": "another@codex"}])
def test_an_approved_text_that_cannot_be_read_gives_the_shipped_row_and_says_so(changes: dict[str, Any]) -> None:
    chosen = choose(NAME, [*SHIPPED, row(NAME, revision=REVISION, version=3, **changes)])
    assert (chosen.origin, str(chosen.warning).partition(":")[0]) == ("shipped gpt-5@codex@1", "unusable_profile")


def test_a_project_without_its_conservative_profile_is_a_fault_of_the_installation() -> None:
    with pytest.raises(LookupError):
        choose(NAME, [])


FLOORS = {layer: share | {"floor": 0.1, "cap": 1} for layer, share in PROFILES[NAME]["layers"].items()}
OVER: list[tuple[dict[str, Any], str, list[str]]] = [
    ({"layers": FLOORS}, "/body/layers", ["130 %", "234000", "180000", "plan"]),
    ({"groups": {"policy": 0.5, "plan": 0.3, "self": 0.2, "evidence": 0.05}}, "/body/groups", ["105 %"]),
    ({"harness_window": 200_000}, "/body/reserves", ["220000", "200000", "model_window 400000"]),
    (
        {"item_caps": PROFILES[NAME]["item_caps"] | {"message": 190_000}},
        "/body/item_caps/message",
        ["190000", "180000"],
    ),
]


@pytest.mark.parametrize(("changes", "pointer", "figures"), OVER, ids=[case[1] for case in OVER])
def test_what_is_over_the_window_is_refused_with_its_figures(
    changes: dict[str, Any], pointer: str, figures: list[str]
) -> None:
    with pytest.raises(Invalid) as caught:
        check_profile(PROFILES[NAME] | changes)
    [fault] = caught.value.faults
    assert (fault.pointer, [figure for figure in figures if figure not in fault.message]) == (pointer, [])


@pytest.mark.parametrize("name", PROFILES)
def test_every_shipped_profile_could_be_proposed(name: str) -> None:
    check_profile(PROFILES[name])
