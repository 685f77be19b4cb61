"""What is wrong with a field of a contract, in the reader's language, by the rule of the schema that it breaks."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from governance.errors import FieldFault

# By the names that pydantic, and the types of `governance.input`, give their rules. The figures are theirs as well.
WORDS: Mapping[str, Promise] = {
    "missing": gettext_lazy("it is missing."),
    "extra_forbidden": gettext_lazy("there is no such field here."),
    "string_type": gettext_lazy("a text is expected; a number or a word such as yes stands in quotation marks."),
    "string_too_short": gettext_lazy("it is empty."),
    "string_too_long": gettext_lazy("it may have %(max_length)s characters at most."),
    "string_pattern_mismatch": gettext_lazy("expected 1 to 64 of a–z, 0–9, _ and -, beginning with a letter."),
    "list_type": gettext_lazy("a list is expected, one line each."),
    "too_long": gettext_lazy("it may have %(max_length)s entries at most."),
    "dict_type": gettext_lazy("fields inside it are expected, a line each."),
    "model_type": gettext_lazy("fields inside it are expected, a line each."),
    "model_attributes_type": gettext_lazy("fields inside it are expected, a line each."),
    "int_type": gettext_lazy("a whole number is expected."),
    "int_parsing": gettext_lazy("a whole number is expected."),
    "int_from_float": gettext_lazy("a whole number is expected."),
    "float_type": gettext_lazy("a number is expected."),
    "float_parsing": gettext_lazy("a number is expected."),
    "bool_type": gettext_lazy("true or false is expected."),
    "bool_parsing": gettext_lazy("true or false is expected."),
    "greater_than": gettext_lazy("it has to be more than %(gt)s."),
    "greater_than_equal": gettext_lazy("it has to be %(ge)s or more."),
    "layer_unknown": gettext_lazy("there is no such layer; there are %(layers)s."),
    "share": gettext_lazy("a share of the input cap is expected, from 0 to 1."),
    "shares_over": gettext_lazy("they add up to %(sum)s %% of the input cap: take away %(over)s %% or more."),
    "enum": gettext_lazy("it has to be one of %(expected)s."),
    "literal_error": gettext_lazy("it has to be one of %(expected)s."),
    "nul_character": gettext_lazy("it holds a character that cannot be stored. Type it anew instead of pasting it."),
    "lone_surrogate": gettext_lazy("it holds a character that cannot be stored. Type it anew instead of pasting it."),
    "text_too_large": gettext_lazy("it is too long."),
}
OTHER = gettext_lazy("it cannot be used as it stands.")


def why_of(fault: FieldFault) -> str:
    """Return why a field does not fit, as the end of a sentence."""
    known = WORDS.get(fault.rule)
    if known is None:
        return str(OTHER)
    shown = {name: _alternatives(value) for name, value in fault.bounds.items()}
    return str(known) % shown if shown else str(known)


def _alternatives(value: object) -> str:
    """pydantic lists the words of an enumeration as English prose."""
    return str(value).replace(" or ", ", ").replace("'", "")
