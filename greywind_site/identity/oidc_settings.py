"""What an operator says of an OpenID Connect provider. Part of the configuration, so it needs no Django."""

import hashlib
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class OidcSettings(BaseModel):
    """A provider that people may sign in by; set as GREYWIND_OIDC__NAME. Without an issuer there is none."""

    # A mistyped name would leave a door other than it was meant.
    model_config = ConfigDict(extra="forbid")

    issuer: str | None = Field(
        default=None,
        description="Address of an OpenID Connect provider by which people may sign in, without a path to"
        " its discovery document; unset means none.",
    )
    client_id: str | None = Field(default=None, description="The name under which the provider knows this instance.")
    client_secret: SecretStr | None = Field(default=None, description="The secret that the provider gave it.")
    name: str = Field(default="OpenID Connect", max_length=40, description="What the sign-in page calls the provider.")
    scopes: str = Field(default="openid profile email", description="Scopes that are asked for, with spaces between.")
    link_claim: str | None = Field(
        default=None,
        description="Claim whose value is the name of the account that it opens, for example preferred_username; name"
        " one only that people cannot choose at the provider themselves. `email` counts where the provider says that it"
        " is verified. Unset means that only an account's own owner links it.",
    )
    sign_up: bool = Field(
        default=False,
        description="Whether somebody whom the provider knows, and this instance not, gets an account.",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.issuer is None:
            return self
        address = urlsplit(self.issuer)
        if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOOPBACK):
            raise ValueError("the issuer is reached over https; plain http is for this machine alone")
        if not self.client_id or not self.client_secret:
            raise ValueError("an issuer needs its CLIENT_ID and CLIENT_SECRET as well")
        if "openid" not in self.scopes.split():
            raise ValueError("the scopes hold openid, or the provider says nothing of who somebody is")
        return self

    @property
    def issuer_bare(self) -> str:
        """The issuer without a slash at its end."""
        return (self.issuer or "").rstrip("/")

    @property
    def provider_id(self) -> str:
        """The provider's name in the database. Another issuer is another provider: its people are not these."""
        return "oidc-" + hashlib.sha256(self.issuer_bare.encode()).hexdigest()[:16]


def provider_apps(oidc: OidcSettings) -> dict[str, Any]:
    """Return the provider in the form that allauth reads from Django's settings; empty without an issuer."""
    if oidc.issuer is None:
        return {}
    app = {
        "provider_id": oidc.provider_id,
        "name": oidc.name,
        "client_id": oidc.client_id,
        "secret": oidc.client_secret.get_secret_value() if oidc.client_secret else "",
        "settings": {"server_url": oidc.issuer_bare, "scope": oidc.scopes.split(), "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app]}}
