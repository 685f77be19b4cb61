"""Console: sending a task back to the session that did it."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from governance.errors import Clash
from governance.invisible import made_visible
from governance.pages import Desk, blame, done, id_in_path, project_page
from governance.scope import project_scope
from governance.vocabulary import Deed
from sessions.sending_back import BackWish, SentBack, send_back
from threads.forms import seen_now, status_after
from threads.lifecycle import check_seen
from threads.places import task_address
from threads.task_api import task_here
from threads.task_forms import SendBackForm, TaskChangeForm
from threads.task_reading import task_page
from threads.task_views import show_task


@require_POST
@project_page
def send_back_task(request: HttpRequest, desk: Desk, task_id: str) -> HttpResponse:
    """Return a task under review to whoever does it, with the reason and a handoff."""
    desk.check(Deed.CHANGE_TASKS)
    pk = id_in_path("tsk", task_id)
    back, status = SendBackForm(request.POST), 422
    if back.is_valid():
        try:
            with project_scope(desk.acting):
                row = task_here(task_id, lock=True)
                check_seen(row, back.cleaned_data["version"])
                sent = send_back(desk.acting, row, BackWish(reason=back.cleaned_data["reason"]), now=timezone.now())
            return done(request, _told(sent), to=task_address(desk, row))
        except Clash as refusal:
            status = status_after(refusal)
            blame(back, refusal)
    page = task_page(desk.acting, pk)
    seen_now(back, page.task.version)
    return show_task(request, desk, page, form=TaskChangeForm(None, page=page), back=back, status=status)


def _told(sent: SentBack) -> str:
    if sent.to is None or sent.handoff is None:
        return gettext("Sent back. What you wrote is the first next step, and the next packet for the task carries it.")
    words = gettext("Sent back to %(role)s. What you wrote is the first next step, and a handoff tells of the review.")
    return words % {"role": made_visible(sent.to.role)}
