"""HTTP: what is wanted of a thread."""

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from ninja import Router
from pydantic import Field

from governance.actors import Acting
from governance.errors import NotThere
from governance.ids import public_id
from governance.input import Input, OptionalText, Text, Texts
from governance.models import Proposal
from governance.proposal_api import standing
from governance.proposal_texts import LONGEST_TEXT
from governance.replays import once
from governance.scope import project_scope
from governance.undertakings import heard_of
from governance.vocabulary import KeyScope
from governance.web import acting_of, answer, check_if_match
from threads.api import thread_here
from threads.models import Thread, Vision
from threads.vision_edits import Taken, revise_vision, take_up
from threads.visions import current_vision, wish_of, words_of

router = Router(tags=["threads"])


class VisionIn(Input):
    """What is wanted. `reason` is kept where the edit becomes a proposal: whoever decides it reads why."""

    origin_goal: Text
    done_when: Texts = []
    non_goals: Texts = []
    user_priorities: Texts = []
    quality_bar: OptionalText = ""
    reason: Annotated[OptionalText, Field(max_length=LONGEST_TEXT)] = ""


@router.get("/threads/{thread_id}/vision", operation_id="get_vision")
def get_vision(request: HttpRequest, thread_id: str) -> HttpResponse:
    """Show the current version of a thread's original intent."""
    with project_scope(acting_of(request, KeyScope.SESSION_WRITE), read_only=True):
        vision = current_vision(thread_here(thread_id))
        if vision is None:
            raise NotThere("This thread has no vision yet; it takes the first attested request, or PUT one.")
        return answer(_shown(vision), version=vision.version)


@router.put("/threads/{thread_id}/vision", operation_id="put_vision")
def put_vision(request: HttpRequest, thread_id: str, body: VisionIn) -> HttpResponse:
    """Write the next version of the original intent. Needs If-Match once there is one.

    Where the policy lets a human decide the edit, the answer is 202 with the proposal that waits for them; saying the
    same again gives the same proposal.
    """
    acting = acting_of(request, KeyScope.SESSION_WRITE)

    def act() -> HttpResponse:
        with project_scope(acting):
            taken = take_up(acting, thread_here(thread_id), pointer="{thread_id}")
            if (base := taken.base) is not None:
                check_if_match(request, base.version, lambda: _shown(base))
            return _revised(acting, taken, body)

    return once(request, acting, act)


def _revised(acting: Acting, taken: Taken, body: VisionIn) -> HttpResponse:
    wish, seen = wish_of(body.model_dump()), taken.version
    made = revise_vision(acting, taken, wish, seen=seen, now=timezone.now(), why=body.reason)
    if isinstance(made, Vision):
        return answer(_shown(made), version=made.version)
    return answer(_held(made, taken.thread, base=seen), status=202)


def _held(proposal: Proposal, thread: Thread, *, base: int) -> dict[str, Any]:
    return {
        **heard_of(proposal),
        "version": proposal.version,
        "thread_id": thread.public_id,
        "base": base,
        "page": reverse("proposal", args=[public_id("prj", proposal.project_id), proposal.public_id]),
        "message": f"The policy lets a human decide this edit. {standing(proposal)}",
    }


def _shown(vision: Vision) -> dict[str, Any]:
    """Return a version of the vision as the API shows it."""
    told = {"version": vision.version, "source": vision.source, "origin_ref": vision.origin_ref, **words_of(vision)}
    return told | {"thread_id": public_id("thr", vision.thread_id)}
