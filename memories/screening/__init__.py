"""Recognises what must not slip into memory: secrets, personal data, planted instructions, hidden characters.

Pure: text in, findings out; no database, settings, clock or network. Time is linear in the text.
"""

from memories.screening.findings import Category, Finding, Kind, Screening, Verdict
from memories.screening.masking import mask
from memories.screening.verdicts import MAX_CHARS, screen

__all__ = ["MAX_CHARS", "Category", "Finding", "Kind", "Screening", "Verdict", "mask", "screen"]
