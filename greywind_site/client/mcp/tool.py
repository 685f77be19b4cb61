"""What a tool is: its words, its shapes, its hints, and the one way in which each is called."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import types
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from greywind_site.client.http import GreyWind, Refused, Unreachable
from greywind_site.client.mcp.human import must_decide
from greywind_site.client.mcp.refusals import Told, invalid, refused, unreachable, unreadable


class Takes(BaseModel):
    """Arguments of a tool. Unknown ones are errors: a misspelt one must not pass for an absent one."""

    model_config = ConfigDict(extra="forbid")


class Gives(BaseModel):
    """The structured answer of a tool: what it names of the API's answer, and nothing else."""

    model_config = ConfigDict(extra="ignore")


def _unwrapped(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


# Some models send a list as a text that holds the list's JSON.
Unwrapped = BeforeValidator(_unwrapped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool[I: Takes, O: Gives]:
    """One tool. `run` holds its description as docstring; `writes` and `repeatable` become its hints.

    `near_deciding` marks a tool that could be mistaken for a decision: its refusals say who decides, and where.
    """

    name: str
    title: str
    takes: type[I]
    gives: type[O]
    run: Callable[[GreyWind, I], O]
    writes: bool
    repeatable: bool
    near_deciding: bool = False

    def definition(self) -> types.Tool:
        """Return the tool as tools/list shows it."""
        hints = types.ToolAnnotations(
            title=self.title,
            read_only_hint=not self.writes,
            destructive_hint=False,
            idempotent_hint=self.repeatable,
            open_world_hint=False,
        )
        return types.Tool(
            name=self.name,
            title=self.title,
            description=_description(self.run),
            input_schema=self.takes.model_json_schema(),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=hints,
        )

    def call(self, greywind: GreyWind, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Return the answer; a refusal, or silence, becomes an error that names the field and the remedy."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            asked = self.takes.model_validate(given)
        except ValidationError as error:
            told = invalid(error)
        else:
            outcome = self._outcome(greywind, asked)
            if not isinstance(outcome, Told):
                return _answered(outcome)
            told = outcome
        if self.near_deciding:
            told.human = must_decide(greywind)
        return failed(told)

    def _outcome(self, greywind: GreyWind, asked: I) -> O | Told:
        try:
            return self.run(greywind, asked)
        except Refused as error:
            return refused(error)
        except Unreachable as error:
            return unreachable(error)
        except (ValidationError, LookupError, TypeError) as error:
            return unreadable(error)


def failed(told: Told) -> types.CallToolResult:
    """Return a refusal as a tool's error."""
    document = {"error": told.model_dump(mode="json", exclude_defaults=True)}
    return types.CallToolResult(content=[_text(document)], structured_content=document, is_error=True)


def _answered(given: Gives) -> types.CallToolResult:
    document = given.model_dump(mode="json")
    return types.CallToolResult(content=[_text(document)], structured_content=document)


def _text(document: Any) -> types.TextContent:
    return types.TextContent(type="text", text=json.dumps(document, ensure_ascii=False))


def _description(run: Callable[..., Any]) -> str:
    lines = (run.__doc__ or "").strip().splitlines()
    return "\n".join(line.strip() for line in lines)
