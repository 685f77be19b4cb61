"""/metrics: the figures of this process for Prometheus, to whoever knows the token that the operator has set."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from governance.meters import TEXT_FORM, exposition


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures, or 404 where no token is set or another one is sent: what is counted tells how busy projects are."""
    token = settings.GREYWIND.metrics_token
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token is None or not hmac.compare_digest(sent.encode(), token.get_secret_value().encode()):
        raise Http404
    return HttpResponse(exposition(), content_type=TEXT_FORM)
