"""Tool calls as text, and results paired with the calls that they answer."""

from typing import Any

from sessions.imports.parsing import NotReadable, compact, parse


class CallNames:
    """Remembers which tool an open call was for, so that its result can say so. Holds open calls only."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], str] = {}

    def opened(self, session: str, call_id: Any, name: str | None) -> None:
        """Note a call; without an id or a name there is nothing to pair."""
        if isinstance(call_id, str) and name:
            self._open[session, call_id] = name

    def answered(self, session: str, call_id: Any) -> str | None:
        """Return the tool of the call that this result answers, None when the call was not seen."""
        return self._open.pop((session, call_id), None) if isinstance(call_id, str) else None


def call_text(name: str | None, arguments: Any) -> str:
    """Return a call as {"name", "arguments"}; arguments that are JSON inside a text are opened."""
    return compact({"name": name, "arguments": _opened(arguments)})


def _opened(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse(arguments)
    except NotReadable:
        return arguments


def named(value: Any) -> str | None:
    """Return a tool's name, None when it is not a text or empty."""
    return value if isinstance(value, str) and value else None
