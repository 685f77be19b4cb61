"""Speaking and reading in a real browser: without any script, by keyboard alone, and with parts swapped in place."""

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from governance.scope import project_scope
from governance.vocabulary import MembershipLevel
from sessions.lifecycle import OpenWish, open_or_resume
from sessions.models import Event
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import EventKind, EventRole
from tests.browser.window import Window, window
from tests.cast import Cast, make_cast
from tests.site.console_cast import join, make_account, page_of, signed_in
from threads.lifecycle import ThreadWish, create_thread

pytestmark = pytest.mark.slow


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def seat(cast: Cast) -> dict[str, str]:
    """The cookies of a signed-in maintainer."""
    client = signed_in(join(make_account(), cast, MembershipLevel.MAINTAINER))
    return {"sessionid": client.cookies["sessionid"].value}


@pytest.fixture
def places(cast: Cast) -> tuple[str, str]:
    """The addresses of the form for speaking and of a session with 120 entries."""
    acting, now = cast.dev.acting, timezone.now()
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="tide tables"), now=now)
        session = open_or_resume(acting, thread, OpenWish(role="dev"), now=now).session
        events = [
            NewEvent(client_id=f"c{n}", role=EventRole.USER, kind=EventKind.MESSAGE, text=f"words {n}")
            for n in range(120)
        ]
        append(acting, session.pk, events, now=now)
    base = page_of(cast)
    return f"{base}threads/{thread.public_id}/say", f"{base}sessions/{session.public_id}/"


def stored(cast: Cast) -> Event:
    with project_scope(cast.owner.acting):
        return Event.objects.latest("seq")


def test_a_constraint_is_stated_by_keyboard_without_scripts(
    chromium: Path, live_server: LiveServer, cast: Cast, *, seat: dict[str, str], places: tuple[str, str]
) -> None:
    with window(chromium, live_server.url, java_script_enabled=False) as seen:
        seen.take_seat(seat)
        seen.open(f"{places[0]}?kind=constraint")
        seen.page.focus("#id_text")
        seen.page.keyboard.type("从不取整 never round")
        for key in ("Tab", "Tab", "Enter"):
            seen.page.keyboard.press(key)
        seen.page.wait_for_url("**/sessions/**")
        told = seen.page.locator(".told").inner_text()
    assert told.startswith("Stored. From now on every context packet")
    assert (stored(cast).kind, stored(cast).text) == ("constraint", "从不取整 never round")


def test_parts_of_a_transcript_are_swapped_in_place(
    chromium: Path, live_server: LiveServer, *, seat: dict[str, str], places: tuple[str, str]
) -> None:
    with window(chromium, live_server.url) as seen:
        seen.take_seat(seat)
        seen.open(places[1])
        seen.page.get_by_role("link", name="Earlier entries").first.click()
        seen.page.locator("#e21").wait_for()
        landed = seen.page.evaluate("document.activeElement.id")
        complaints = seen.complaints + first_entry(seen)
    assert (landed, complaints) == ("transcript-heading", ["e21"])


def first_entry(seen: Window) -> list[str]:
    """The id of the first entry that is shown."""
    return [str(seen.page.evaluate("document.querySelector('li.entry').id"))]
