"""Erasing a person whose words became a vision in another one's name: they edited what an agent had proposed."""

import pytest
from django.utils import timezone

from governance.scope import project_scope
from governance.vocabulary import DecisionVerb, MembershipLevel
from greywind_site.erasing.person import erase_person
from tests.cast import make_cast
from tests.governing import decided, joined
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Vision
from threads.vision_edits import body_of, propose_vision
from threads.visions import VisionWish, current_vision

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def test_words_that_they_put_into_a_proposal_go_from_the_vision_as_well() -> None:
    cast, now = make_cast(), timezone.now()
    bo = joined(cast, "bo", MembershipLevel.MAINTAINER)
    with project_scope(cast.dev.acting):
        thread = create_thread(cast.dev.acting, ThreadWish(title="tides"), now=now)
        asked = propose_vision(cast.dev.acting, thread, VisionWish(origin_goal="print them"), seen=0, now=now)
        body = body_of(Vision(thread=thread, version=0, origin_goal="as I always told my sister"))
    decided(bo, asked, DecisionVerb.EDIT_AND_APPROVE, body=body)
    erase_person("bo", reason="asked to be forgotten", now=now)
    with project_scope(cast.dev.acting):
        found = current_vision(thread)
    assert found is not None
    assert (found.author_id, found.origin_goal) == (cast.dev.acting.actor_id, "")
