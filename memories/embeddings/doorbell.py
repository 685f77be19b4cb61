"""Waking whoever makes vectors."""

from django.conf import settings

from governance.waking import Bell

_bell = Bell("memories.embed_passages")


def ring() -> None:
    """Wake a worker once the open transaction is committed."""
    if settings.GREYWIND.embeddings.wake:
        _bell.ring()
