"""Settings that hold everywhere. dev, test and production add what differs."""

import tomllib
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config import environment, queues

BASE_DIR = Path(__file__).resolve().parent.parent.parent
VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
HOME = Path(environment.text("CONCORD_HOME", str(BASE_DIR / ".concord" / "home")))

DEMO = environment.flag("CONCORD_DEMO")
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = environment.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.forms",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "accounts",
    "annotation",
    "judging",
    "analytics",
]

MIDDLEWARE = [
    "config.requests.RequestName",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "accounts.tokens.TokenMiddleware",
    "accounts.gate.GateMiddleware",
    "config.heads.HeadMiddleware",
    "accounts.views.errors.FormsOnlyMiddleware",
    "analytics.present.waiting.WaitingMiddleware",
    "analytics.present.taking.TakingMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "annotation.queries.keys.in_pages",
                "accounts.gate.access_in_templates",
            ],
        },
    },
]

# Forms are drawn by templates/django/forms/, so every field looks alike.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {
    "default": environment.postgres("DATABASE_URL")
    | {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True},
}
# Who owns the tables and migrates them, where the application may not: see accounts/ledger/roles.py.
DATABASE_OWNER = (
    environment.postgres("DATABASE_OWNER_URL")
    if environment.text("DATABASE_OWNER_URL", "")
    else None
)
DATABASE_AUDITOR = environment.text("CONCORD_AUDITOR_ROLE", "")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = environment.redis("REDIS_URL")
CACHES = {
    "default": {
        "BACKEND": "config.cache.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {
            "serializer": "config.cache.Sealed",
            "pool_class": "config.cache.ImpatientPool",
        },
    },
}

# Keys of before, which sessions, links and the ledger's marks are still read under.
SECRET_KEY_FALLBACKS = environment.secrets("SECRET_KEY_FALLBACKS")
# Of the seeds of second factors; the first one writes. See docs/keys.md.
SECOND_FACTOR_KEYS = environment.secrets("CONCORD_SECOND_FACTOR_KEYS")

# From which the key is made that seals receipts; without it, from the SECRET_KEY.
RECEIPT_KEY = environment.secret("CONCORD_RECEIPT_KEY", "")

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backend.Backend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 15},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"

ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.forms.SignupForm"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Concord: "
ACCOUNT_USER_DISPLAY = attrgetter("email")
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_SESSION_REMEMBER = False
# Passwords have limits of their own, accounts/limits.py; what is left of these for one account is
# for the codes of its second factor, which come after the password.
ACCOUNT_RATE_LIMITS: dict[str, str] | Literal[False] = {
    "login": "300/m/ip",
    "login_failed": "5/5m/key",
    "signup": "60/m/ip",
    "reset_password": "60/m/ip,5/m/key",
    "reset_password_from_key": "60/m/ip",
}
# How many proxies of ours stand in front, each of which appends to X-Forwarded-For.
TRUSTED_PROXIES = environment.number("CONCORD_TRUSTED_PROXIES", 0, least=0)
DEVICE_COOKIE_NAME = "device"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ADAPTER = "accounts.adapter.MFAAdapter"
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_REQUIRED = True
USERSESSIONS_TRACK_ACTIVITY = False

# Single sign-on where an issuer is named. An account is known by an address that the provider has
# verified; it still signs the agreement and is approved like any other.
SSO_ISSUER = environment.https("CONCORD_SSO_ISSUER")
# Values of `amr` or `acr` by which the provider says that it asked for a second factor; others ask
# for one of ours.
SSO_SECOND_FACTOR = environment.words("CONCORD_SSO_SECOND_FACTOR")
SOCIALACCOUNT_ADAPTER = "accounts.providers.ProviderAdapter"
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "sso",
                "name": environment.text("CONCORD_SSO_NAME", "single sign-on"),
                "client_id": environment.text("CONCORD_SSO_CLIENT", ""),
                "secret": environment.secret("CONCORD_SSO_SECRET", ""),
                "settings": {"server_url": SSO_ISSUER},
            }
        ]
        if SSO_ISSUER
        else [],
    }
}
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_AUTO_SIGNUP = False  # who comes first says their name and affiliation
SOCIALACCOUNT_STORE_TOKENS = False
# By a link: a form that ends at another site is what the content security policy forbids.
SOCIALACCOUNT_LOGIN_ON_GET = True

SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_IDLE_AGE = 60 * environment.number("CONCORD_IDLE_MINUTES", 30)
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_USE_SESSIONS = True
CSRF_FAILURE_VIEW = "accounts.views.errors.csrf_failure"
# Not "no-referrer": with it browsers send "Origin: null" and every form is refused.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
        "manifest-src": [SELF],
    },
}

LANGUAGE_CODE = "en"
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = environment.text("CONCORD_TIME_ZONE", "UTC")

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "config.statics.OfPackages",
]
STATIC_ROOT = HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.statics.NamedByContent"},
}

REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["accounts.gate.OnlyThroughTheGate"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "DEFAULT_THROTTLE_CLASSES": ["accounts.api.throttling.AccountThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": environment.rate("CONCORD_API_RATE", "1200/min")},
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.parsers.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "accounts.api.answering.refusal",
}

SPECTACULAR_SETTINGS = {
    "DEFAULT_GENERATOR_CLASS": "config.openapi.Generator",
    "TITLE": "Concord",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "AUTHENTICATION_WHITELIST": [],
    "APPEND_COMPONENTS": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "SECURITY": [{"token": []}],
    "POSTPROCESSING_HOOKS": ["config.openapi.with_refusals"],
}

CELERY_BROKER_URL = environment.broker(environment.text("REDIS_URL"))
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_EXPIRES = None  # nothing is kept, so the scheduler need not clear it away
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME / "run" / "beat-schedule")
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0}  # somebody waits

SENTINEL_WEBHOOK = environment.https("CONCORD_SENTINEL_WEBHOOK")
LLM_BASE_URL = environment.text("CONCORD_LLM_BASE_URL", "")
LLM_API_KEY = environment.secret("CONCORD_LLM_API_KEY", "none")
LLM_HTTP_HOSTS = environment.words("CONCORD_LLM_HTTP_HOSTS", "localhost,127.0.0.1,[::1]")
# Where other endpoints may be than that of LLM_BASE_URL, and where the files with their keys are.
LLM_HOSTS = environment.words("CONCORD_LLM_HOSTS")
LLM_KEY_FOLDER = Path(environment.text("CONCORD_LLM_KEY_FOLDER", "/run/secrets"))
LLM_TIMEOUT = environment.number("CONCORD_LLM_TIMEOUT", 40)
LLM_RUNS_AT_ONCE = queues.RUNS_AT_ONCE
LLM_BATCH_LOOK = environment.number("CONCORD_LLM_BATCH_LOOK", 30)  # seconds
CHECKPOINT_DIR = HOME / "ledger" / str(DATABASES["default"]["NAME"])
CHECKPOINTS_TO = environment.ways("CONCORD_CHECKPOINTS_TO")
CHECKPOINT_EVERY = environment.number("CONCORD_CHECKPOINT_EVERY", 10_000)
KEY_DIR = HOME / "keys"
SIGNING_KEY = environment.seed("CONCORD_SIGNING_KEY")
EXPORT_DIR = HOME / "exports"
UPLOAD_DIR = HOME / "uploads"
UPLOAD_LIMIT_MB = environment.number("CONCORD_UPLOAD_LIMIT_MB", 100)

EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = environment.text("DEFAULT_FROM_EMAIL", "concord@localhost")

METRICS_TOKEN = environment.secret("CONCORD_METRICS_TOKEN", "")
LOG_REQUESTS = environment.flag("CONCORD_LOG_REQUESTS")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "config.logs.PlainLine",
            "format": "{asctime} {levelname} {name} {message}",
            "style": "{",
        },
        "json": {"()": "config.logs.JsonLine"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # The SDK and its HTTP client log whole requests, and those hold item text; fonts say much of
    # every figure that is drawn, and the scheduler that it has looked for work, each second.
    "loggers": {
        name: {"level": "WARNING"}
        for name in (
            *("httpx2", "httpcore2", "openai", "asyncio", "fontTools", "matplotlib"),
            "celery.beat",
        )
    },
}
