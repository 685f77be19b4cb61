"""Opening a ref, one bounded piece after the other, and finding words in what is behind it."""

from typing import Annotated

from pydantic import Field

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.paths import Id, Ref
from greywind_site.client.mcp.tool import Gives, Takes, Tool
from greywind_site.client.mcp.vocabulary import Unit

MOST_TOKENS = 4000


class ReadTakes(Takes):
    ref: Ref = Field(description="As you were given it: event://…, memory://…@2, vision://…#done_when and the like.")
    offset: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        default=0, description="Where to begin, in the unit: 0, then the next of the answer before."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_TOKENS)] | None = Field(
        default=None, description="Most of the unit: 800 tokens or lines if left out, 20 matches with find."
    )
    unit: Unit | None = Field(default=None, description="tokens (as if left out) or lines. Not with find.")
    find: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="Words to look for: you get the lines that hold them, with their numbers."
    )
    session_id: Id | None = Field(default=None, description="The session that you work in, if you work in several.")


class Found(Gives):
    line: int = Field(description="Number of the line, from 1.")
    offset: int = Field(description="Pass it as offset with unit lines to read on from there.")
    text: str
    times: int
    cut: bool = Field(default=False, description="True where what was found is longer than is shown of it.")


class ReadBudget(Gives):
    session_id: str
    read: int = Field(description="Tokens that reads have brought into the session.")
    budget: int
    left: int


class ReadGives(Gives):
    ref: str
    text: str = Field(default="", description="Empty with find: see results.")
    results: list[Found] = Field(default_factory=list, description="With find: one a line.")
    unit: str
    offset: int
    total: int = Field(description="Of the whole, in the unit.")
    next: int | None = Field(description="The offset to read on from; null at the end.")
    cut: bool = Field(default=False, description="True for the beginning of one line that is longer than a read.")
    media_type: str
    sha256: str | None = None
    read_budget: ReadBudget | None = Field(default=None, description="What your session has read, and may read.")


def read_evidence(greywind: GreyWind, asked: ReadTakes) -> ReadGives:
    """Open a ref and read a bounded piece of what is behind it.

    Call it before you rely on a claim, and to read on where a text was shortened: pass `next` as offset until it is
    null. In a long text look with `find` first, then read around the lines that it names. What does not open is not
    there for you. Every read is recorded, and what a session reads in all has a budget.
    按引用读原文，一段一段地读；长文先用 find 查找。
    """
    params = {"q" if name == "find" else name: value for name, value in asked.model_dump(exclude_none=True).items()}
    return ReadGives.model_validate(greywind.call("GET", "/evidence", params=params))


TOOLS = (
    Tool(
        name="evidence_read",
        title="Read evidence · 查阅证据",
        takes=ReadTakes,
        gives=ReadGives,
        run=read_evidence,
        writes=False,
        repeatable=True,
    ),
)
