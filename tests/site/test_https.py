"""Behind a proxy that ends TLS: cookies stay on HTTPS, and nobody else's header is believed."""

import json
import os
import subprocess
import sys

import pytest

from greywind_site.embedded.instance import CHECKOUT

SHOW = """
import json
from greywind_site import settings as s
print(json.dumps([s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0, s.SECURE_PROXY_SSL_HEADER]))
"""


@pytest.mark.parametrize(
    ("told", "holds"),
    [("true", [True, True, True, ["HTTP_X_FORWARDED_PROTO", "https"]]), ("false", [False, False, False, None])],
)
def test_https_is_believed_only_where_it_is_configured(told: str, holds: list[object]) -> None:
    environment = os.environ | {"GREYWIND_HTTPS": told}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == holds
