"""What became of a proposal, in the reader's words."""

from django.utils.translation import gettext

from memories.vocabulary import WriteOutcome
from memories.wishes import Written


def what_became_of_it(written: Written) -> str:
    """Return in words what became of a proposal."""
    match written.outcome:
        case WriteOutcome.ACTIVE:
            return gettext("In use: the next search and packet may bring it.")
        case WriteOutcome.DUPLICATE_OF:
            return gettext("Known already: this is the memory that says so, and your evidence is added to it.")
        case WriteOutcome.CONFLICT:
            return gettext("It says otherwise than what is known. A conflict is open until somebody settles it.")
        case WriteOutcome.REJECTED:
            return gettext("It was refused; the page says why and what would help.")
    return gettext(
        "Held as a candidate: no search finds it and no packet carries it yet. "
        "It is used once its gates are passed and a human has let it in."
    )
