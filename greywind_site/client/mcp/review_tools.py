"""What became of the agent's own proposals. Looking is all that can be done here."""

from typing import Annotated, Any, Literal

from pydantic import Field

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.human import Human, must_decide
from greywind_site.client.mcp.paths import Id, part
from greywind_site.client.mcp.text import shortened
from greywind_site.client.mcp.tool import Gives, Takes, Tool
from greywind_site.client.mcp.vocabulary import MemoryStatus

MOST_LISTED, EXCERPT_CHARACTERS = 20, 300
SETTLED = {
    MemoryStatus.COMMITTED: "It passed every gate and is about to become active.",
    MemoryStatus.ACTIVE: "It was admitted; searches find it and packets may carry it.",
    MemoryStatus.ARCHIVED: "It was put away; no packet carries it.",
    MemoryStatus.REVOKED: "It was taken back.",
    MemoryStatus.REJECTED: "It was refused for good; with more evidence, propose a new one.",
}
WAITS = "A human has not decided yet; nothing that an agent does hastens it."


class ReviewTakes(Takes):
    memory_id: Id | None = Field(default=None, description="One proposal (mem_…); left out, your own are listed.")
    waiting: bool = Field(default=False, description="Only those that still wait for a human, wherever they stand.")
    status: MemoryStatus | None = Field(
        default=None, description="Only those that stand here; one that is held for a human stands at policy_checked."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 10
    cursor: Annotated[str, Field(max_length=300)] | None = Field(default=None, description="The `next` you were given.")


class Reviewed(Gives):
    memory_id: str
    ref: str
    excerpt: str
    action: str
    status: str
    waits_for: Literal["human", "nobody"]
    meaning: str
    reason_code: str = Field(description="Why it was refused, where it was.")
    evidence_gap: str = Field(description="What the evidence lacks.")


class ReviewGives(Gives):
    proposals: list[Reviewed]
    next: str | None
    human: Human | None = Field(description="What a human must do, and where; null when nothing of these waits.")


def review_status(greywind: GreyWind, asked: ReviewTakes) -> ReviewGives:
    """See where your own proposals stand: which wait, for whom, and where that person decides.

    Call it when you want to know what became of something that you proposed, or when your user asks. It shows and
    changes nothing: no argument of it approves, refuses or hurries anything.
    提案到哪一步了，等谁。
    """
    rows, following = _rows(greywind, asked)
    shown = [_reviewed(row) for row in rows]
    waiting = any(proposal.waits_for == "human" for proposal in shown)
    return ReviewGives(proposals=shown, next=following, human=must_decide(greywind) if waiting else None)


def _rows(greywind: GreyWind, asked: ReviewTakes) -> tuple[list[dict[str, Any]], str | None]:
    if asked.memory_id is not None:
        memory = greywind.call("GET", f"/memories/{part(asked.memory_id)}")
        return [memory | {"excerpt": memory["content"]}], None
    params = asked.model_dump(mode="json", include={"status", "limit", "cursor"})
    params |= {"waiting": "true"} if asked.waiting else {}
    told = greywind.call("GET", "/memories", params=params)
    return told["results"], told["next"]


def _reviewed(row: dict[str, Any]) -> Reviewed:
    settled = SETTLED.get(row["status"])
    said = {
        "memory_id": row["id"],
        "excerpt": shortened(row["excerpt"], EXCERPT_CHARACTERS),
        "waits_for": "nobody" if settled else "human",
        "meaning": settled or WAITS,
    }
    return Reviewed.model_validate(row | said)


TOOLS = (
    Tool(
        name="review_status",
        title="Status of proposals · 提案状态",
        takes=ReviewTakes,
        gives=ReviewGives,
        run=review_status,
        writes=False,
        repeatable=True,
        near_deciding=True,
    ),
)
