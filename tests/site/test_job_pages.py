"""The page of jobs: what waits, runs and failed, and the button that lets a job in quarantine run again."""

from datetime import timedelta

import pytest

from governance import jobs
from governance.jobs import claim, enqueue, give_back, progress
from governance.models import Job
from governance.scope import project_scope
from governance.vocabulary import JobState, MembershipLevel
from tests.api.asking import make_thread, open_session
from tests.cast import Cast, make_cast
from tests.site.console_cast import CHINESE, ENGLISH, account_of, join, make_account, page_of, signed_in, statements

KIND = "summarise_session"


@pytest.fixture
def cast(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr(jobs.bell, "ring", lambda: None)
    return make_cast("alpha")


def asked(cast: Cast, subject: str) -> None:
    with project_scope(cast.dev.acting):
        enqueue(cast.dev.acting, KIND, subject)


def held(cast: Cast, subject: str) -> jobs.Held:
    asked(cast, subject)
    mine = claim({KIND: timedelta(seconds=60)})
    assert mine is not None
    return mine


def failed(cast: Cast, subject: str = "ses_failed") -> Job:
    give_back(held(cast, subject), "ValueError", most=1)
    with project_scope(cast.dev.acting):
        return Job.objects.get(subject=subject)


@pytest.mark.parametrize(("language", "words"), [(ENGLISH, "Nothing waits"), (CHINESE, "没有等待的作业")])
def test_an_empty_queue_says_so(cast: Cast, language: dict[str, str], words: str) -> None:
    assert words in signed_in(account_of(cast), language).get(f"{page_of(cast)}jobs/").content.decode()


def test_each_job_stands_under_its_state_with_its_figures(cast: Cast) -> None:
    failed(cast)
    progress(held(cast, "ses_running"), 3, 10)
    asked(cast, "ses_waiting")
    html = signed_in(account_of(cast)).get(f"{page_of(cast)}jobs/").content.decode()
    places = [html.index(text) for text in ("ses_failed", "ses_running", "ses_waiting")]
    assert (places, "ValueError" in html, 'max="10" value="3"' in html) == (sorted(places), True, True)


def test_a_job_in_quarantine_runs_again_on_a_persons_word(cast: Cast) -> None:
    job = failed(cast)
    answer = signed_in(account_of(cast)).post(f"{page_of(cast)}jobs/{job.public_id}/retry", follow=True)
    with project_scope(cast.dev.acting):
        job.refresh_from_db()
    assert (job.state, job.attempts, "waits for a worker again" in answer.content.decode()) == (
        JobState.WAITING,
        0,
        True,
    )


def test_a_viewer_sees_the_jobs_and_no_button(cast: Cast) -> None:
    job = failed(cast)
    client = signed_in(join(make_account(), cast, MembershipLevel.VIEWER))
    html = client.get(f"{page_of(cast)}jobs/").content.decode()
    assert ("A maintainer can let it run again." in html, "/retry" in html) == (True, False)
    assert client.post(f"{page_of(cast)}jobs/{job.public_id}/retry").status_code == 403


def test_a_job_that_waits_anyway_is_refused_with_the_reason(cast: Cast) -> None:
    asked(cast, "ses_waiting")
    with project_scope(cast.dev.acting):
        job = Job.objects.get()
    answer = signed_in(account_of(cast)).post(f"{page_of(cast)}jobs/{job.public_id}/retry", follow=True)
    assert "runs by itself" in answer.content.decode()


def test_the_jobs_of_another_project_are_not_there(cast: Cast) -> None:
    job = failed(cast)
    other = make_cast("beta")
    client = signed_in(account_of(other))
    assert "ses_failed" not in client.get(f"{page_of(other)}jobs/").content.decode()
    assert client.post(f"{page_of(other)}jobs/{job.public_id}/retry").status_code == 404


@pytest.mark.parametrize("private", [False, True])
def test_a_job_says_what_it_is_about_to_those_who_may_read_that(cast: Cast, private: bool) -> None:
    thread = make_thread(cast.dev, "config parser", private=private)
    session = open_session(cast.dev, thread)
    asked(cast, session)
    html = signed_in(account_of(cast)).get(f"{page_of(cast)}jobs/").content.decode()
    there = f'href="{page_of(cast)}sessions/{session}/"><bdi lang="en">config parser · dev</bdi></a>'
    assert (there in html, "config parser" in html, session in html) == (not private, not private, True)


def test_more_jobs_take_no_more_statements(cast: Cast) -> None:
    owner, taken = signed_in(account_of(cast)), []
    for title in ("config parser", "release notes"):
        asked(cast, open_session(cast.dev, make_thread(cast.dev, title)))
        taken.append(statements(owner, f"{page_of(cast)}jobs/"))
    assert taken[0] == taken[1] <= 12
