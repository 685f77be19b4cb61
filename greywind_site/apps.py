"""The composition root as a Django app: it carries the commands and the boot checks."""

from typing import override

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers the checks when Django starts."""

    name = "greywind_site"
    verbose_name = "GreyWind"

    @override
    def ready(self) -> None:
        # Importing the Celery app makes it the one that every app's tasks are sent by.
        from greywind_site import celery, checks  # noqa: F401 - imported for what it sets

        checks.register_all()
