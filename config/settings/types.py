"""What mypy reads: the settings of the tests, without the servers that they name."""

import os

os.environ.setdefault("DATABASE_URL", "postgresql:///none")
os.environ.setdefault("REDIS_URL", "redis://none")

from config.settings.test import *  # which reads the two at once
