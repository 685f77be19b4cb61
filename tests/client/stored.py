"""What the server holds in the end."""

from typing import Any

from governance.scope import project_scope
from sessions.models import Session
from tests.cast import Cast


def sessions_of(cast: Cast) -> list[str]:
    """The sessions of all threads, oldest first."""
    with project_scope(cast.dev.acting, read_only=True):
        return [session.public_id for session in Session.objects.order_by("created_at")]


def transcript_of(cast: Cast) -> list[dict[str, Any]]:
    """The transcript of the one session there is."""
    [session] = sessions_of(cast)
    return list(cast.dev.client().get(f"/sessions/{session}/events?limit=100").json()["results"])


def told(events: list[dict[str, Any]]) -> list[list[str]]:
    """The part of the entries that the recorded conversation fixes."""
    return [[event["role"], event["kind"], event["attested_by"], event["tool"], event["text"]] for event in events]
