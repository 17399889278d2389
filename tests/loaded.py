"""What the process has loaded that tests fork workers from: all that a worker uses, once."""

import signal
from importlib import import_module

from config.processes import load_tasks
from config.supervise import end_with_parent

end_with_parent(signal.SIGKILL)  # and those that it has forked with it
load_tasks()
import_module("tests.services")
import_module("celery.bin.celery")
