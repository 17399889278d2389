"""The demo and development: loopback only, known passwords, no second factor."""

from config import environment
from config.settings.base import *

SECRET_KEY = environment.text("SECRET_KEY", "only-for-the-demo-on-loopback")
DEBUG = environment.flag("CONCORD_DEBUG")
MFA_REQUIRED = False
ACCOUNT_EMAIL_VERIFICATION = "none"
MFA_ALLOW_UNVERIFIED_EMAIL = True
# A letter is a file for who sits at this computer: a log names nobody.
EMAIL_BACKEND = environment.text(
    "EMAIL_BACKEND", "django.core.mail.backends.filebased.EmailBackend"
)
EMAIL_FILE_PATH = HOME / "letters"
