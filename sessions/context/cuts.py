"""Shortening a text to a number of tokens without breaking a character, a grapheme or, where asked, a sentence."""

from functools import lru_cache

import regex

from sessions.context.tokens import (
    STORED_ENCODING,
    encode,
    exact_counter,
    load_encoding,
)

_GRAPHEME = regex.compile(r"\X")
_SENTENCE_END = regex.compile(r"[。！？!?…]+[\"'”’』」）)]*|\.+[\"'”’)]*(?=\s)|\n")
_SEARCHED_CHARS = 64
_LINE_CHARS_PER_TOKEN = 12


def cut_head(text: str, tokens: int, *, encoding: str = STORED_ENCODING) -> str:
    """Return the longest beginning of `text` that takes at most `tokens` tokens and ends at a grapheme."""
    text = _storable(text)
    ids = encode(encoding, text[: _enough_chars(text, tokens, encoding=encoding)])
    if len(ids) <= tokens:
        return text
    known = load_encoding(encoding)
    for kept in range(max(tokens, 0), 0, -1):
        head = known.decode_bytes(ids[:kept]).decode("utf-8", "ignore")
        head = text[: _boundary_before(text, len(head))]
        if exact_counter(encoding).count(head) <= tokens:
            return head
    return ""


def cut_tail(text: str, tokens: int, *, encoding: str = STORED_ENCODING) -> str:
    """Return the longest end of `text` that takes at most `tokens` tokens and begins at a grapheme."""
    text = _storable(text)
    ids = encode(encoding, text[-_enough_chars(text, tokens, encoding=encoding, tail=True) :])
    if len(ids) <= tokens:
        return text
    known = load_encoding(encoding)
    for kept in range(max(tokens, 0), 0, -1):
        tail = known.decode_bytes(ids[-kept:]).decode("utf-8", "ignore")
        tail = text[_boundary_after(text, len(text) - len(tail)) :]
        if exact_counter(encoding).count(tail) <= tokens:
            return tail
    return ""


def cut_at_sentence(text: str, tokens: int, *, encoding: str = STORED_ENCODING) -> str:
    """Return whole sentences from the beginning of `text` (Chinese or English) within `tokens`.

    When not even the first sentence fits, the text is cut at a grapheme instead.
    """
    head = cut_head(text, tokens, encoding=encoding)
    if len(head) == len(text):
        return head
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, len(head) + 1) if match.end() <= len(head)]
    return head[: ends[-1]].rstrip() if ends else head


def whole_at(ref: str | None) -> str:
    """Say where the whole of a shortened text is; None for what the request brought, which no ref opens."""
    return "whoever sent the request holds the whole" if ref is None else f"the whole is at {ref}"


def excerpt(
    text: str, tokens: int, *, ref: str | None, total: int | None = None, encoding: str = STORED_ENCODING
) -> str:
    """Return `text` when it takes at most `tokens`, else its head, a line that says what opens the whole, its tail.

    `ref` is None for what no ref opens, as for `whole_at`. Head and tail are cut at a sentence or a line where one ends
    near enough, else at a grapheme. `total` is the count of `text` where it is known. The result takes at most `tokens`
    tokens, unless `tokens` is too few even for the line in the middle.
    """
    counter = exact_counter(encoding)
    total = counter.count(text) if total is None else total
    if total <= tokens:
        return text
    middle = f"\n[… {total} tokens in all; {whole_at(ref)} …]\n"
    room = tokens - counter.count(middle) - 2
    for _ in range(8):
        head = _to_a_sentence(cut_head(text, room * 2 // 3, encoding=encoding))
        tail = _from_a_sentence(cut_tail(text, room - room * 2 // 3, encoding=encoding))
        if len(head) + len(tail) >= len(text):
            return text
        cut = head + middle + tail
        if counter.count(cut) <= tokens:
            return cut
        room -= 2
    return middle.strip()


def one_line(text: str, tokens: int, *, encoding: str = STORED_ENCODING) -> str:
    """Return the beginning of `text` on one line within `tokens`, ending in "…" when it had to be cut.

    Only the first few hundred characters are looked at, so that a call with a file in it costs no more than another.
    """
    chars = tokens * _LINE_CHARS_PER_TOKEN
    return _one_line(text[:chars], tokens, encoding=encoding, goes_on=len(text) > chars)


@lru_cache(4_096)
def _one_line(part: str, tokens: int, *, encoding: str, goes_on: bool) -> str:
    line = " ".join(part.split())
    head = cut_head(line, max(tokens - 1, 1), encoding=encoding)
    if head != line:
        return head.rstrip() + "…"
    # The part may have ended inside a grapheme: its last one goes.
    return head[: _boundary_before(head, len(head) - 1)].rstrip() + "…" if goes_on else head


def _to_a_sentence(head: str) -> str:
    """Return `head` without the sentence that it breaks off in, unless that would be more than half of it."""
    ends = [match.end() for match in _SENTENCE_END.finditer(head, len(head) // 2)]
    return head[: ends[-1]].rstrip() if ends else head


def _from_a_sentence(tail: str) -> str:
    """Return `tail` without the sentence that it begins in the middle of, unless that would be more than half of it."""
    end = _SENTENCE_END.search(tail, 0, len(tail) // 2)
    return tail[end.end() :].lstrip() if end else tail


def _enough_chars(text: str, tokens: int, *, encoding: str, tail: bool = False) -> int:
    """How much of a long text must be encoded to know its first (or last) `tokens` tokens."""
    chars = max(tokens, 1) * 8 + 256
    while chars < len(text):
        part = text[-chars:] if tail else text[:chars]
        if len(encode(encoding, part)) > tokens + 16:
            return chars
        chars *= 4
    return max(len(text), 1)


def _boundary_before(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    start = max(at - _SEARCHED_CHARS, 0)
    ends = [match.end() for match in _GRAPHEME.finditer(text, start, at + _SEARCHED_CHARS)]
    return max((int(end) for end in ends if end <= at), default=0)


def _boundary_after(text: str, at: int) -> int:
    start = max(at - _SEARCHED_CHARS, 0)
    for match in _GRAPHEME.finditer(text, start, at + 2 * _SEARCHED_CHARS):
        if (start := int(match.start())) >= at:
            return start
    return len(text)


def _storable(text: str) -> str:
    """Lone surrogates as U+FFFD, the way the tokenizer itself reads them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
