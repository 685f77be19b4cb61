"""Blocks of text whose token counts add up exactly.

Both encodings first split a text by a regular expression and merge bytes inside one piece only, so
`count(left + right) == count(left) + count(right)` wherever the expression must split between them, and matches the
left part as it would match it alone. For o200k_base and cl100k_base that is so when

1. `left` ends in "\\n", and `right` begins with a character that is neither whitespace nor "/": the only piece that
   holds something after a newline which is not whitespace is o200k's punctuation with trailing newlines and slashes; or
2. `left` ends in a letter or a digit and "\\n", and `right` does not begin with a whitespace run that holds "\\r" or
   "\\n": the newline is then a piece of its own, since it follows no punctuation and no further newline follows it.
   "/" is harmless here. `right` must hold something other than whitespace.

Whitespace is Unicode's White_Space. Python's own notion is wider by U+001C to U+001F, which makes the checks here a
little stricter than they must be. A prompt consists of blocks `header "\\n" body "\\n"`: a header begins with the mark
and ends in a letter or digit (so rule 2 holds after it), a body is canonical (`block_body`), and what follows a body
begins with the mark (so rule 1 holds). The count of a prompt is therefore the sum of the counts of its parts.
"""

import re

from sessions.context.tokens import Counter

MARK = "§"
"""A line of a prompt that begins with it is structure. Rare in real text, so that little has to be escaped."""
BLANK = "(blank)"
"""Body of a text that has no visible character."""
ATOM_CHARS = 160

_BREAKS = "\\n\\r\\x0b\\x0c\\x1c-\\x1e\\x85\\u2028\\u2029"
# What a reader or a model may not see before a mark: blanks, soft hyphen, zero-width, bidi, selectors, tags.
_UNSEEN = (
    " \\t\\x00-\\x08\\x0e-\\x1b\\x1f\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u2000-\\u200f\\u202a-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0"
    "\\U000e0000-\\U000e01ef"
)
_FORGED = re.compile(rf"((?:^|[{_BREAKS}])[{_UNSEEN}]*)(?=\\*{MARK})")
_ESCAPED = re.compile(rf"((?:^|[{_BREAKS}])[{_UNSEEN}]*)\\(?=\\*{MARK})")
_BLANK_LINES = re.compile(r"\s*[\r\n]")
_UNFIT_FOR_ATOM = re.compile(rf"[^\w./:@#=,+\-]+|{MARK}")


def block_body(text: str) -> str:
    """Return the form in which a stored text stands in a prompt; stored counts are of this plus "\\n".

    Leading blank lines and trailing whitespace are removed, and a text of whitespace alone becomes `BLANK`. A line
    that begins with `MARK` gets a backslash before it (and one that begins with backslashes and the mark gets one
    more), so that no stored text can forge a heading; `stored_text` takes it back. Lone surrogates, which no prompt
    can carry, become U+FFFD. Do not apply it twice.
    """
    body = text.rstrip()
    if not body:
        return BLANK
    if body[0].isspace() and (blank := _BLANK_LINES.match(body)):
        body = body[blank.end() :]
    if MARK in body:
        body = _FORGED.sub(r"\1\\", body)
    return body if body.isascii() else _without_surrogates(body)


def stored_text(body: str) -> str:
    """Return the canonical text behind `block_body(text)`, its escapes taken back."""
    return _ESCAPED.sub(r"\1", body) if MARK in body else body


def body_tokens(text: str, counter: Counter) -> int:
    """Return the count that is stored beside `text`: of its block body and the newline after it."""
    return counter.count(block_body(text) + "\n")


def atom(value: object) -> str:
    """Return `value` as one word that is safe in a header: no space, no line break, no mark, bounded length."""
    return _UNFIT_FOR_ATOM.sub("_", _without_surrogates(str(value))[:ATOM_CHARS])


def list_body(items: tuple[str, ...] | list[str]) -> str:
    """Return items as lines that begin with "- "; further lines of an item are indented by two spaces."""
    return "\n".join("- " + block_body(item).replace("\n", "\n  ") for item in items)


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
