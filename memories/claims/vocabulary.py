"""Words of claims: kinds of attributes, types of values, and how two statements stand to each other."""

from enum import StrEnum


class Relation(StrEnum):
    """What a new statement is to an old one."""

    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    UPDATE = "update"  # the newer one closes the older one's validity
    ADDS = "adds"  # one more value beside the old one
    DISTINCT = "distinct"


class AttributeKind(StrEnum):
    SINGLE = "single"
    MULTI = "multi"
    TIME_VARYING = "time_varying"


class ValueType(StrEnum):
    """What a value is made of; two values are only compared inside one type."""

    NUMBER = "number"
    QUANTITY = "quantity"  # a number with a unit
    MONEY = "money"
    RATE = "rate"
    DATE = "date"
    TIME = "time"
    PHONE = "phone"
    EMAIL = "email"
    URL = "url"
    VERSION = "version"
    PATH = "path"
    IDENTIFIER = "identifier"
    PERSON = "person"
    TERM = "term"  # one member of a known family: a language, a cloud, a tool
    TEXT = "text"


class SubjectKind(StrEnum):
    PERSON = "person"
    PROJECT = "project"
    SERVICE = "service"
    DEVICE = "device"
    THING = "thing"


class Differing(StrEnum):
    """What keeps two statements apart."""

    NUMBER = "number"
    IDENTIFIER = "identifier"
    DATE = "date"
    NEGATION = "negation"
    SUBJECT = "subject"
    ATTRIBUTE = "attribute"
    UNIT = "unit"
    VALUE = "value"
    WORDS = "words"
    PERIOD = "period"


class ReasonCode(StrEnum):
    """Why a judgement says what it says."""

    SAME_TEXT = "same_text"
    SAME_CLAIM = "same_claim"
    OTHER_VALUE = "other_value"
    OPPOSITE = "opposite"
    CHANGE_SAID = "change_said"
    NEWER_VALUE = "newer_value"
    MULTI_VALUED = "multi_valued"
    ANOTHER_SAID = "another_said"
    OPEN_CLASS = "open_class"
    OTHER_SUBJECT = "other_subject"
    OTHER_ATTRIBUTE = "other_attribute"
    OTHER_PERIOD = "other_period"
    NOT_COMPARABLE = "not_comparable"
    UNRELATED = "unrelated"
