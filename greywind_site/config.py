"""Everything that an operator may set, typed; read from the environment once, without Django."""

import difflib
import os
import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, override

from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from greywind_site.embedded.instance import APP, OWNER, Instance, default_folder
from greywind_site.embedding_settings import EmbeddingSettings
from greywind_site.identity.oidc_settings import OidcSettings
from greywind_site.mcp.address import McpAddress, read_address
from greywind_site.resolver_settings import ResolverSettings
from greywind_site.summary_settings import SummaryModel

PREFIX = "GREYWIND_"
OUTSIDE = ("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL")
SECRETS = ("secret_key", "key_pepper", "audit_pepper")
# Set by manage.py and the embedded services for their own children; nobody's to configure.
# The agent's side reads these; a shell that has them set may well start the server too.
OF_THE_CLIENT = frozenset(
    f"GREYWIND_{name}" for name in ("URL", "KEY", "PROFILE", "ROLE", "HOOK_LIMIT", "HOOK_START_LIMIT")
)
INTERNAL = frozenset(
    f"GREYWIND_{name}"
    for name in (
        "ENTERED",
        "EVERY_LOOK",
        "LEDGER_ENTRIES",
        "PROPERTY_CASES",
        "STOP_EACH",
        "SUPERVISED",
        "TAMPERINGS",
        "TEST_SERVICES",
        "WRITERS",
    )
)


class ConfigError(Exception):
    """The configuration has faults; the message lists all of them, each with its fix."""


class InstanceSource(PydanticBaseSettingsSource):
    """Secrets of the data folder, for whatever the environment does not set."""

    @override
    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    @override
    def __call__(self) -> dict[str, Any]:
        if os.environ.get("DATABASE_URL"):
            return {}
        stored = Instance(data_folder(os.environ)).secrets()
        return {name: getattr(stored, name) for name in SECRETS} if stored else {}


