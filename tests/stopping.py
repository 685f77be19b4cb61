"""Stopping what is under way before one of its statements, and telling whether anything of it is there."""

import hashlib
from typing import Any

import psycopg

CONTENT = """
SELECT format('SELECT %L, md5(string_agg(t::text, E''\\n'' ORDER BY t::text)) FROM %I t', tablename, tablename)
FROM pg_tables WHERE schemaname = 'public' AND tablename ~ '^(memories|governance|agent_sessions|threads)_' ORDER BY 1
"""


class Stopped(Exception):
    """The process dies here."""


class StopAfter:
    """Lets some statements through and then stops; for `connection.execute_wrapper`."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, execute: Any, *statement: Any) -> Any:
        if self.left == 0:
            raise Stopped
        self.left -= 1
        return execute(*statement)


class Watch:
    """Tells by a hash of every row of every table of ours whether anything has changed; `link` is the owner's."""

    def __init__(self, link: psycopg.Connection) -> None:
        self.link = link
        self.query = " UNION ALL ".join(row[0] for row in link.execute(CONTENT).fetchall())

    def content(self) -> str:
        """Return the hash as of now."""
        return hashlib.sha256(repr(sorted(self.link.execute(self.query).fetchall())).encode()).hexdigest()
