"""What screening answers: findings by kind and place, one verdict, one sensitivity."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from governance.vocabulary import Sensitivity


class Category(StrEnum):
    SECRET = "secret"
    PERSONAL = "personal"
    INJECTION = "injection"
    INVISIBLE = "invisible"


class Verdict(StrEnum):
    """What the text alone allows, mildest first; a policy may only be stricter."""

    CLEAN = "clean"
    HOLD = "hold"
    REJECT = "reject"


class Kind(StrEnum):
    """Everything that screening can name. A kind says what was seen, never the value."""

    # credentials by their published form
    AWS_ACCESS_KEY = "aws_access_key"
    GITHUB_TOKEN = "github_token"
    GITLAB_TOKEN = "gitlab_token"
    SLACK_TOKEN = "slack_token"
    GOOGLE_KEY = "google_key"
    STRIPE_KEY = "stripe_key"
    OPENAI_KEY = "openai_key"
    ANTHROPIC_KEY = "anthropic_key"
    PACKAGE_TOKEN = "package_token"
    ALIYUN_KEY = "aliyun_key"
    TENCENT_KEY = "tencent_key"
    PLATFORM_TOKEN = "platform_token"
    JWT = "jwt"
    PRIVATE_KEY = "private_key"
    # credentials by where they stand
    CREDENTIAL_URL = "credential_url"
    AUTHORIZATION_HEADER = "authorization_header"
    ASSIGNED_SECRET = "assigned_secret"
    SPOKEN_SECRET = "spoken_secret"
    UNLABELLED_SECRET = "unlabelled_secret"
    # a person
    EMAIL = "email"
    PHONE_CN = "phone_cn"
    PHONE = "phone"
    ID_CARD_CN = "id_card_cn"
    PASSPORT = "passport"
    CREDIT_CARD = "credit_card"
    BANK_CARD = "bank_card"
    IBAN = "iban"
    SSN_US = "ssn_us"
    DRIVER_LICENSE = "driver_license"
    IP_ADDRESS = "ip_address"
    BIRTHDAY = "birthday"
    POSTAL_CODE = "postal_code"
    STREET_ADDRESS = "street_address"
    PRIVATE_MARKER = "private_marker"
    # words that steer an agent or its memory
    OVERRIDE_INSTRUCTIONS = "override_instructions"
    UNBOUND_PERSONA = "unbound_persona"
    PROMPT_EXTRACTION = "prompt_extraction"
    FAKE_AUTHORITY = "fake_authority"
    PLANTED_TASK = "planted_task"
    MEMORY_POISONING = "memory_poisoning"
    EXFILTRATION = "exfiltration"
    # what a reader does not see
    TAG_CHARACTERS = "tag_characters"
    VARIATION_DATA = "variation_data"
    BIDI_CONTROL = "bidi_control"
    ZERO_WIDTH = "zero_width"
    CONCEALED = "concealed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing seen at `text[start:end]`; `certain` when a form or a check digit leaves no doubt."""

    category: Category
    kind: Kind
    start: int
    end: int
    certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """The answer for one text.

    A secret and a certain attack are rejected, a likely attack or hidden text is held for a human; personal data only
    raises `sensitivity`, and a policy decides. `normalised` is the text as a reader sees it: no invisible characters,
    look-alike letters and full-width forms folded, lower case.
    """

    findings: Sequence[Finding] = field(default=())
    sensitivity: Sensitivity = Sensitivity.WORK
    verdict: Verdict = Verdict.CLEAN
    normalised: str = ""

    def kinds(self, category: Category) -> tuple[Kind, ...]:
        """The distinct kinds found in a category, in the order of their first appearance."""
        return tuple(dict.fromkeys(found.kind for found in self.findings if found.category is category))
