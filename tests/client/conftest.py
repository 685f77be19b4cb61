"""A live GreyWind, and a harness that talks to it."""

from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.cast import Cast, make_cast
from tests.client.harness import Harness


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast("alpha")


@pytest.fixture
def harness(tmp_path: Path, cast: Cast, live_server: LiveServer) -> Harness:
    # A loaded machine must not decide whether a conversation is complete; limits have tests of their own.
    limits = {"GREYWIND_HOOK_LIMIT": "20", "GREYWIND_HOOK_START_LIMIT": "20"}
    return Harness(tmp_path, url=live_server.url, key=cast.dev.secret, **limits)
