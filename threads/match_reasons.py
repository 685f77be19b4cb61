"""Why a thread was a candidate, in a few words."""

from datetime import timedelta

from threads.affinity import Affinity


def spoken(age: timedelta) -> str:
    """Return how long ago something was, to the minute, the hour or the day."""
    minutes = int(age.total_seconds() // 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} d"


def shares(affinity: Affinity) -> str:
    """Return which words a request and a thread have in common, the strongest three."""
    return "shares " + ", ".join(affinity.shared[:3])
