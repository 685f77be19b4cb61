"""Claims: what a statement says of whom, and how two statements stand to each other. Pure: no database, no clock."""

from memories.claims.extraction import extract
from memories.claims.reading import dated_key
from memories.claims.registry import DEFAULT, Attribute, Registry
from memories.claims.relating import relate
from memories.claims.shapes import Claim, Judgement, Statement
from memories.claims.text import dedupe_key, similarity
from memories.claims.text import units as lexical_units
from memories.claims.vocabulary import AttributeKind, Differing, ReasonCode, Relation, SubjectKind, ValueType

__all__ = [
    "DEFAULT",
    "Attribute",
    "AttributeKind",
    "Claim",
    "Differing",
    "Judgement",
    "ReasonCode",
    "Registry",
    "Relation",
    "Statement",
    "SubjectKind",
    "ValueType",
    "dated_key",
    "dedupe_key",
    "extract",
    "lexical_units",
    "relate",
    "similarity",
]
