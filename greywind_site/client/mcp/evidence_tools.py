"""Opening a ref, one bounded piece after the other."""

from typing import Annotated

from pydantic import Field

from greywind_site.client.http import GreyWind
from greywind_site.client.mcp.paths import Ref
from greywind_site.client.mcp.tool import Gives, Takes, Tool

DEFAULT_TOKENS, MOST_TOKENS = 800, 4000


class ReadTakes(Takes):
    ref: Ref = Field(description="As you were given it: event://…, artifact://…, memory://…, summary://…, handoff://….")
    offset: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        default=0, description="Where to begin, in tokens: 0, then the next of the answer before."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = Field(default=DEFAULT_TOKENS, description="Most tokens.")


class ReadGives(Gives):
    ref: str
    text: str
    offset: int
    total: int = Field(description="Tokens of the whole.")
    next: int | None = Field(description="The offset to read on from; null at the end.")
    media_type: str
    sha256: str | None = None


def read_evidence(greywind: GreyWind, asked: ReadTakes) -> ReadGives:
    """Open a ref and read a bounded piece of what is behind it.

    Call it before you rely on a claim, and to read on where a text was shortened: pass `next` as offset until it is
    null. What does not open is not there for you. Every read is recorded.
    按引用读原文，一段一段地读。
    """
    return ReadGives.model_validate(greywind.call("GET", "/evidence", params=asked.model_dump()))


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
