"""The tests: as production, but on loopback and with a cheap password hash."""

from config.settings.base import *

SECRET_KEY = "only-for-the-tests"
MFA_REQUIRED = False
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = False
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Static files are found where they are: nothing was collected.
WHITENOISE_AUTOREFRESH = True