class Config(BaseSettings):
    """The settings of one process. Variable names are the field names in capitals after GREYWIND_."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True)

    data: Path = Field(default_factory=default_folder, description="Folder of the embedded services and their secrets.")
    debug: bool = Field(default=False, description="Django's debug pages; never in production.")
    allowed_hosts: list[str] = Field(
        default=["localhost", "127.0.0.1", "[::1]"], description="Host names that are answered, as a JSON list."
    )
    https: bool = Field(
        default=False,
        description="Reached over HTTPS, by a proxy that sets X-Forwarded-Proto itself: cookies travel on HTTPS only.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Least severe level that is logged."
    )
    secret_key: SecretStr = Field(
        default_factory=lambda: SecretStr(secrets.token_hex(24)),
        min_length=32,
        description="Signs browser sessions and cursors; 32 characters or more. Kept in the data folder when embedded.",
    )
    key_pepper: SecretStr = Field(
        default_factory=lambda: SecretStr(secrets.token_hex(24)),
        min_length=32,
        description="Keys the stored hashes of API keys; 32 characters or more. A change voids every API key.",
    )
    audit_pepper: SecretStr = Field(
        default_factory=lambda: SecretStr(secrets.token_hex(24)),
        min_length=32,
        description="Keys the ledger's before and after hashes; 32 characters or more.",
    )
    anchor_key: SecretStr | None = Field(
        default=None,
        description="Private key that signs anchors of the ledger, 64 random hex digits; unset means that of the data"
        " folder.",
    )
    anchor_file: Path | None = Field(
        default=None,
        description="File to which a daily task appends anchors of the ledger, best on another machine's disk; unset"
        " means no task.",
    )
    metrics_token: SecretStr | None = Field(
        default=None, min_length=16, description="Bearer token that opens /metrics; unset means no such page."
    )
    pool_min: int = Field(default=1, ge=0, le=100, description="Database connections kept open, per process.")
    pool_max: int = Field(default=8, ge=1, le=500, description="Most database connections, per process.")
    pool_timeout: float = Field(
        default=5.0, gt=0, le=60, description="Longest wait for a free connection before a 503, in seconds."
    )
    connect_timeout: int = Field(default=5, ge=2, le=60, description="Longest wait for a new connection, in seconds.")
    max_text_bytes: int = Field(
        default=2 * 1024 * 1024, ge=1024, description="Largest single text field, in bytes of UTF-8."
    )
    max_body_bytes: int = Field(default=12 * 1024 * 1024, ge=1024, description="Largest request body, in bytes.")
    tool_result_cap: int = Field(
        default=2000, ge=100, description="Tool results over this become head, tail and a ref; in o200k_base tokens."
    )
    summary_tokens: int = Field(
        default=800, ge=200, le=20_000, description="Most a work summary may hold, in o200k_base tokens."
    )
    summary_model: SummaryModel = Field(
        default_factory=SummaryModel, description="Language model that writes work summaries instead of rules."
    )
    role_contract_cap: int = Field(
        default=1200, ge=100, description="Most a role contract may hold when it is proposed, in o200k_base tokens."
    )
    proposal_days: int = Field(
        default=30, ge=1, le=365, description="How long a proposal waits for a decision before it expires, in days."
    )
    replay_days: int = Field(
        default=7,
        ge=1,
        le=365,
        description="How long a repeated Idempotency-Key gets the same answer, in days; later it is a new request.",
    )
    cold_after_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="How long a session is closed before its transcript is compressed, in days; 0 for never.",
    )
    mcp_url: str | None = Field(
        default=None,
        description="Where the MCP process listens and the web finds it: http://host:port or unix:///path/of.sock;"
        " unset means a socket in the data folder.",
    )
    step_up_minutes: int = Field(
        default=5, ge=1, le=60, description="How long a proof of who one is holds for what weighs much, in minutes."
    )
    oidc: OidcSettings = Field(default_factory=OidcSettings, description="Sign-in by an OpenID Connect provider.")
    resolver: ResolverSettings = Field(default_factory=ResolverSettings, description="Numbers of the thread resolver.")
    embeddings: EmbeddingSettings = Field(
        default_factory=EmbeddingSettings, description="Models that passages become vectors by."
    )
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description="Outside PostgreSQL for the application role; unset means the embedded one.",
    )
    database_owner_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_OWNER_URL",
        description="The same database for the owner role; needed by migrate only.",
    )
    celery_broker_url: SecretStr | None = Field(
        default=None,
        validation_alias="CELERY_BROKER_URL",
        description="Outside broker; unset means the embedded Valkey.",
    )

    @override
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, InstanceSource(settings_cls)

    @model_validator(mode="after")
    def _outside_database_brings_its_secrets(self) -> Self:
        missing = [f"{PREFIX}{name.upper()}" for name in SECRETS if name not in self.model_fields_set]
        if self.database_url and missing:
            raise ValueError(f"DATABASE_URL is set, so set {', '.join(missing)} as well (32 random characters or more)")
        if self.database_owner_url and not self.database_url:
            raise ValueError("DATABASE_OWNER_URL is set without DATABASE_URL; set both or neither")
        if self.pool_min > self.pool_max:
            raise ValueError(f"GREYWIND_POOL_MIN={self.pool_min} is more than GREYWIND_POOL_MAX={self.pool_max}")
        return self

    @field_validator("anchor_key")
    @classmethod
    def _anchor_key_is_a_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None and not re.fullmatch("[0-9a-f]{64}", key.get_secret_value()):
            raise ValueError("expected 64 hex digits in lower case")
        return key

    @field_validator("mcp_url")
    @classmethod
    def _mcp_url_can_be_read(cls, url: str | None) -> str | None:
        if url is not None:
            read_address(url)
        return url

    @property
    def embedded(self) -> bool:
        """True when PostgreSQL is the one in the data folder."""
        return self.database_url is None

    @cached_property
    def instance(self) -> Instance:
        """The data folder's paths and addresses."""
        return Instance(self.data.expanduser().resolve())

    def app_database(self) -> dict[str, str]:
        """libpq parameters of the application role."""
        if self.database_url:
            return _parameters(self.database_url.get_secret_value())
        return _parameters(self.instance.database_url(APP))

    def owner_database(self) -> dict[str, str] | None:
        """libpq parameters of the owner role, or None where this process does not hold them."""
        if self.database_owner_url:
            return _parameters(self.database_owner_url.get_secret_value())
        return _parameters(self.instance.database_url(OWNER)) if self.embedded else None

    def mcp_address(self) -> McpAddress:
        """Where the MCP process listens."""
        return read_address(self.mcp_url) if self.mcp_url else McpAddress(socket=self.instance.mcp_socket)

    def broker(self) -> str:
        """Celery's broker address."""
        return self.celery_broker_url.get_secret_value() if self.celery_broker_url else self.instance.broker_url()


def load_config() -> Config:
    """Read and check the environment; raises ConfigError with every fault at once."""
    faults = unknown_variables(os.environ)
    try:
        config = Config()
    except ValidationError as error:
        faults += [_readable(fault) for fault in error.errors()]
    if faults:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise ConfigError(f"the configuration has {count}:\n" + "\n".join(f"  - {fault}" for fault in faults))
    return config


def data_folder(environment: Mapping[str, str]) -> Path:
    """The data folder that these variables name, absolute."""
    return Path(environment.get(f"{PREFIX}DATA") or default_folder()).expanduser().resolve()


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """One line for each GREYWIND_ variable that nothing reads, with the nearest name that something does."""
    known = {f"{PREFIX}{name.upper()}" for name in Config.model_fields if name.upper() not in OUTSIDE}
    faults = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name.partition("__")[0] not in known | INTERNAL | OF_THE_CLIENT:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "remove it"
            faults.append(f"{name} is unknown; {hint}")
    return faults


def _readable(fault: Any) -> str:
    """One line for one of pydantic's errors: the variable, what is wrong, what it is for. Never a secret's value."""
    if not fault["loc"]:
        return str(fault["msg"]).removeprefix("Value error, ")
    field = str(fault["loc"][0])
    name = field if field in OUTSIDE else "__".join([f"{PREFIX}{field}", *map(str, fault["loc"][1:])]).upper()
    meaning = Config.model_fields[field.lower()].description if field.lower() in Config.model_fields else ""
    return f"{name}: {fault['msg']}. {meaning}"


def _parameters(url: str) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(url).items()}
