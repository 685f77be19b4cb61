"""The WSGI entrance. Importing it checks the database role: a process that must not serve does not start."""

import os
from threading import Thread

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "greywind_site.settings")
application = get_wsgi_application()


def _boot() -> None:
    from django.db import connection

    from greywind_site.checks import refuse_over_privileged
    from greywind_site.embedded.processes import die_with_parent
    from memories.embeddings.registry import warm_up

    if os.environ.get("GREYWIND_SUPERVISED"):
        die_with_parent()
    try:
        refuse_over_privileged(connection)
    finally:
        connection.close()
    # Loading a model takes a second or two: rather now than when somebody asks the first question.
    Thread(target=warm_up, name="warm-up", daemon=True).start()


_boot()
