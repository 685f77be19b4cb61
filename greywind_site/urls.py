"""Routes of the whole site."""

from django.urls import include, path

from greywind_site.api import api
from greywind_site.health import healthz, readyz
from greywind_site.mcp.forwarding import forward
from greywind_site.metrics import metrics

urlpatterns = [
    path("api/v1/", api.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("mcp", forward, name="mcp"),
    path("", include("greywind_site.console.urls")),
]
handler403 = "greywind_site.console.errors.forbidden"
handler404 = "greywind_site.console.errors.not_found"
