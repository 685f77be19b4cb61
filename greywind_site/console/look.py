"""Light, dark, or as the system has it."""

from typing import Any

from django.http import HttpRequest

COOKIE = "look"
FOLLOW_SYSTEM = "auto"
LOOKS = (FOLLOW_SYSTEM, "light", "dark")


def look(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `looks` to choose from, and `look`, the chosen one."""
    chosen = request.COOKIES.get(COOKIE, FOLLOW_SYSTEM)
    return {"look": chosen if chosen in LOOKS else FOLLOW_SYSTEM, "looks": LOOKS}
