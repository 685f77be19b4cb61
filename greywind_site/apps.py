"""The composition root as a Django app: it carries the commands and the boot checks."""

from typing import override

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers the checks when Django starts."""

    name = "greywind_site"
    verbose_name = "GreyWind"

    @override
    def ready(self) -> None:
        from greywind_site import checks

        checks.register_all()
