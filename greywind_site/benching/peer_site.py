"""Our side of `bench_peer`: the site behind a real address, answering by one model, and a key to ask it with."""

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

from greywind_site.benching.calls import Server
from greywind_site.benching.compile_texts import TITLE
from greywind_site.benching.world import World, key_of
from greywind_site.hunting.scratch import embedding_by
from memories.embeddings.registry import Model

HOST = "127.0.0.1"


class Site:
    """A thread of the project that is asked in, with a session, over one kept connection."""

    def __init__(self, server: Server) -> None:
        self.server, self.thread = server, server.post("/threads", {"title": TITLE})["id"]
        server.post("/sessions", {"thread_id": self.thread})

    def ask(self, text: str) -> bytes:
        """Return the answer to one POST /context, unread."""
        asked = {"thread_id": self.thread, "user_input": {"raw_text": text}}
        return self.server.send("/context", json.dumps(asked).encode())


def check_site() -> None:
    """Load every page and call, so that a fault in one shows before a store is filled for minutes."""
    import_module(settings.ROOT_URLCONF)


def answering_by(model: Model) -> AbstractContextManager[None]:
    """Let this process embed questions by one model within the block, and wake no worker."""
    return embedding_by(models=[model.name], leaving=[], wake=False)


@contextmanager
def site_for(world: World, *, now: datetime) -> Iterator[Site]:
    """Serve the site for as long as the block lasts, and give a thread of the world's first agent on it."""
    with served_here() as url, closing(Server(url, key_of(world.first, now=now))) as server:
        yield Site(server)


class _Handler(WSGIRequestHandler):
    """Sends an answer's head and body as they come: the second would else wait for word of the first."""

    disable_nagle_algorithm = True


class _Listener(ThreadedWSGIServer):
    """Ends when its last answer is given, and gives back what that borrowed of the database."""

    daemon_threads = False


@contextmanager
def served_here() -> Iterator[str]:
    """Serve the site from a thread of this process within the block, and give its address."""
    server: Any = _Listener((HOST, 0), _Handler)
    server.set_app(get_wsgi_application())
    listener = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    listener.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        listener.join()
        server.server_close()
