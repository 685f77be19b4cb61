"""Where things are shown, told by their ids and refs alone."""

import pytest
from django.urls import resolve

from governance.places import PAGES, page_of

PROJECT = "prj_" + "0" * 32
HEX = "1" * 32


@pytest.mark.parametrize("prefix", sorted(PAGES))
def test_every_kind_has_the_page_that_is_named(prefix: str) -> None:
    page = page_of(PROJECT, f"{prefix}_{HEX}")
    assert page
    found = resolve(page)
    assert (found.url_name, list(found.kwargs.values())) == (PAGES[prefix], [PROJECT, f"{prefix}_{HEX}"])


@pytest.mark.parametrize(
    ("ref", "page"),
    [
        (f"memory://mem_{HEX}@3", f"memories/mem_{HEX}/"),
        (f"vision://thr_{HEX}@2", f"threads/thr_{HEX}/"),
        (f"context://pkt_{HEX}", f"contexts/pkt_{HEX}/"),
        (f"handoff://hnd_{HEX}", f"handoffs/hnd_{HEX}/"),
        (f"event://ses_{HEX}/7-9", f"sessions/ses_{HEX}/?seq=7#e7"),
        (f"artifact://art_{HEX}#l=10,20", f"artifacts/art_{HEX}/?offset=10&limit=20#L11"),
    ],
)
def test_a_ref_leads_to_what_it_names(ref: str, page: str) -> None:
    assert page_of(PROJECT, ref) == f"/p/{PROJECT}/{page}"


@pytest.mark.parametrize(
    "named",
    [
        "",
        f"key_{HEX}",
        f"act_{HEX}",
        f"mem_{HEX}x",
        f"mem_{HEX.upper()[:-1]}F",
        "mem_../../../admin",
        f"https://mem_{HEX}",
        f"a2a://mem_{HEX}",
        "context://dry-run",
        f"event://ses_{HEX}/x",
    ],
)
def test_what_has_no_page_leads_nowhere(named: str) -> None:
    assert page_of(PROJECT, named) is None
