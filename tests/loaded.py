"""What the process has loaded that tests fork workers from: all that a worker uses, once."""

import signal
from importlib import import_module

from config.launch.supervise import end_with_parent
from config.processes import load_tasks

end_with_parent(signal.SIGKILL)  # and those that it has forked with it
load_tasks()
import_module("tests.services")
import_module("celery.bin.celery")
