"""Who may read a packet: nobody who may not read its thread, whatever the code that stores it says."""

import pytest

from governance.ids import new_id
from governance.scope import project_scope
from sessions.models import ContextPacket
from tests.cast import Member, make_cast
from tests.factories import seed

pytestmark = pytest.mark.django_db


def stored_again(by: Member, audience: str, role: str | None) -> tuple[str, str | None, bool]:
    """Store the newest packet anew for other readers; returns who may read it then."""
    with project_scope(by.acting):
        packet = ContextPacket.objects.latest("created_at")
        packet.pk, packet.audience, packet.audience_role, packet.owner_id = new_id(), audience, role, None
        packet.save(force_insert=True)
        held = ContextPacket.objects.get(pk=packet.pk)
        return held.audience, held.audience_role, held.owner_id == by.acting.actor_id


@pytest.mark.parametrize(("audience", "role"), [("project", None), ("role", "dev")])
def test_a_packet_of_a_private_thread_stays_private(audience: str, role: str | None) -> None:
    cast = make_cast("alpha")
    seed(cast, canary="qz", maker=cast.personal, private=True)
    assert stored_again(cast.personal, audience, role) == ("private", None, True)


def test_a_packet_of_the_projects_thread_may_be_narrower() -> None:
    cast = make_cast("alpha")
    seed(cast, canary="qz")
    assert stored_again(cast.dev, "role", "dev") == ("role", "dev", False)
