"""The page of jobs: what waits, what runs, and what was put into quarantine."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from governance.errors import Clash, NotThere
from governance.job_reading import piles
from governance.jobs import retry
from governance.models import Job
from governance.pages import Desk, done, id_in_path, project_page, refused, show
from governance.scope import project_scope
from governance.vocabulary import Deed


@project_page
@require_safe
def jobs(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Work that waits for a worker, by how it stands."""
    with project_scope(desk.acting, read_only=True):
        found = piles(desk.seat.public_id)
    above = [
        (reverse("project", args=[desk.seat.public_id]), desk.seat.project_name),
        (reverse("audit", args=[desk.seat.public_id]), gettext("Audit")),
    ]
    return show(request, desk, "governance/jobs.html", part="piles", section="audit", piles=found, above=above)


@require_POST
@project_page
def retry_job(request: HttpRequest, desk: Desk, job_id: str) -> HttpResponse:
    """Let a job in quarantine run again."""
    desk.check(Deed.RETRY_JOB)
    to = reverse("jobs", args=[desk.seat.public_id])
    pk = id_in_path(Job.PREFIX, job_id)
    try:
        with project_scope(desk.acting):
            job = Job.objects.filter(pk=pk).first()
            if job is None:
                raise NotThere
            retry(desk.acting, job)
    except Clash as refusal:
        return refused(request, refusal, to=to)
    return done(request, gettext("It waits for a worker again, as if it had never been tried."), to=to)
