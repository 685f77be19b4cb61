"""What a Chief was told of another's thread is erased with whoever spoke there, and its packet says so."""

import pytest
from django.utils import timezone

from governance.actors import acting_as
from governance.agents import add_agent
from governance.keys import mint
from governance.scope import project_scope
from governance.vocabulary import KeyScope
from greywind_site.erasing.person import erase_person
from tests.api.asking import append, compiled, event, make_thread, ok, open_session
from tests.cast import Cast, Member, make_cast
from tests.erasing.leaver import leaver_of
from tests.erasing.leftovers import holding

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
CANARY = "xqcanaryx"


def chief_of(cast: Cast) -> Member:
    with project_scope(cast.owner.acting):
        agent = add_agent(cast.owner.acting, "another-chief", roles=("chief",), now=timezone.now())
        secret = mint(agent, scopes=list(KeyScope), name="another-chief").secret
    return Member(agent, acting_as(agent, scopes=frozenset(KeyScope)), secret)


def test_no_word_of_a_thread_is_left_in_what_others_were_told_of_it() -> None:
    cast = make_cast()
    session = open_session(cast.dev, make_thread(cast.dev, title=f"Release of {CANARY}"), role="dev")
    append(cast.dev, session, event(f"Blocked by: the key of {CANARY} is missing.", attested=True))
    ok(cast.dev.client().post(f"/sessions/{session}/checkpoint", {}))
    chief = chief_of(cast)
    packet = compiled(chief, "Where are we?", thread_id=make_thread(chief), role="chief")
    assert CANARY in str(packet["packet"]["project_state"])
    leaver_of(cast, "bo", cast.dev)
    erase_person("bo", reason="asked to be forgotten", now=timezone.now())
    told = chief.client().get(f"/context/{packet['packet_id']}/replay").json()
    assert (holding(CANARY), told["verdict"]) == ({}, "parts_lost")
    assert {one["why"] for one in told["lost"]} == {"erased"}
