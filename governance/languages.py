"""In which language a text is, as far as fonts and voices need to know."""

import re

HAN = re.compile(r"[\u3400-\u9fff]")
KANA = re.compile(r"[\u3040-\u30ff]")


def language_of(text: str) -> str:
    """Return the language tag that a reader's voice and fonts should use for a text: zh-Hans, ja or en."""
    if KANA.search(text):
        return "ja"
    return "zh-Hans" if HAN.search(text) else "en"
