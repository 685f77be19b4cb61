"""The one error of the embedded services: text for the person at the terminal."""


class EmbeddedFault(Exception):
    """Something the person can put right; the message says what and how, and is shown without a traceback."""
