"""A team's server: TLS in front, second factor required, secrets from the environment."""

from config import environment
from config.settings.base import *

SECRET_KEY = environment.secret("SECRET_KEY")
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS")
DEBUG = False
MFA_REQUIRED = environment.flag("CONCORD_MFA_REQUIRED", default=True)

SESSION_COOKIE_NAME = "__Host-sid"
DEVICE_COOKIE_NAME = "__Host-device"
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
LANGUAGE_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = environment.flag("CONCORD_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000
# These two speak for the whole domain, which may have servers that others look after.
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag("CONCORD_HSTS_SUBDOMAINS")
SECURE_HSTS_PRELOAD = environment.flag("CONCORD_HSTS_PRELOAD")
if environment.flag("CONCORD_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    TRUSTED_PROXIES = environment.number("CONCORD_TRUSTED_PROXIES", 1, least=0)

EMAIL_BACKEND = environment.text("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
EMAIL_HOST = environment.text("EMAIL_HOST", "localhost")
EMAIL_PORT = environment.number("EMAIL_PORT", 587)
EMAIL_HOST_USER = environment.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = environment.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = environment.flag("EMAIL_USE_TLS", default=True)

LOG_REQUESTS = environment.flag("CONCORD_LOG_REQUESTS", default=True)
LOGGING["handlers"]["stderr"]["formatter"] = "json"
