"""Django's settings, all derived from the typed configuration. Importing them needs no database and no data folder."""

from pathlib import Path
from typing import Any

from django.utils.csp import CSP

from greywind_site.config import load_config
from greywind_site.identity.oidc_settings import provider_apps
from greywind_site.logs import logging_configuration

BASE_DIR = Path(__file__).resolve().parent.parent
GREYWIND = load_config()

DEBUG = GREYWIND.debug
SECRET_KEY = GREYWIND.secret_key.get_secret_value()
ALLOWED_HOSTS = GREYWIND.allowed_hosts
ROOT_URLCONF = "greywind_site.urls"
WSGI_APPLICATION = "greywind_site.wsgi.application"
# Who types a page's address may leave out the slash at its end. The API has no such path: nothing posted is redirected.
APPEND_SLASH = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "governance.User"

INSTALLED_APPS = [
    "greywind_site.apps.SiteConfig",
    "sessions.apps.SessionsConfig",
    "memories.apps.MemoriesConfig",
    "threads.apps.ThreadsConfig",
    "governance.apps.GovernanceConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "ninja",
]

MIDDLEWARE = [
    "greywind_site.middleware.TraceMiddleware",
    "greywind_site.middleware.ProblemMiddleware",
    "greywind_site.middleware.DatabaseAvailabilityMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "greywind_site.console.look.look",
            ],
            "libraries": {"words": "greywind_site.console.words"},
        },
    },
]

# Nothing inline and nothing from elsewhere, on any page: no nonce is ever needed.
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = GREYWIND.https
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if GREYWIND.https else 0
# Believed only where the operator says that a proxy sets it: anybody else could send it.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if GREYWIND.https else None
CSRF_FAILURE_VIEW = "greywind_site.console.errors.form_expired"
# For passwords that people choose; those for one use are made here and are longer.
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"

# Of allauth only the parts are used: second factors, passkeys, the provider's protocol. None of its pages is routed.
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
MFA_ADAPTER = "greywind_site.identity.adapters.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_TOTP_ISSUER = "GreyWind"
MFA_TOTP_TOLERANCE = 1  # a clock may be half a minute off
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
SOCIALACCOUNT_ADAPTER = "greywind_site.identity.adapters.Providers"
SOCIALACCOUNT_PROVIDERS = provider_apps(GREYWIND.oidc)


def _database(parameters: dict[str, str], *, options: dict[str, Any]) -> dict[str, Any]:
    rest = {
        name: value for name, value in parameters.items() if name not in {"dbname", "user", "password", "host", "port"}
    }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parameters.get("dbname", ""),
        "USER": parameters.get("user", ""),
        "PASSWORD": parameters.get("password", ""),
        "HOST": parameters.get("host", ""),
        "PORT": parameters.get("port", ""),
        "CONN_MAX_AGE": 0,  # a pool and persistent connections exclude each other
        "OPTIONS": rest | options,
    }


_POOL = {
    "min_size": GREYWIND.pool_min,
    "max_size": GREYWIND.pool_max,
    "timeout": GREYWIND.pool_timeout,
}
_APP_OPTIONS: dict[str, Any] = {
    "pool": _POOL,
    "connect_timeout": GREYWIND.connect_timeout,
    "application_name": "greywind",
    # Only governance.rows.fetch prepares: Django's own cursors put values into the statement on this side.
    "prepare_threshold": 0,
}
DATABASES = {"default": _database(GREYWIND.app_database(), options=_APP_OPTIONS)}
_OWNER = GREYWIND.owner_database()
if _OWNER is not None:
    # For migrate and the test suite only: the owner may do what no request ever may.
    _OWNER_OPTIONS = {"connect_timeout": GREYWIND.connect_timeout, "application_name": "greywind-owner"}
    DATABASES["owner"] = _database(_OWNER, options=_OWNER_OPTIONS)

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# WhiteNoise reads the apps' and the project's folders directly: no collecting step, nothing to go stale.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# A body over the cap is refused while it is read; the API answers it as a 413 problem.
DATA_UPLOAD_MAX_MEMORY_SIZE = GREYWIND.max_body_bytes
LOGGING = logging_configuration(level=GREYWIND.log_level)

CELERY_BROKER_URL = GREYWIND.broker()


def _cache(broker: str) -> dict[str, Any]:
    """The broker's server where it can count (Redis, Valkey); else each process has counts of its own."""
    if not broker.startswith(("redis://", "rediss://", "redis+socket://")):
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": broker.replace("redis+socket://", "unix://", 1),
        "KEY_PREFIX": "greywind",
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
    }


# Holds the failed sign-ins and nothing else.
CACHES = {"default": _cache(CELERY_BROKER_URL)}
