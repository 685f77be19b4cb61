"""The first request of an agent, as a command to copy."""

import json
import shlex

from django.utils.translation import gettext


def first_request(endpoint: str) -> str:
    """Return a shell command that asks for context; the key comes from the variable GREYWIND_KEY."""
    body = {"user_input": {"raw_text": gettext("Carry on with the release notes")}}
    lines = [
        f"curl -sS -X POST {shlex.quote(endpoint)}",
        '  -H "Authorization: Bearer $GREYWIND_KEY"',
        '  -H "Content-Type: application/json"',
        f"  -d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    ]
    return " \\\n".join(lines)
