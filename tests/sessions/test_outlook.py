"""What a page says a resume would give is what the resume then gives."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.scope import project_scope
from sessions.lifecycle import LEASE, OpenWish, ProviderWish, open_or_resume
from sessions.losses import judge, kept_of
from sessions.models import Attempt, ProviderSession, Session
from sessions.outlook import Outlook, outlook_of
from sessions.speaking import Speech, speak
from sessions.transcripts import NewEvent, append
from sessions.vocabulary import AttemptState, EventKind, EventRole, InterruptionKind, Prospect, Recovery, SessionState
from sessions.windows import interrupt
from tests.cast import Cast, make_cast
from threads.lifecycle import ThreadWish, create_thread
from threads.models import Thread

NOW = timezone.now()
CODEX = ProviderWish(harness="codex", external_id="px-1")


def looked(state: SessionState, *attempts: Attempt, alive: bool = False, entries: int = 0) -> Outlook:
    """The outlook of a session that is nowhere stored."""
    providers = [ProviderSession(harness="codex", external_id="px-1")] if alive else []
    session = Session(state=state, head_seq=entries)
    kept = judge(session, count=entries, knows_told=True, summary=None, handoff=None)
    return outlook_of(session, attempts, providers, kept=kept, now=NOW)


def running(lease: int) -> Attempt:
    return Attempt(state=AttemptState.RUNNING, lease_until=NOW + timedelta(seconds=lease))


ENDED = Attempt(state=AttemptState.ENDED)


@pytest.mark.parametrize(
    ("outlook", "prospect", "recovery"),
    [
        (looked(SessionState.ACTIVE, running(LEASE)), Prospect.CONTINUED, Recovery.CONTINUED),
        (looked(SessionState.ACTIVE, running(-1)), Prospect.LAPSED, Recovery.CONTINUED),
        (looked(SessionState.IDLE, ENDED, alive=True), Prospect.RESUMED, Recovery.RESUMED),
        (looked(SessionState.IDLE, ENDED, entries=3), Prospect.REBUILT, Recovery.REBUILT),
        (looked(SessionState.INTERRUPTED, ENDED), Prospect.FAILED, Recovery.FAILED),
        (looked(SessionState.ACTIVE, entries=1), Prospect.FIRST, Recovery.REBUILT),
        (looked(SessionState.CLOSED, ENDED, entries=3), Prospect.OVER, None),
        (looked(SessionState.HANDOFF_WRITTEN, ENDED), Prospect.OVER, None),
    ],
)
def test_the_outlook_follows_state_attempts_and_what_is_stored(
    outlook: Outlook, prospect: Prospect, recovery: Recovery | None
) -> None:
    assert (outlook.prospect, outlook.recovery) == (prospect, recovery)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


def stored_outlook(session: Session) -> Outlook:
    """The outlook of a session in the open scope that has neither summary nor handoff."""
    session.refresh_from_db()
    attempts = list(Attempt.objects.filter(session=session).order_by("-number"))
    providers = list(ProviderSession.objects.filter(session=session))
    return outlook_of(session, attempts, providers, kept=kept_of(session), now=timezone.now())


@pytest.mark.parametrize("entries", [0, 1])
@pytest.mark.parametrize("provider", [CODEX, None])
@pytest.mark.parametrize("stopped", [True, False])
def test_a_resume_gives_what_the_outlook_said(
    cast: Cast, *, entries: int, provider: ProviderWish | None, stopped: bool
) -> None:
    acting, now = cast.dev.acting, timezone.now()
    with project_scope(acting):
        thread = create_thread(acting, ThreadWish(title="t"), now=now)
        session = open_or_resume(acting, thread, OpenWish(role="dev", provider=provider), now=now).session
        events = [NewEvent(client_id="1", role=EventRole.USER, kind=EventKind.MESSAGE, text="go")]
        if entries:
            append(acting, session.pk, events, now=now)
        if stopped:
            session.refresh_from_db()
            interrupt(acting, session, kind=InterruptionKind.PROCESS_EXIT, reason="", now=now)
        outlook = stored_outlook(session)
        opening = open_or_resume(acting, thread, OpenWish(role="dev", provider=provider), now=now)
    rebuilt = opening.recovery in (Recovery.REBUILT, Recovery.FAILED)
    assert (opening.recovery, opening.missing) == (outlook.recovery, outlook.missing if rebuilt else ())


def test_a_session_that_a_human_opened_is_taken_up_as_the_outlook_said(cast: Cast) -> None:
    with project_scope(cast.owner.acting):
        thread: Thread = create_thread(cast.owner.acting, ThreadWish(title="t"), now=timezone.now())
    speech = Speech(kind=EventKind.MESSAGE, text="go", client_id="1", role="dev")
    said = speak(cast.owner.acting, thread, speech, now=timezone.now())
    with project_scope(cast.dev.acting):
        outlook = stored_outlook(said.session)
        opening = open_or_resume(cast.dev.acting, thread, OpenWish(role="dev"), now=timezone.now())
    assert (opening.session, opening.recovery, opening.missing) == (said.session, outlook.recovery, outlook.missing)
