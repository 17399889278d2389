"""The tests: as production, but on loopback and with a cheap password hash."""

import os

from config import environment

# `pytest -n 2` runs two workers beside each other, gw0 and gw1. pytest-django gives each a database
# in PostgreSQL; a database in Redis and a folder for files make them strangers to each other.
WORKER = environment.text("PYTEST_XDIST_WORKER", "gw0")
os.environ["REDIS_URL"] = environment.redis_database(
    environment.text("REDIS_URL"), number=int(WORKER.removeprefix("gw"))
)

from config.settings.base import *  # noqa: E402 -- after what it reads

# Who waits for a lock that nobody lets go of is told so, and by which statement.
DATABASES["default"] |= environment.postgres("DATABASE_URL", options="-c lock_timeout=10min")

HOME = HOME / WORKER
CHECKPOINT_DIR = HOME / "ledger" / "tests"
KEY_DIR = HOME / "keys"
EXPORT_DIR = HOME / "exports"
UPLOAD_DIR = HOME / "uploads"
STATIC_ROOT = HOME / "static"

SECRET_KEY = "only-for-the-tests"
MFA_REQUIRED = False
MFA_TOTP_TOLERANCE = 1  # a code changes twice a minute, and a busy machine may be late with it
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
